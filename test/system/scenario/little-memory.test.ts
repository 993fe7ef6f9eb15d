/**
 * Small machines: a daemon with DNS, edge and API in a control group of 256, 512 or 1,024 MB gets a
 * burst of connections and a large import. The kernel never kills it, DNS is always answered,
 * whoever is refused learns when to retry, and afterwards everything works again.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MAIN_HEAP } from '../../../core/base/main-heap.ts';
import { parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../../core/dns/wire/types.ts';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { UdpClient } from '../../support/dns-client.ts';
import { memoryGroup } from '../../support/memory-group.ts';
import { encodeQuery } from '../../support/message.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { freePort } from '../../support/ports.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { until, untilIs } from '../../support/until.ts';

const MB = 1024 ** 2;
const AT_ONCE = 100;
const RECORDS = 100_000;
/** Resident bytes of DNS, API and edge, at most, with less than 1 GB. */
const AT_REST = 200 * MB;
interface Machine {
  readonly bound: number;
  readonly isSmall: boolean;
  readonly connections: number;
  /** Of the large import. */
  readonly statuses: readonly number[];
}

const MACHINES: readonly Machine[] = [
  { bound: 256, isSmall: true, connections: 2000, statuses: [507] },
  { bound: 512, isSmall: true, connections: 1000, statuses: [200, 503, 507] },
  { bound: 1024, isSmall: false, connections: 500, statuses: [200] },
];
const SITE = 'site.example';

const test = suite('a machine with little memory');
const trial = memoryGroup(256 * MB);
if (typeof trial === 'string') process.stdout.write(`skipped: ${trial}\n`);
else trial.remove();

const residentBytes = ({ child }: Daemon): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1'))?.[1]) * 1024;

/** The status of a visit over HTTP, with the Retry-After of a 503; or that it was closed. */
function visit(port: number): Promise<string> {
  return new Promise((done) => {
    const request = get({ port, host: '127.0.0.1', agent: false, headers: { host: SITE } }, (response) => {
      response.resume();
      const retry = response.statusCode === 503 ? ` ${response.headers['retry-after']}` : '';
      done(`${response.statusCode}${retry}`);
    });
    request.setTimeout(PATIENCE_MS, () => request.destroy());
    request.on('error', () => done('closed'));
  });
}

/** A connection that sends a request, and stays open. `outcome`: as of `visit`. */
async function open(port: number, i: number): Promise<{ readonly socket: TLSSocket; readonly outcome: string }> {
  const localAddress = `127.0.${1 + (i >> 7)}.${1 + (i & 127)}`;
  const transport = connectTcp({ port, host: '127.0.0.1', localAddress });
  const socket = connect({ socket: transport, servername: SITE, rejectUnauthorized: false });
  const outcome = await new Promise<string>((done) => {
    socket.once('secureConnect', () => socket.write(`GET / HTTP/1.1\r\nHost: ${SITE}\r\n\r\n`));
    socket.once('data', (bytes) => {
      const [, status] = /^HTTP\/1\.1 (\d+)/.exec(String(bytes)) ?? [];
      const retry = status === '503' ? ` ${/^retry-after: (\d+)/im.exec(String(bytes))?.[1]}` : '';
      done(`${status}${retry}`);
    });
    transport.on('error', () => done('closed'));
    socket.on('error', () => done('closed'));
    socket.once('close', () => done('closed'));
  });
  return { socket, outcome };
}

async function burst(
  port: number,
  connections: number,
): Promise<{ readonly sockets: TLSSocket[]; readonly outcomes: Set<string> }> {
  const sockets: TLSSocket[] = [];
  const outcomes = new Set<string>();
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < connections) {
      const { socket, outcome } = await open(port, next++);
      sockets.push(socket);
      outcomes.add(outcome);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { sockets, outcomes };
}

for (const { bound, isSmall, connections, statuses } of typeof trial === 'string' ? [] : MACHINES)
  test(`${bound} MB`, async () => {
    const group = memoryGroup(bound * MB);
    if (typeof group === 'string') throw new Error(group);
    const folder = temporaryFolder('little-memory');
    const [chain, keyFile] = [join(folder, 'site.pem'), join(folder, 'site.key')];
    const key = ecKey();
    writeFileSync(chain, certificate({ name: SITE, key, dnsNames: [SITE] }));
    writeFileSync(keyFile, pemOfKey(key));
    const [http, https] = [await freePort(), await freePort()];
    const daemon = await startDaemon(
      {
        MALLOC_ARENA_MAX: '2',
        WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${http}`,
        WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${https}`,
        WAYPOST_EDGE_DEFAULT_CERTIFICATE: chain,
        WAYPOST_EDGE_DEFAULT_KEY: keyFile,
      },
      { prefix: group.prefix, options: MAIN_HEAP },
    );
    const dns = await UdpClient.connect(daemon.dnsPort);
    try {
      const { api } = daemon;
      await api.logIn('admin', ADMIN_PASSWORD);
      await api.createDomain(SITE);
      const answers = async (): Promise<boolean> => {
        const query = encodeQuery({ name: parseName(`${SITE}.`), type: TYPE.SOA, class: CLASS_IN }, 1);
        return (await dns.query(query, PATIENCE_MS)) !== null;
      };
      /** Without a proxied site, the edge serves its own page. */
      const served = await visit(http);
      assert.match(served, /^[24]\d\d$/);
      if (isSmall)
        await until(
          () => residentBytes(daemon) <= AT_REST,
          () => `${residentBytes(daemon)} bytes resident at rest`,
        );

      const { sockets, outcomes } = await burst(https, connections);
      for (const outcome of outcomes) assert.match(outcome, /^([24]\d\d|503 \d+|closed)$/);
      assert.ok(await answers(), 'DNS during the burst');
      for (const socket of sockets) socket.destroy();
      await untilIs(() => visit(http), served, 'the edge serves again');

      const lines = Array.from({ length: RECORDS }, (_, i) => `n${i} 300 A 192.0.2.1\n`).join('');
      const path = '/api/v1/domains/zonefile?domain=';
      const large = await api.request('POST', `${path}large.example`, lines, 'text/dns');
      assert.ok(statuses.includes(large.status), `${large.status} ${large.text}`);
      if (large.status === 503) assert.match(large.headers.get('retry-after') ?? '', /^\d+$/);
      assert.ok(await answers(), 'DNS after the import');
      await untilIs(
        async () => (await api.request('POST', `${path}small.example`, '@ 300 A 192.0.2.1\n', 'text/dns')).status,
        200,
        'a small import',
      );
      await untilIs(() => visit(http), served, 'the edge serves again');
      assert.equal([group.kills(), daemon.child.exited()], [0, false]);
    } finally {
      dns.close();
      await daemon.close();
      group.remove();
    }
  });

test.run();
