/**
 * `npm run bench:secondary -- [--quick] [--zones N] [--rounds N]`: secondary zones. First Knot
 * DNS is the primary of four nodes on one etcd: from a NOTIFY until all four serve the change. Then
 * a daemon transfers and refreshes many zones of a primary in this process: the longest stop of its
 * main thread.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseName } from '../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../core/dns/wire/types.ts';
import { notifyRequest } from '../core/nameserver/transfer/notify-line.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../test/support/daemon.ts';
import { UdpClient } from '../test/support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../test/support/message.ts';
import { freePort } from '../test/support/ports.ts';
import { startCluster } from '../test/system/cluster/rig.ts';
import { TestPrimary } from '../test/system/peers/primaries.ts';
import { COMMON, readOptions } from './options.ts';

const options = readOptions({
  command: 'npm run bench:secondary --',
  about: 'Secondary zones: from a NOTIFY until four nodes serve the change, and transfers of many zones.',
  options: {
    quick: COMMON.quick,
    rounds: { kind: 'number', help: 'changes that Knot announces' },
    zones: { kind: 'number', help: 'zones of the second part' },
  },
});
const ZONES = options.zones ?? (options.quick ? 500 : 10_000);
const ROUNDS = options.rounds ?? (options.quick ? 3 : 30);
const CREATIONS = 32;
/** Seconds. */
const REFRESH = 20;
/** Milliseconds over which the daemon measures the longest stop, and a little more. */
const WINDOW_MS = 16_000;
const SETTINGS = {
  WAYPOST_SECONDARY_ALLOW_PRIVATE_PRIMARIES: 'true',
  WAYPOST_SECONDARY_MIN_REFRESH: '1',
};

/** The records of any zone: SOA, NS, A. `question` is of the request. */
function responseTo(query: Buffer): Buffer {
  let end = 12;
  while (query[end] !== 0) end += query[end] + 1;
  const type = query.readUInt16BE(end + 1);
  const record = (kind: number, rdata: Buffer): Buffer => {
    const head = Buffer.from([0xc0, 12, 0, kind, 0, 1, 0, 0, 1, 44, 0, rdata.length]);
    return Buffer.concat([head, rdata]);
  };
  const numbers = Buffer.alloc(20);
  [1, REFRESH, REFRESH, 86_400, 60].forEach((value, i) => {
    numbers.writeUInt32BE(value, i * 4);
  });
  const soa = record(TYPE.SOA, Buffer.concat([Buffer.from([0xc0, 12, 0xc0, 12]), numbers]));
  const zone = [soa, record(TYPE.NS, Buffer.from([0xc0, 12])), record(TYPE.A, Buffer.from([192, 0, 2, 1])), soa];
  const answers = type === TYPE.AXFR ? zone : [soa];
  const head = Buffer.from(query.subarray(0, end + 5));
  head[2] = 0x84;
  head[3] = 0;
  head.fill(0, 6, 12);
  head[7] = answers.length;
  return Buffer.concat([head, ...answers]);
}

async function startPrimary(): Promise<number> {
  const port = await freePort();
  const udp = createSocket({ type: 'udp4', recvBufferSize: 4 << 20 });
  udp.on('message', (query, { port: from, address }) => udp.send(responseTo(query), from, address));
  udp.bind(port, '127.0.0.1');
  const tcp = createServer((socket: Socket) => {
    socket.on('error', () => {});
    socket.on('data', (query) => {
      const response = responseTo(query.subarray(2));
      socket.write(Buffer.concat([Uint8Array.of(response.length >> 8, response.length & 255), response]));
    });
  });
  tcp.listen(port, '127.0.0.1', 4096);
  await Promise.all([once(udp, 'listening'), once(tcp, 'listening')]);
  udp.unref();
  tcp.unref();
  return port;
}

