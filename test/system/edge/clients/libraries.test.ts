/** The HTTP/2 clients that programs on node use: node:http2 and undici. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { Agent } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { wholeResponse } from '../../../support/http2-response.ts';
import { type Host, startHost } from '../host/host.ts';
import { HINT, READY } from '../host/site.ts';
import { frame, VERSION_QUESTION } from '../host/websocket.ts';
import { noiseOf } from './bodies.ts';

const AT_ONCE = 200;
const MASK = Buffer.of(1, 2, 3, 4);
const TEXT = 1;

const test = suite<{ host: Host; ca: string }>('libraries');
test.before(async (context) => {
  context.host = await startHost();
  context.ca = readFileSync(context.host.caFile, 'latin1');
});
test.after(async ({ host }) => {
  assert.is(await host.stop(), 0, host.output());
});

async function withSession(
  { host, ca }: { host: Host; ca: string },
  use: (session: ClientHttp2Session) => Promise<void>,
): Promise<void> {
  const session = connect(host.origin, { ca, lookup: toLoopback });
  session.on('error', () => {});
  await once(session, 'remoteSettings');
  try {
    await use(session);
  } finally {
    session.destroy();
  }
}

const toLoopback = ((_name: string, options: { all?: boolean }, done: (...result: unknown[]) => void) =>
  options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)) as never;

test('node:http2: more concurrent streams than allowed all succeed', async (context) => {
  await withSession(context, async (session) => {
    const replies = await Promise.all(
      Array.from({ length: AT_ONCE * 2 }, (_, i) =>
        wholeResponse(session.request({ ':path': i % 2 === 0 ? '/ready' : `/slow/3?${i}` })),
      ),
    );
    for (const [i, { status, body }] of replies.entries())
      assert.equal([status, body.toString()], [200, i % 2 === 0 ? READY : '0\n1\n2\n']);
  });
});

test('node:http2: the echoed body and trailers are equal', async (context) => {
  await withSession(context, async (session) => {
    const body = noiseOf(700_000);
    const stream = session.request({ ':path': '/echo', ':method': 'POST' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': 'one' }));
    const trailers = once(stream, 'trailers') as Promise<[Record<string, string>]>;
    stream.end(body);
    const reply = await wholeResponse(stream);
    assert.ok(reply.body.equals(body));
    assert.is((await trailers)[0]['x-sum'], 'one');
  });
});

test('node:http2: early hints, HEAD, a path that is not there', async (context) => {
  await withSession(context, async (session) => {
    const hinted = session.request({ ':path': '/hints' });
    const hints = once(hinted, 'headers') as Promise<[Record<string, string | number>]>;
    assert.is((await wholeResponse(hinted)).status, 200);
    const [headers] = await hints;
    assert.equal([headers[':status'], headers.link], [103, HINT]);
    const head = await wholeResponse(session.request({ ':path': '/ready', ':method': 'HEAD' }));
    assert.equal([head.status, head.body.length], [200, 0]);
    assert.is((await wholeResponse(session.request({ ':path': '/nowhere' }))).status, 404);
  });
});

test('node:http2: streams that are cancelled leave the others alone', async (context) => {
  await withSession(context, async (session) => {
    const streams = Array.from({ length: 60 }, (_, i) => session.request({ ':path': `/download/${100_000 + i}` }));
    const cancelled = streams.filter((_, i) => i % 3 === 0);
    for (const stream of cancelled) {
      stream.on('error', () => {});
      stream.close(constants.NGHTTP2_CANCEL);
    }
    await Promise.all(
      streams.map(async (stream, i) => {
        if (i % 3 !== 0) assert.is((await wholeResponse(stream)).body.length, 100_000 + i);
      }),
    );
    assert.is(session.closed, false);
  });
});

test('node:http2: a WebSocket by extended CONNECT (RFC 8441)', async (context) => {
  await withSession(context, async (session) => {
    assert.is(session.remoteSettings.enableConnectProtocol, true);
    const fields = { ':method': 'CONNECT', ':protocol': 'websocket', ':path': '/socket', ':scheme': 'https' };
    const stream = session.request({ ...fields, ':authority': 'localhost' }, { endStream: false });
    const [headers] = (await once(stream, 'response')) as [{ ':status': number }];
    assert.is(headers[':status'], 200);
    const heard = all(stream);
    stream.write(frame(TEXT, Buffer.from(VERSION_QUESTION), MASK));
    stream.write(frame(TEXT, Buffer.from('x'.repeat(1000)), MASK));
    stream.write(frame(8, Buffer.of(3, 232), MASK));
    const expected = [frame(TEXT, Buffer.from('2')), frame(TEXT, Buffer.from('x'.repeat(1000)))];
    assert.ok((await heard).equals(Buffer.concat([...expected, frame(8, Buffer.of(3, 232))])));
  });
});

async function all(stream: ClientHttp2Stream): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

for (const allowH2 of [true, false])
  test(`undici, ${allowH2 ? 'HTTP/2' : 'HTTP/1.1'}: many at once, and an upload`, async ({ host, ca }) => {
    const version = allowH2 ? '2' : '1.1';
    const agent = new Agent({ allowH2, connect: { ca, lookup: toLoopback }, connections: allowH2 ? 1 : 10 });
    const ask = (path: string, body?: Buffer) =>
      agent.request({ origin: host.origin, path, method: body === undefined ? 'GET' : 'POST', body });
    try {
      const bodies = await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, i) => {
          const { statusCode, body } = await ask(`/tell?${i}`);
          const event = (await body.json()) as { version: string; path: string };
          return [statusCode, event.version, event.path];
        }),
      );
      assert.equal(
        bodies,
        bodies.map((_, i) => [200, version, `/tell?${i}`]),
      );
      const sent = noiseOf(1_000_000);
      const { body } = await ask('/sink', sent);
      const { bytes, hash } = (await body.json()) as { bytes: number; hash: string };
      assert.equal([bytes, hash], [sent.length, createHash('sha256').update(sent).digest('hex')]);
      const large = await ask('/download/2000000');
      assert.is((await large.body.arrayBuffer()).byteLength, 2_000_000);
    } finally {
      await agent.destroy();
    }
  });

test.run();
