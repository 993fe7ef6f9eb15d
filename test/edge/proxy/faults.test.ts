/**
 * Failing origins and disconnecting visitors over real sockets. Each exchange ends with the
 * expected status or is aborted. A partial body never looks complete, and nothing is left behind.
 */

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseExemptions } from '../../../core/net/address/index.ts';
import { openCache } from '../../../edge/cache/store/node-cache.ts';
import { openCacheStore } from '../../../edge/cache/store/store.ts';
import { BodyCompressor } from '../../../edge/compress/body.ts';
import { createOriginClient, type OriginClient } from '../../../edge/origin/client.ts';
import type { OriginRequest } from '../../../edge/origin/origin.ts';
import { createSiteProxy } from '../../../edge/proxy/proxy.ts';
import { depth } from '../../support/depth.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { Random } from '../../support/random.ts';
import { SEED } from '../../support/seed.ts';
import { until } from '../../support/until.ts';
import { bytesOf } from '../http/exchange/client-call.ts';
import { type Rig, withRig } from '../http/exchange/rig.ts';

const EXCHANGES = depth({ quick: 300, moderate: 1500, full: 20_000 });
/** Milliseconds that an origin has for what it never does; for all else it has PATIENCE_MS. */
const HANGING = 300;
/** The timeouts of requests by what the origin does not do. */
const TIMEOUTS: Readonly<Record<string, { readonly headerTimeout: number; readonly idleTimeout: number }>> = {
  hang: { headerTimeout: HANGING, idleTimeout: PATIENCE_MS },
  'hang-in-head': { headerTimeout: HANGING, idleTimeout: PATIENCE_MS },
  'hang-in-body': { headerTimeout: PATIENCE_MS, idleTimeout: HANGING },
  '': { headerTimeout: PATIENCE_MS, idleTimeout: PATIENCE_MS },
};
/**
 * Requests on one HTTP/2 connection. The server closes a connection with too many reset streams.
 */
const ROUND = 500;
const MB = 1024 * 1024;
const CHUNK = 'x'.repeat(5000);

type Ending = number | 'broken';