const metricsOf = async ({ adminPort }: Daemon): Promise<string> =>
  (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();

const readValue = (metrics: string, pattern: RegExp): number => Number(pattern.exec(metrics)?.[1] ?? 0);
const CURRENT = /^waypost_secondary_zones\{state="current"\} (\S+)/m;
const UNCHANGED = /^waypost_secondary_refreshes_total\{result="current"\} (\S+)/m;
const LONGEST = /^nodejs_eventloop_lag_max_seconds (\S+)/m;

/** The longest stop of main, in milliseconds, until `isDone`. */
async function watch(daemon: Daemon, isDone: (metrics: string) => boolean): Promise<number> {
  for (let longest = 0; ; await sleep(500)) {
    const metrics = await metricsOf(daemon);
    longest = Math.max(longest, readValue(metrics, LONGEST));
    if (isDone(metrics)) return longest * 1000;
  }
}

async function refreshMany(): Promise<void> {
  const port = await startPrimary();
  const daemon = await startDaemon({ ...SETTINGS, WAYPOST_PLANS_FREE: '0' });
  try {
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    let next = 0;
    const create = async (): Promise<void> => {
      for (let n = next++; n < ZONES; n = next++)
        await daemon.api.call('POST', '/api/v1/domains', {
          ...{ domain: `zone${n}.test`, kind: 'secondary', primaries: [{ address: `127.0.0.1:${port}` }] },
        });
    };
    await Promise.all(Array.from({ length: CREATIONS }, create));
    await watch(daemon, (metrics) => readValue(metrics, CURRENT) >= ZONES);
    // Until the window that has the creation is the last complete one, and then past it.
    await sleep(WINDOW_MS);
    const created = readValue(await metricsOf(daemon), LONGEST) * 1000;
    console.log(`${ZONES} zones transferred; longest stop of main ${created.toFixed(1)} ms (creation included)`);
    await sleep(WINDOW_MS);
    const start = readValue(await metricsOf(daemon), UNCHANGED);
    const begin = performance.now();
    const ms = await watch(daemon, (metrics) => {
      const isOver = performance.now() > begin + 3 * WINDOW_MS;
      return isOver && readValue(metrics, UNCHANGED) >= start + ZONES;
    });
    const refreshes = readValue(await metricsOf(daemon), UNCHANGED) - start;
    const rate = refreshes / ((performance.now() - begin) / 1000);
    console.log(`${rate.toFixed(0)} refreshes a second; longest stop of main ${ms.toFixed(1)} ms`);
  } finally {
    await daemon.close();
  }
}

const addressAt = async (client: UdpClient, type: number, name: string): Promise<string> => {
  const response = await client.query(encodeQuery({ name: parseName(name), type, class: CLASS_IN }, 1), 1000, 1);
  if (response === null) return '';
  return JSON.stringify(decodeMessage(response).answer.map(({ rdata }) => Buffer.from(rdata).toString('hex')));
};

async function notifyFour(): Promise<void> {
  const { nodes, close } = await startCluster(4, SETTINGS);
  const primary = await TestPrimary.open('knot', { zone: 'four.test', secondary: await freePort() });
  const socket = createSocket('udp4');
  try {
    primary.write(1, [['www', 'A', '192.0.2.1']]);
    await primary.start();
    await nodes[0].api.call('POST', '/api/v1/domains', {
      ...{ domain: 'four.test', kind: 'secondary', primaries: [{ address: `127.0.0.1:${primary.port}` }] },
    });
    const clients = await Promise.all(nodes.map(({ dnsPort }) => UdpClient.connect(dnsPort)));
    const knot = await UdpClient.connect(primary.port);
    const untilServed = async (client: UdpClient, hex: string): Promise<void> => {
      while (!(await addressAt(client, TYPE.A, 'www.four.test.')).includes(hex)) await sleep(1);
    };
    const taken: number[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const hex = Buffer.from([192, 0, 2, round]).toString('hex');
      primary.write(round, [['www', 'A', `192.0.2.${round}`]]);
      await untilServed(knot, hex);
      const begin = performance.now();
      socket.send(notifyRequest(parseName('four.test.'), round), nodes[round % 4].dnsPort, '127.0.0.1');
      await Promise.all(clients.map((client) => untilServed(client, hex)));
      if (round > 1) taken.push(performance.now() - begin);
    }
    taken.sort((a, b) => a - b);
    const at = (share: number): string => taken[Math.floor((taken.length - 1) * share)].toFixed(1);
    console.log(`NOTIFY to served on four nodes: median ${at(0.5)} ms, longest ${at(1)} ms of ${taken.length}`);
    for (const client of [...clients, knot]) client.close();
  } finally {
    socket.close();
    await primary.close();
    await close();
  }
}

await notifyFour();
await refreshMany();
