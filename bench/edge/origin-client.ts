/**
 * `node origin-client.js [SECONDS [BYTES]]`: CPU of this process for a request to an origin on
 * loopback, by edge/origin with sockets of its own and with node's, and by undici's `dispatch`,
 * alternating. 64 requests at a time. The origin is a child that answers from one buffer.
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { Pool } from 'undici';
import { DescriptorLoop, OWN_PLACES } from '../../core/os/descriptor-loop.ts';
import { NO_BODY } from '../../edge/http/exchange/body-queue.ts';
import { createOriginClient } from '../../edge/origin/client.ts';
import { nativeSockets } from '../../edge/origin/native-socket.ts';
import type { OriginRequest } from '../../edge/origin/origin.ts';
import { BROWSER_HEADERS } from './requests.ts';

const AT_A_TIME = 64;
const ROUNDS = 3;
const ORIGIN = 'origin';

/** One exchange; resolves when the whole body has come. */
type Ask = () => Promise<void>;

if (process.argv[2] === ORIGIN) serve(Number(process.argv[3]));
else await main(Number(process.argv[2] ?? 3), Number(process.argv[3] ?? 2000));

/** Requests of a browser are never cut here, so that none needs to be read. */
function serve(length: number): void {
  const head = [
    'HTTP/1.1 200 OK',
    'Server: nginx/1.22.1',
    'Date: Sun, 06 Nov 1994 08:49:37 GMT',
    'Content-Type: text/html; charset=utf-8',
    `Content-Length: ${length}`,
    'Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT',
    'Connection: keep-alive',
    'ETag: "5f3c1a2b-7d0"',
    'Cache-Control: public, max-age=86400',
    'Accept-Ranges: bytes',
  ];
  const answer = Buffer.from(`${head.join('\r\n')}\r\n\r\n${'x'.repeat(length)}`, 'latin1');
  const server = createServer((socket) => {
    socket.setNoDelay(true);
    socket.on('data', () => socket.write(answer));
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.stdout.write(`${typeof address === 'object' ? address?.port : 0}\n`);
  });
}

async function main(seconds: number, length: number): Promise<void> {
  const child = spawn(process.execPath, [process.argv[1], ORIGIN, String(length)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<number>((resolve) =>
    child.stdout.once('data', (data: Buffer) => resolve(Number(data))),
  );
  const loop = new DescriptorLoop(new SharedArrayBuffer(4 * (OWN_PLACES + AT_A_TIME)));
  const client = createOriginClient({ exemptions: true, open: nativeSockets(loop, AT_A_TIME) });
  const byNode = createOriginClient({ exemptions: true });
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: AT_A_TIME });
  const askers: Readonly<Record<string, Ask>> = {
    'edge/origin': byClient(client.fetch, port),
    "node's sockets": byClient(byNode.fetch, port),
    undici: byUndici(pool),
  };
  for (const ask of Object.values(askers)) await measure(ask, 1);
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, ask] of Object.entries(askers)) {
      const { perSecond, cpuMicros } = await measure(ask, seconds);
      process.stdout.write(
        `${name.padEnd(14)} ${perSecond.toFixed(0)} requests/s, ${cpuMicros.toFixed(2)} µs of CPU\n`,
      );
    }
  await client.close();
  loop.close();
  await byNode.close();
  await pool.close();
  child.kill();
}

function byClient(fetch: ReturnType<typeof createOriginClient>['fetch'], port: number): Ask {
  const request: OriginRequest = {
    origin: { host: '127.0.0.1', port, protocol: 'http' },
    serverName: 'site.test',
    method: 'GET',
    path: '/index.html',
    authority: 'site.test',
    headers: BROWSER_HEADERS.flat(),
    body: NO_BODY,
    protocol: '',
  };
  return async () => {
    const { body } = await fetch(request);
    for (;;) {
      let part = body.readNow();
      if (part === undefined) part = await body.read();
      if (part === null) return;
    }
  };
}

function byUndici(pool: Pool): Ask {
  const headers = BROWSER_HEADERS.flat();
  return () =>
    new Promise((resolve, reject) => {
      pool.dispatch(
        { method: 'GET', path: '/index.html', headers },
        {
          onRequestStart: () => {},
          onResponseStart: () => {},
          onResponseData: () => {},
          onResponseEnd: () => resolve(),
          onResponseError: (_, error) => reject(error),
        },
      );
    });
}

async function measure(ask: Ask, seconds: number): Promise<{ perSecond: number; cpuMicros: number }> {
  let requests = 0;
  const end = performance.now() + seconds * 1000;
  const cpu = process.cpuUsage();
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (; performance.now() < end; requests++) await ask();
    }),
  );
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: requests / seconds, cpuMicros: (user + system) / requests };
}