/** The behaviour of the origin by path, and the end of the visitor's exchange. */
const FAULTS: Readonly<Record<string, readonly [(socket: Socket) => void, Ending]>> = {
  close: [(socket) => socket.end(), 502],
  reset: [(socket) => socket.resetAndDestroy(), 502],
  nonsense: [(socket) => socket.end('nonsense\r\n\r\n'), 502],
  'half-head': [(socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Ty'), 502],
  hang: [() => {}, 504],
  'hang-in-head': [(socket) => socket.write('HTTP/1.1 200 OK\r\nX: '), 504],
  short: [(socket) => socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n${CHUNK}`), 'broken'],
  'reset-in-body': [
    (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n${CHUNK}`);
      setTimeout(() => socket.resetAndDestroy(), 2);
    },
    'broken',
  ],
  'hang-in-body': [(socket) => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n${CHUNK}`), 'broken'],
  'bad-chunk': [
    (socket) => socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\nzz\r\n`),
    502,
  ],
  'no-last-chunk': [
    (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n'),
    'broken',
  ],
  'two-lengths': [(socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'), 502],
  slow: [
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 40\r\nContent-Type: text/plain\r\n\r\n');
      for (let i = 1; i <= 4; i++) setTimeout(() => socket.write('0123456789'), i);
    },
    200,
  ],
  fine: [(socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nCache-Control: max-age=60\r\n\r\nok'), 200],
  text: [
    (socket) =>
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n1388\r\n${CHUNK}\r\n0\r\n\r\n`,
      ),
    200,
  ],
};

async function faultyOrigin(): Promise<{ port: number; sockets: Set<Socket>; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    socket.setNoDelay(true);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const fault = /^\w+ \/([\w-]+)/.exec(text)?.[1] ?? '';
        text = text.slice(end + 4);
        FAULTS[fault][0](socket);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, sockets, close: () => server.close() };
}

/** The end of an exchange whose visitor stays connected. */
async function visited(rig: Rig, path: string): Promise<Ending> {
  const call = rig.call({ path, headers: { 'accept-encoding': 'gzip, br' } });
  try {
    const { status } = await call.head;
    await bytesOf(await call.stream());
    return status;
  } catch {
    return 'broken';
  }
}

/** A visitor who disconnects after a number of milliseconds. */
async function goes(rig: Rig, path: string, after: number): Promise<void> {
  const call = rig.call({ path });
  call.head.catch(() => {});
  call.stream().then(
    (stream) => stream.on('error', () => {}).resume(),
    () => {},
  );
  await new Promise((resolve) => setTimeout(resolve, after));
  call.reset();
}

async function leavesNothing(version: 'http/1.1' | 'h2', isCached: boolean): Promise<void> {
  const origin = await faultyOrigin();
  const exemptions = parseExemptions(['127.0.0.1']);
  const clients = Object.fromEntries(
    Object.entries(TIMEOUTS).map(([fault, timeouts]) => [
      fault,
      createOriginClient({ exemptions, limits: { ...timeouts, keepAlive: 50 } }),
    ]),
  );
  const clientOf = ({ path }: OriginRequest): OriginClient =>
    clients[/^\/([\w-]+)/.exec(path)?.[1] ?? ''] ?? clients[''];
  const node = await openCache({
    ...{ folder: '', disk: 0, threads: 1, memory: 16 * MB, memoryObject: MB, largestObject: MB },
  });
  const store = openCacheStore(node.handle);
  const bodies = new BodyCompressor(50);
  let open = 0;
  let handled = 0;
  const records = { count: 0, whole: 0 };
  const proxy = createSiteProxy({
    fetch: (request, signal) => clientOf(request).fetch(request, signal),
    send: (request, receiver) => clientOf(request).send(request, receiver),
    compression: { bodies, minBytes: 20 },
    cache: isCached ? { store, maxBodyBytes: MB, collapseTimeout: 20 } : undefined,
    onDone: ({ isWhole }) => {
      records.count++;
      if (isWhole) records.whole++;
    },
  }).serve;
  const site = {
    ...{ domainId: 'd', domain: 'site.test', hasCertificate: false, hsts: '', documents: null },
    origin: { host: '127.0.0.1', port: origin.port, protocol: 'http' as const },
  };
  const random = new Random(SEED);
  const names = Object.keys(FAULTS);
  try {
    for (let left = EXCHANGES / 4; left > 0; left -= ROUND) {
      const count = Math.min(left, ROUND);
      await withRig(
        version,
        async (exchange) => {
          open++;
          handled++;
          try {
            await proxy(exchange, site);
          } finally {
            open--;
          }
        },
        async (rig) => {
          const wrong: string[] = [];
          let begun = 0;
          const visitor = async (): Promise<void> => {
            while (begun < count) {
              begun++;
              const picked = random.pick(names);
              // Rarely, because each of them takes long.
              const name = picked.startsWith('hang') && random.below(8) > 0 ? 'fine' : picked;
              // The number of paths is small, so that some concurrent requests share a path.
              const path = `/${name}?${random.below(50)}`;
              if (random.below(10) < 3) await goes(rig, path, random.below(8));
              else {
                const ending = await visited(rig, path);
                if (ending !== FAULTS[name][1]) wrong.push(`${name}: ${ending}`);
              }
            }
          };
          await Promise.all(Array.from({ length: 24 }, visitor));
          assert.equal(wrong, []);
          assert.equal(rig.errors, []);
          await until(() => open === 0, 'no exchange is open');
          await until(() => bodies.open === 0, 'no compression is running');
          await until(
            () => Object.values(clients).every(({ counters }) => counters.open === 0) && origin.sockets.size === 0,
            'no connection to the origin is open',
          );
          // One record for each exchange.
          assert.is(records.count, handled);
          assert.ok(records.whole > 0 && records.whole < handled);
        },
      );
    }
  } finally {
    await Promise.all(Object.values(clients).map((client) => client.close()));
    await store.close();
    origin.close();
  }
}

/** Concurrently, because each variant mostly waits for exchanges that hang. */
const VARIANTS = (
  [
    ['http/1.1', false],
    ['http/1.1', true],
    ['h2', false],
    ['h2', true],
  ] as const
).map(([version, isCached]) => ({
  title: `${version}${isCached ? ', with a cache' : ''}: failed exchanges leave nothing behind`,
  verdict: leavesNothing(version, isCached).then(
    () => undefined,
    (error: unknown) => error,
  ),
}));
for (const { title, verdict } of VARIANTS)
  test(title, async () => {
    const error = await verdict;
    if (error !== undefined) throw error;
  });

test.run();
