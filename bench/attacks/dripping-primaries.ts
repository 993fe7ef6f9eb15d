/**
 * `node dist/bench/attacks/dripping-primaries.js [--main FILE] [--seconds N]`: 70 secondary zones
 * of one customer, whose primaries send one record a second, and the zone of another customer,
 * which is transferred on request.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { TYPE } from '../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../test/support/daemon.ts';
import { customerOf } from './customers.ts';
import { attackOptions, printRow, probeFor, processFigures } from './stage.ts';

const ZONES = 70;
const DRIP_MS = 1000;

const { main, seconds } = attackOptions('dripping-primaries', 'Slow primaries of one customer, zones of another.', 20);

function record(type: number, rdata: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 1, 44, 0, rdata.length]), rdata]);
}

/** A message with the question of `query` and these answers. */
function message(query: Buffer, answers: readonly Buffer[]): Buffer {
  let end = 12;
  while (query[end] !== 0) end += query[end] + 1;
  const head = Buffer.from(query.subarray(0, end + 5));
  head[2] = 0x84;
  head.fill(0, 6, 12);
  head[7] = answers.length;
  return Buffer.concat([head, ...answers]);
}

function framed(bytes: Buffer): Buffer {
  return Buffer.concat([Uint8Array.of(bytes.length >> 8, bytes.length & 0xff), bytes]);
}

function soaOf(serial: number): Buffer {
  const numbers = Buffer.alloc(20);
  [serial, 3600, 600, 86_400, 60].forEach((value, i) => {
    numbers.writeUInt32BE(value, i * 4);
  });
  return record(TYPE.SOA, Buffer.concat([Buffer.from([0xc0, 12, 0xc0, 12]), numbers]));
}

const ADDRESS = record(TYPE.A, Buffer.from([192, 0, 2, 1]));
const NAMESERVER = record(TYPE.NS, Buffer.from([0xc0, 12]));

/** A primary whose transfers `serve` answers; returns its port. */
async function primary(serve: (socket: Socket, query: Buffer) => void): Promise<number> {
  const tcp = createServer((socket) => {
    socket.on('error', () => {}).on('data', (query) => serve(socket, query.subarray(2)));
  });
  tcp.listen(0, '127.0.0.1', 4096);
  await once(tcp, 'listening');
  tcp.unref();
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4').on('message', (query, { port: from }) => udp.send(message(query, [soaOf(1)]), from));
  udp.bind(port, '127.0.0.1').unref();
  return port;
}

const dripping = await primary((socket, query) => {
  socket.write(framed(message(query, [soaOf(1), NAMESERVER])));
  const timer = setInterval(() => socket.write(framed(message(query, [ADDRESS]))), DRIP_MS);
  socket.on('close', () => clearInterval(timer));
});
const usual = await primary((socket, query) => {
  socket.write(framed(message(query, [soaOf(1), NAMESERVER, ADDRESS, soaOf(1)])));
});

const daemon = await startDaemon({ WAYPOST_SECONDARY_ALLOW_PRIVATE_PRIMARIES: '127.0.0.0/8' }, { main });
try {
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const [attacker, tenant] = await Promise.all(['attacker', 'tenant'].map((name) => customerOf(daemon, name)));
  const secondary = { kind: 'secondary', primaries: [{ address: `127.0.0.1:${usual}` }] };
  const { body } = await tenant.call('POST', '/api/v1/domains', { domain: 'tenant.test', ...secondary });
  const path = `/api/v1/domains/${(body.domain as { id: string }).id}/transfer?force=true`;
  const transfer = async (): Promise<void> => {
    const answer = await tenant.call('POST', path);
    if (JSON.stringify(answer.body).includes('"error":"')) throw new Error('not transferred');
  };
  const how = { intervalMs: 500, patienceMs: 2000 };
  const without = await probeFor(seconds, transfer, how);
  const primaries = [{ address: `127.0.0.1:${dripping}` }];
  for (let i = 0; i < ZONES; i++)
    await attacker.call('POST', '/api/v1/domains', { domain: `slow${i}.test`, kind: 'secondary', primaries });
  await sleep(2000);
  const attacked = await probeFor(seconds, transfer, how);
  const { megabytes, descriptors } = processFigures(daemon.child.pid);
  printRow('transfer of a zone on request', without, attacked, [`${megabytes} MB`, `${descriptors} descriptors`]);
} finally {
  await daemon.close();
}
process.exit();
