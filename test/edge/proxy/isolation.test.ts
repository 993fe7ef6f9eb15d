/**
 * Each visitor gets their own response or an error, never a byte of another visitor's response.
 * Generated visitors share connections to generated, misbehaving origins through the whole proxy.
 */
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createOriginClient } from '../../../edge/origin/client.ts';
import { createSiteProxy } from '../../../edge/proxy/proxy.ts';
import { depth } from '../../support/depth.ts';
import { Random } from '../../support/random.ts';
import { SEED } from '../../support/seed.ts';
import { bytesOf } from '../http/exchange/client-call.ts';
import { withRig } from '../http/exchange/rig.ts';
import { listening } from '../origin/rig.ts';

const REQUESTS = depth({ quick: 300, moderate: 1500, full: 20_000 });
const VISITORS = 24;

/** The behaviour of an origin for a request. Only the visitor with this `mark` may see it. */
type Conduct = (socket: Socket, mark: string, method: string) => void;

const head = (mark: string, lines: string, status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\nx-mark: ${mark}\r\n${lines}\r\n`;
const sized = (mark: string): string => head(mark, `content-length: ${mark.length}\r\n`);
const whole = (mark: string, method: string): string => sized(mark) + (method === 'HEAD' ? '' : mark);
const chunked = (mark: string): string =>
  `${head(mark, 'transfer-encoding: chunked\r\n')}${mark.length.toString(16)}\r\n${mark}\r\n0\r\n\r\n`;
const later = (socket: Socket, bytes: string, ms: number): void =>
  void setTimeout(() => void (socket.writable && socket.write(bytes)), ms);

/** Number of requests that each connection has received. */
const requestCounts = new WeakMap<Socket, number>();
/**
 * Sends bytes that belong to no response, unless a further request has arrived. HTTP/1.1 cannot
 * distinguish stray bytes from the response to that request.
 */
function stray(socket: Socket, bytes: string, ms: number): void {
  const count = requestCounts.get(socket);
  setTimeout(() => void (socket.writable && requestCounts.get(socket) === count && socket.write(bytes)), ms);
}

const CONDUCTS: Readonly<Record<string, Conduct>> = {
  fine: (socket, mark, method) => socket.write(whole(mark, method)),
  chunks: (socket, mark, method) => socket.write(method === 'HEAD' ? sized(mark) : chunked(mark)),
  slow: (socket, mark, method) => later(socket, whole(mark, method), 3),
  pieces(socket, mark, method) {
    const bytes = whole(mark, method);
    for (let i = 0; i < bytes.length; i += 20) later(socket, bytes.slice(i, i + 20), i / 20);
  },
  'a forbidden body': (socket, mark) => socket.write(sized(mark) + mark),
  'a forbidden body, later': (socket, mark, method) => {
    socket.write(sized(mark));
    (method === 'HEAD' ? stray : later)(socket, mark, 1);
  },
  'a response as a forbidden body, later': (socket, mark, method) => {
    const inner = whole(mark, 'GET');
    socket.write(head(mark, `content-length: ${inner.length}\r\n`));
    if (method === 'HEAD') stray(socket, inner, 1);
    else later(socket, inner, 0);
  },
  '304 with a body, later': (socket, mark) => {
    const inner = whole(mark, 'GET');
    socket.write(head(mark, `content-length: ${inner.length}\r\n`, '304 Not Modified'));
    stray(socket, inner, 1);
  },
  '304 with chunks, later': (socket, mark) => {
    socket.write(head(mark, 'transfer-encoding: chunked\r\n', '304 Not Modified'));
    stray(socket, whole(mark, 'GET'), 1);
  },
  '204 with a body, later': (socket, mark) => {
    const inner = whole(mark, 'GET');
    socket.write(head(mark, `content-length: ${inner.length}\r\n`, '204 No Content'));
    stray(socket, inner, 1);
  },
  'two responses': (socket, mark, method) => socket.write(whole(mark, method) + whole(mark, 'GET')),
  'a response and half a head': (socket, mark, method) => socket.write(`${whole(mark, method)}HTTP/1.1 200 OK\r\n`),
  'too long': (socket, mark, method) => socket.write(`${whole(mark, method)}${mark}`),
  'too long, later': (socket, mark, method) => {
    socket.write(whole(mark, method));
    stray(socket, mark, 0);
  },
  'too short': (socket, mark) => socket.end(sized(mark) + mark.slice(1)),
  'informed before': (socket, mark, method) =>
    socket.write(
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: <${mark}>\r\n\r\n${whole(mark, method)}`,
    ),
  'switches without a request': (socket, mark) =>
    socket.write(`HTTP/1.1 101 S\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n${whole(mark, 'GET')}`),
  'two framings': (socket, mark) =>
    socket.write(`${head(mark, `content-length: 5\r\ntransfer-encoding: chunked\r\n`)}0\r\n\r\n${whole(mark, 'GET')}`),
  'a bad chunk': (socket, mark) => socket.write(`${head(mark, 'transfer-encoding: chunked\r\n')}zz\r\n${mark}`),
  'ends early': (socket, mark) =>
    socket.end(`${head(mark, 'transfer-encoding: chunked\r\n')}5\r\n${mark.slice(0, 5)}\r\n`),
  'until the end': (socket, mark) => socket.end(`${head(mark, '')}${mark}`),
  resets: (socket) => socket.resetAndDestroy(),
  closes: (socket, mark, method) => socket.end(whole(mark, method)),
  'refuses the upload': (socket, mark) => socket.write(head(mark, 'content-length: 0\r\n', '413 Too Large')),
};
const NAMES = Object.keys(CONDUCTS);

