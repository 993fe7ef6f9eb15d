/**
 * Requests and responses whose fields recur are handled by what was made of the first one. Each
 * must have the outcome that the same request has the first time.
 */
import { createServer, type Socket } from 'node:net';
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

const REQUESTS = depth({ quick: 150, moderate: 600, full: 20_000 });

const REQUEST_FIELDS: readonly Readonly<Record<string, string>>[] = [
  {},
  { cookie: 'a=1' },
  { cookie: 'a=2' },
  { cookie: 'a=1', 'max-forwards': '3' },
  { te: 'trailers', accept: '*/*' },
  { 'x-forwarded-for': '203.0.113.9', 'accept-encoding': 'gzip' },
];
const DATE = 'date: Fri, 27 Nov 2026 08:00:00 GMT\r\n';
const HEADS: readonly string[] = [
  `HTTP/1.1 200 OK\r\n${DATE}cache-control: no-store\r\nx-a: 1\r\n`,
  `HTTP/1.1 200 OK\r\n${DATE}cache-control: no-store\r\nx-a: 2\r\n`,
  'HTTP/1.1 200 OK\r\ncache-control: no-store\r\nx-a: 3\r\n',
  `HTTP/1.1 404 Not Found\r\n${DATE}set-cookie: b=1\r\nset-cookie: c=2\r\n`,
  `HTTP/1.1 200 OK\r\n${DATE}cache-control: no-store\r\nx-b: ${'long '.repeat(30)}\r\n`,
  `HTTP/1.1 200 OK\r\n${DATE}location: http://127.0.0.1/\r\ncontent-type: text/plain\r\n`,
];

/** Returns the request that it has received, without the id of the request. */
function echo(socket: Socket): void {
  let text = '';
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
    if (!text.endsWith('\r\n\r\n')) return;
    const content = text.replace(/^x-request-id: .*$/m, '');
    const [, head, isChunked] = /^\w+ \/(\d+)\/(\d)/.exec(text) ?? [];
    text = '';
    const body = `${content.length.toString(16)}\r\n${content}\r\n0\r\n\r\n`;
    if (isChunked === '1') socket.write(`${HEADS[Number(head)]}transfer-encoding: chunked\r\n\r\n${body}`);
    else socket.write(`${HEADS[Number(head)]}content-length: ${content.length}\r\n\r\n${content}`);
  });
}

for (const version of ['http/1.1', 'h2c'] as const)
  test(`${version}: a repeated request has the outcome of the first`, async () => {
    const server = createServer(echo);
    const port = await listening(server, '127.0.0.1');
    const client = createOriginClient({ exemptions: true });
    const sites = ['', 'max-age=60'].map((hsts) => ({
      ...{ domainId: 'd', domain: 'site.test', hasCertificate: false, hsts, documents: null },
      origin: { host: '127.0.0.1', port, protocol: 'http' as const },
    }));
    const proxy = createSiteProxy({ fetch: client.fetch, send: client.send }).serve;
    const random = new Random(SEED);
    const outcomes = new Map<string, string>();
    let site = 0;
    try {
      await withRig(
        version,
        (exchange) => proxy(exchange, sites[site]),
        async (rig) => {
          for (let n = 0; n < REQUESTS; n++) {
            const fields = random.below(REQUEST_FIELDS.length);
            const path = `/${random.below(HEADS.length)}/${random.below(2)}`;
            const method = random.pick(['GET', 'GET', 'GET', 'OPTIONS']);
            site = random.below(sites.length);
            const call = rig.call({ method, path, headers: REQUEST_FIELDS[fields] });
            const { status, headers } = await call.head;
            const body = (await bytesOf(await call.stream())).toString('latin1');
            const { date, ...others } = headers;
            if (!path.startsWith('/2')) assert.is(date, 'Fri, 27 Nov 2026 08:00:00 GMT');
            const outcome = JSON.stringify([status, others, body]);
            const name = `${method} ${path} ${fields} ${site}`;
            assert.is(outcome, outcomes.get(name) ?? outcome, name);
            outcomes.set(name, outcome);
            assert.is(body.includes('max-forwards: 2'), method === 'OPTIONS' && fields === 3, name);
          }
        },
      );
      assert.ok(client.counters.reused > 0);
    } finally {
      await client.close();
      server.close();
    }
  });

test.run();
