/** Parts of a response that must not wait, and trailers, for both versions of HTTP. */
import { createServer as createHttp1Server } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyCompressor } from '../../../edge/compress/body.ts';
import { createOriginClient } from '../../../edge/origin/client.ts';
import { createMultiplexer } from '../../../edge/origin/http2/multiplexer.ts';
import { createSiteProxy } from '../../../edge/proxy/proxy.ts';
import { until } from '../../support/until.ts';
import { bytesOf } from '../http/exchange/client-call.ts';
import { type Rig, withRig } from '../http/exchange/rig.ts';
import { listening } from '../origin/rig.ts';

/** What the compatible API of node's servers has for both versions. */
interface Reply {
  writeHead(status: number, headers: Record<string, string>): unknown;
  flushHeaders(): void;
  writeEarlyHints(hints: Record<string, string>): void;
  write(part: string): void;
  addTrailers(trailers: Record<string, string>): void;
  end(part?: string): void;
}
interface Request {
  readonly headers: Record<string, string | string[] | undefined>;
  readonly trailers: Record<string, string | undefined>;
  on(event: 'data', listener: (part: Buffer) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
}
type Script = (incoming: Request, reply: Reply) => void;

const ORIGINS = ['1.1', 'h2c'] as const;
const VISITORS = ['http/1.1', 'h2'] as const;

function each(
  title: string,
  script: Script,
  work: (rig: Rig, origin: (typeof ORIGINS)[number]) => Promise<void>,
  origins: readonly (typeof ORIGINS)[number][] = ORIGINS,
): void {
  for (const version of origins)
    for (const visitor of VISITORS)
      test(`${title}: ${visitor} to ${version}`, async () => {
        const server = version === '1.1' ? createHttp1Server() : createHttp2Server();
        server.on('request', script as never);
        const port = await listening(server as never, '127.0.0.1');
        const client = createOriginClient({ exemptions: true, multiplex: createMultiplexer });
        const compression = { bodies: new BodyCompressor(10), minBytes: 0 };
        const proxy = createSiteProxy({ fetch: client.fetch, compression }).serve;
        const site = {
          ...{ domainId: 'd', domain: 'site.test', hasCertificate: false, hsts: '', documents: null },
          origin: { host: '127.0.0.1', port, protocol: 'http', version } as const,
        };
        try {
          await withRig(
            visitor,
            (exchange) => proxy(exchange, site),
            (rig) => work(rig, version),
          );
        } finally {
          await client.close();
          await new Promise((done) => server.close(done));
        }
      });
}

/** Sends the next event. */
let next = (_: string | null): void => {};

each(
  'server-sent events come one by one, and uncompressed',
  (_, reply) => {
    reply.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    reply.flushHeaders();
    next = (text) => (text === null ? reply.end() : reply.write(text));
  },
  async (rig) => {
    const call = rig.call({ headers: { accept: 'text/event-stream', 'accept-encoding': 'gzip, br' } });
    // The head is there before any event.
    const { headers } = await call.head;
    assert.equal([headers['content-type'], headers['content-encoding']], ['text/event-stream', undefined]);
    let text = '';
    const stream = await call.stream();
    stream.on('data', (part) => {
      text += part;
    });
    for (const event of ['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n']) {
      next(event);
      await until(() => text.endsWith(event), event);
    }
    next(null);
    await until(() => stream.readableEnded, 'the end');
  },
);

each(
  'early hints come before the response, trailers after it',
  (_, reply) => {
    reply.writeEarlyHints({ link: '</a.css>; rel=preload' });
    reply.writeHead(200, { 'content-type': 'text/plain', trailer: 'x-end' });
    reply.write('a');
    reply.addTrailers({ 'x-end': 'yes' });
    reply.end('b');
  },
  async (rig) => {
    const call = rig.call({ headers: { te: 'trailers' } });
    const { status } = await call.head;
    assert.equal([status, (await bytesOf(await call.stream())).toString()], [200, 'ab']);
    assert.equal(
      call.informational.map((its) => [its.status, its.headers.link]),
      [[103, '</a.css>; rel=preload']],
    );
    assert.is(call.trailers()['x-end'], 'yes');
  },
);

each(
  'trailers of a request, without those that only the edge may set',
  (incoming, reply) => {
    incoming.on('data', () => {});
    incoming.on('end', () => {
      reply.writeHead(200, { 'content-type': 'text/plain' });
      reply.end(`${incoming.trailers['x-last']} ${incoming.trailers['x-forwarded-for']}`);
    });
  },
  async (rig) => {
    const call = rig.call({ method: 'POST', hasBody: true });
    call.end(Buffer.from('body'), { 'x-last': 'yes', 'x-forwarded-for': '192.0.2.1' });
    await call.head;
    assert.is((await bytesOf(await call.stream())).toString(), 'yes undefined');
  },
);

each(
  'gRPC-Web is forwarded, and not compressed',
  (incoming, reply) => {
    incoming.on('data', () => {});
    incoming.on('end', () => {
      reply.writeHead(200, { 'content-type': 'application/grpc-web+json' });
      reply.end('frames'.repeat(1000));
    });
  },
  async (rig) => {
    const headers = { 'content-type': 'application/grpc-web+json', 'accept-encoding': 'gzip' };
    const call = rig.call({ method: 'POST', hasBody: true, headers });
    call.end(Buffer.from('message'));
    const { headers: fields } = await call.head;
    assert.is(fields['content-encoding'], undefined);
    assert.is((await bytesOf(await call.stream())).length, 6000);
  },
);

test.run();