/**
 * The path selects the conduct: `/<number of the conduct>/<mark>`. The response is sent when the
 * head has arrived, before the body.
 */
function misbehaving(socket: Socket): void {
  let text = '';
  socket.on('error', () => {});
  socket.on('data', (part: Buffer) => {
    text += part.toString('latin1');
    for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
      const match = /([A-Z]+) \/(\d+)\/(\S+) HTTP/.exec(text.slice(0, end));
      text = text.slice(end + 4);
      requestCounts.set(socket, (requestCounts.get(socket) ?? 0) + 1);
      if (match !== null && socket.writable) CONDUCTS[NAMES[Number(match[2])]](socket, match[3], match[1]);
    }
  });
}

/** All marks in a response. */
const marksIn = (text: string): string[] => text.match(/mark-\d+-/g) ?? [];

for (const version of ['http/1.1', 'h2c'] as const)
  test(`${version}: ${REQUESTS} requests of ${VISITORS} visitors`, async () => {
    const server = createServer(misbehaving);
    const port = await listening(server, '127.0.0.1');
    const limits = { connections: 6, headerTimeout: 500, idleTimeout: 500 };
    const client = createOriginClient({ exemptions: true, limits });
    const site = {
      ...{ domainId: 'd', domain: 'site.test', hasCertificate: false, hsts: '', documents: null },
      origin: { host: '127.0.0.1', port, protocol: 'http' as const },
    };
    const proxy = createSiteProxy({ fetch: client.fetch, send: client.send }).serve;
    const random = new Random(SEED);
    let next = 0;
    let own = 0;
    try {
      await withRig(
        version,
        (exchange) => proxy(exchange, site),
        async (rig) => {
          const visit = async (): Promise<void> => {
            const mark = `mark-${next++}-`;
            // Half of the requests get a correct response.
            const conduct = random.below(2) === 0 ? 0 : random.below(NAMES.length);
            const method = random.pick(['GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT']);
            const hasBody = method === 'POST' || method === 'PUT';
            const call = rig.call({ method, path: `/${conduct}/${mark}`, hasBody });
            if (hasBody) {
              call.write(Buffer.from('a body')).catch(() => {});
              if (random.below(2) === 0) await sleep(1);
              call.end();
            }
            let text = '';
            try {
              text += JSON.stringify(await call.head);
              text += (await bytesOf(await call.stream())).toString('latin1');
            } catch {
              // It was told that something went wrong.
            }
            text += JSON.stringify(call.informational);
            for (const seen of marksIn(text)) assert.is(seen, mark, `${method} ${NAMES[conduct]}`);
            if (marksIn(text).length > 0) own++;
          };
          const visitor = async (): Promise<void> => {
            while (next < REQUESTS) await visit();
          };
          await Promise.all(Array.from({ length: VISITORS }, visitor));
          assert.ok(own > REQUESTS / 3, `${own} received their own response`);
          assert.ok(client.counters.reused > REQUESTS / 10, `${client.counters.reused} shared a connection`);
        },
      );
    } finally {
      await client.close();
      server.close();
    }
  });

test.run();
