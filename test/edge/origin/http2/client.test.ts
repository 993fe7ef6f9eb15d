/** Requests over HTTP/2 to servers of node:http2: bodies both ways, windows, limits and ends. */
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyQueue, NO_BODY } from '../../../../edge/http/exchange/body-queue.ts';
import type { OriginClient, OriginClientOptions } from '../../../../edge/origin/client.ts';
import { createMultiplexer } from '../../../../edge/origin/http2/multiplexer.ts';
import { OriginCancel, type OriginRequest } from '../../../../edge/origin/origin.ts';
import { until } from '../../../support/until.ts';
import { bodyOf, bodyText, client, faultOf, listening, request, seen } from '../rig.ts';

type Headers = Record<string, string | string[] | undefined>;
type Script = (stream: ServerHttp2Stream, headers: Headers) => void;

interface Http2Origin {
  readonly port: number;
  readonly server: Http2Server;
  /** Connections so far. */
  sessions: number;
}

async function withHttp2(
  script: Script,
  work: (
    ask: (more?: Partial<OriginRequest>) => OriginRequest,
    its: OriginClient,
    origin: Http2Origin,
  ) => Promise<void>,
  options: Parameters<typeof createServer>[0] = {},
  clientOptions: OriginClientOptions = {},
): Promise<void> {
  const server = createServer(options);
  const origin = { port: 0, server, sessions: 0 };
  const open = new Set<{ destroy(): void }>();
  server.on('session', (session) => {
    origin.sessions++;
    open.add(session);
    session.on('error', () => {});
    session.on('close', () => open.delete(session));
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    script(stream, headers as Headers);
  });
  origin.port = await listening(server as never, '127.0.0.1');
  const its = client({ multiplex: createMultiplexer, ...clientOptions });
  const to = { host: '127.0.0.1', port: origin.port, protocol: 'http', version: 'h2c' } as const;
  try {
    await work((more = {}) => request(origin.port, { origin: to, ...more }), its, origin);
  } finally {
    await its.close();
    for (const session of open) session.destroy();
    await new Promise((done) => server.close(done));
  }
}

const OK: Script = (stream) => {
  stream.respond({ ':status': 200, 'x-a': 'b' });
  stream.end('ok');
};

test('a request without a body, its fields and its response', () =>
  withHttp2(
    (stream, headers) => {
      const { ':method': method, ':path': path, ':authority': authority, ':scheme': scheme, 'x-b': field } = headers;
      stream.respond({
        ':status': 201,
        'content-length': 2,
        'x-seen': JSON.stringify([method, path, authority, scheme, field]),
      });
      stream.end('ok');
    },
    async (ask, { fetch, counters }) => {
      const { status, headers, body } = await seen(fetch(ask({ path: '/a?b', headers: ['x-b', 'c'] })));
      assert.is(status, 201);
      const sent = JSON.stringify(['GET', '/a?b', 'site.test', 'http', 'c']);
      assert.equal(
        headers.filter((_, i) => headers[i & ~1] !== 'date'),
        ['x-seen', sent, 'content-length', '2'],
      );
      assert.is(body, 'ok');
      await seen(fetch(ask({ path: '/b' })));
      assert.equal([counters.connections, counters.reused], [1, 1]);
    },
  ));

test('many at a time share a connection', () =>
  withHttp2(
    (stream) => setImmediate(() => OK(stream, {})),
    async (ask, { fetch, counters }, origin) => {
      const responses = await Promise.all(Array.from({ length: 60 }, () => seen(fetch(ask()))));
      assert.ok(responses.every(({ body }) => body === 'ok'));
      assert.equal([origin.sessions, counters.connections], [1, 1]);
    },
  ));

test('the limit of streams is respected, and another connection carries more', () => {
  let most = 0;
  const open = new Map<unknown, number>();
  return withHttp2(
    (stream) => {
      const count = (open.get(stream.session) ?? 0) + 1;
      open.set(stream.session, count);
      most = Math.max(most, count);
      setTimeout(() => {
        open.set(stream.session, open.get(stream.session)! - 1);
        OK(stream, {});
      }, 5);
    },
    async (ask, { fetch }, origin) => {
      await seen(fetch(ask()));
      const responses = await Promise.all(Array.from({ length: 12 }, () => seen(fetch(ask()))));
      assert.ok(responses.every(({ body }) => body === 'ok'));
      assert.ok(most <= 3, `${most}`);
      assert.ok(origin.sessions > 1 && origin.sessions <= 5, `${origin.sessions}`);
    },
    { settings: { maxConcurrentStreams: 3 } },
  );
});

const echo: Script = (stream) => {
  stream.respond({ ':status': 200 }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'x-end': 'yes' }));
  stream.on('trailers', (trailers) => stream.emit('seen', trailers));
  stream.pipe(stream);
};

for (const length of [0, 1, 70_000, 3_000_000])
  for (const isKnown of [true, false])
    test(`${length} bytes there and back, ${isKnown ? 'with' : 'without'} a length`, () =>
      withHttp2(echo, async (ask, { fetch }) => {
        const bytes = Buffer.alloc(length, 'abc');
        const parts = length === 0 ? [] : [bytes.subarray(0, length / 2), bytes.subarray(length / 2)];
        const texts = parts.filter((part) => part.length > 0).map((part) => part.toString('latin1'));
        const body = bodyOf(texts, isKnown ? length : undefined);
        const response = await seen(fetch(ask({ method: 'POST', body })));
        assert.ok(response.body === bytes.toString('latin1'));
        assert.equal(response.trailers, ['x-end', 'yes']);
      }));

test('a body that flows while the response does: full duplex', () =>
  withHttp2(echo, async (ask, { fetch }) => {
    const queue = new BodyQueue({ onFirstRead: () => {}, onTaken: () => {} }, undefined);
    const response = await fetch(ask({ method: 'POST', body: queue }));
    for (const text of ['one', 'two', 'three']) {
      queue.lend(Buffer.from(text));
      assert.is(Buffer.from((await response.body.read())!).toString(), text);
    }
    queue.finish(['x-last', '1']);
    assert.is(await response.body.read(), null);
  }));

test('trailers of a request', () =>
  withHttp2(
    (stream) => {
      stream.on('data', () => {});
      stream.on('trailers', (trailers) => {
        stream.respond({ ':status': 200 });
        stream.end(String(trailers['x-last']));
      });
    },
    async (ask, { fetch }) => {
      const queue = new BodyQueue({ onFirstRead: () => {}, onTaken: () => {} }, undefined);
      queue.lend(Buffer.from('a'));
      queue.finish(['x-last', 'yes']);
      assert.is((await seen(fetch(ask({ method: 'POST', body: queue })))).body, 'yes');
    },
  ));

test('a head alone: HEAD, 204, 304, and one that ends with its head', () =>
  withHttp2(
    (stream, headers) => {
      const status = Number(String(headers[':path']).slice(1));
      stream.respond({ ':status': status, ...(status === 304 ? {} : {}), 'x-a': 'b' }, { endStream: true });
    },
    async (ask, { fetch }) => {
      for (const [method, status] of [
        ['HEAD', 200],
        ['GET', 204],
        ['GET', 304],
        ['GET', 200],
      ] as const) {
        const response = await fetch(ask({ method, path: `/${status}` }));
        assert.is(response.status, status);
        assert.is(response.body.readNow(), null);
      }
    },
  ));

test('informational responses come before the response', () =>
  withHttp2(
    (stream) => {
      stream.additionalHeaders({ ':status': 103, link: '</a>; rel=preload' });
      OK(stream, {});
    },
    async (ask, { fetch }) => {
      const informs: [number, readonly string[]][] = [];
      const response = await seen(
        fetch(ask({ informs: { onInform: (status, fields) => informs.push([status, fields]) } })),
      );
      assert.is(response.body, 'ok');
      assert.equal(informs, [[103, ['link', '</a>; rel=preload']]]);
    },
  ));

test('a reader that does not read holds up its own stream only, within its window', () => {
  let written = 0;
  return withHttp2(
    (stream, headers) => {
      if (headers[':path'] !== '/large') return OK(stream, headers);
      stream.respond({ ':status': 200 });
      const write = (): void => {
        while (!stream.destroyed && written < 10_000_000) {
          written += 16_384;
          if (!stream.write(Buffer.alloc(16_384))) return void stream.once('drain', write);
        }
        stream.end();
      };
      write();
    },
    async (ask, { fetch }) => {
      const large = await fetch(ask({ path: '/large' }));
      for (let i = 0; i < 5; i++) assert.is((await seen(fetch(ask()))).body, 'ok');
      assert.ok(written < 1_500_000, `${written}`);
      assert.is((await bodyText(large.body)).length, 10_010_624);
    },
  );
});

test('an origin that does not read stalls the body, and another stream continues', () => {
  let waiting: ServerHttp2Stream | undefined;
  return withHttp2(
    (stream, headers) => {
      if (headers[':path'] !== '/slow') return OK(stream, headers);
      waiting = stream;
      stream.respond({ ':status': 200 });
    },
    async (ask, { fetch }) => {
      let taken = 0;
      const queue = new BodyQueue({ onFirstRead: () => {}, onTaken: (bytes) => (taken += bytes) }, undefined);
      const response = await fetch(ask({ path: '/slow', method: 'POST', body: queue }));
      for (let i = 0; i < 64; i++) queue.lend(Buffer.alloc(16_384));
      assert.is((await seen(fetch(ask()))).body, 'ok');
      assert.ok(taken <= 131_072, `${taken}`);
      queue.finish();
      waiting!.pipe(waiting!);
      assert.is((await bodyText(response.body)).length, 64 * 16_384);
    },
  );
});

test('a cancelled request resets its stream, before the head and within the body', () => {
  const codes: number[] = [];
  return withHttp2(
    (stream, headers) => {
      stream.on('close', () => codes.push(stream.rstCode));
      if (headers[':path'] === '/head') return;
      stream.respond({ ':status': 200 });
      stream.write('a');
    },
    async (ask, { fetch, counters }) => {
      const cancel = new OriginCancel();
      const pending = fetch(ask({ path: '/head', cancel }));
      setTimeout(() => cancel.cancel(), 20);
      assert.is(await faultOf(pending), 'aborted');
      const { body } = await fetch(ask());
      body.cancel();
      await until(() => codes.length === 2, 'both are reset');
      assert.equal(codes, [8, 8]);
      assert.is(counters.connections, 1);
    },
  );
});

test('the origin resets: a fault before the head, a body that breaks off after it', () =>
  withHttp2(
    (stream, headers) => {
      if (headers[':path'] === '/head') stream.close(11);
      else OK(stream, headers);
    },
    async (ask, { fetch, counters }) => {
      await fetch(ask({ path: '/head' })).then(
        () => assert.unreachable(),
        (error) => assert.equal([error.fault, error.code], ['reset', 11]),
      );
      assert.is((await seen(fetch(ask()))).body, 'ok');
      assert.is(counters.connections, 1);
    },
  ));

for (const [name, method] of [
  ['a GET', 'GET'],
  ['a POST, whose body is sent again', 'POST'],
])
  test(`a refused stream is sent again: ${name}`, () => {
    let turns = 0;
    return withHttp2(
      (stream) => {
        if (turns++ === 0) stream.close(7);
        else if (method === 'GET') OK(stream, {});
        else {
          stream.respond({ ':status': 200 });
          stream.pipe(stream);
        }
      },
      async (ask, { fetch, counters }) => {
        const body = method === 'GET' ? NO_BODY : bodyOf(['o', 'k'], undefined);
        assert.is((await seen(fetch(ask({ method, body })))).body, 'ok');
        assert.equal([turns, counters.retries], [2, 1]);
      },
    );
  });

test('a refusal is final when the body is long, or after three', () => {
  let turns = 0;
  return withHttp2(
    (stream) => {
      turns++;
      stream.on('data', () => {});
      stream.on('end', () => stream.close(7));
    },
    async (ask, { fetch }) => {
      const long = bodyOf(['x'.repeat(30_000)], 30_000);
      assert.is(await faultOf(fetch(ask({ method: 'POST', body: long }))), 'reset');
      assert.is(turns, 1);
      assert.is(await faultOf(fetch(ask())), 'reset');
      assert.is(turns, 5);
    },
  );
});

test('GOAWAY: open streams end there, the next request uses another connection', () => {
  let first: ServerHttp2Stream | undefined;
  return withHttp2(
    (stream) => {
      if (first === undefined) {
        first = stream;
        stream.respond({ ':status': 200 });
        stream.write('a');
      } else OK(stream, {});
    },
    async (ask, { fetch, counters }, origin) => {
      const { body } = await fetch(ask());
      first!.session!.goaway(0, 2 ** 31 - 1);
      await until(() => counters.open === 1, 'idle lanes are gone');
      await new Promise((done) => setTimeout(done, 20));
      assert.is((await seen(fetch(ask()))).body, 'ok');
      assert.is(origin.sessions, 2);
      first!.end('b');
      assert.is(await bodyText(body), 'ab');
    },
  );
});

test('a connection that breaks: only safe requests are sent again', () => {
  let turns = 0;
  return withHttp2(
    (stream, headers) => {
      if (headers[':path'] === '/break' && turns++ === 0) stream.session!.destroy();
      else OK(stream, {});
    },
    async (ask, { fetch }) => {
      await seen(fetch(ask()));
      assert.is((await seen(fetch(ask({ path: '/break' })))).body, 'ok');
      turns = 0;
      assert.is(await faultOf(fetch(ask({ path: '/break', method: 'POST' }))), 'reset');
    },
  );
});

test('deadlines: for the head, and for the whole of an exchange', () =>
  withHttp2(
    (stream, headers) => {
      if (headers[':path'] === '/head') return;
      stream.respond({ ':status': 200 });
      const timer = setInterval(() => stream.write('a'), 20);
      stream.on('close', () => clearInterval(timer));
    },
    async (ask, { fetch }) => {
      assert.is(await faultOf(fetch(ask({ path: '/head' }))), 'header-timeout');
      assert.is(await faultOf(fetch(ask({ path: '/head', isConversation: true, deadlineMs: 50 }))), 'header-timeout');
      const { body } = await fetch(ask({ deadlineMs: 100 }));
      assert.is(await faultOf(bodyText(body)), 'header-timeout');
    },
    {},
    { limits: { headerTimeout: 200 } },
  ));

test('a response that is whole before its request ends the request', () => {
  const codes: number[] = [];
  return withHttp2(
    (stream) => {
      stream.on('close', () => codes.push(stream.rstCode));
      stream.respond({ ':status': 200 });
      stream.end('ok');
    },
    async (ask, { fetch }) => {
      let isDiscarded = false;
      const queue = new BodyQueue({ onFirstRead: () => {}, onTaken: () => {} }, undefined);
      const body = { length: undefined, trailers: [], read: () => queue.read(), discard: () => (isDiscarded = true) };
      assert.is((await seen(fetch(ask({ method: 'POST', body })))).body, 'ok');
      await until(() => isDiscarded, 'the rest of the body is dropped');
      await until(() => codes.length === 1, 'reset');
      assert.equal(codes, [0]);
    },
  );
});

test('an invalid request is a TypeError, and the connection stays open', () =>
  withHttp2(OK, async (ask, { fetch, counters }) => {
    for (const more of [{ method: 'A B' }, { path: 'a' }, { authority: 'a b' }, { headers: ['x', 'a\r\nb'] }])
      assert.match(await faultOf(fetch(ask(more))), 'TypeError');
    assert.is((await seen(fetch(ask()))).body, 'ok');
    assert.is(counters.connections, 1);
  }));

test('idle lanes and their connection go', () =>
  withHttp2(
    OK,
    async (ask, { fetch, counters }) => {
      await seen(fetch(ask()));
      assert.is(counters.open, 1);
      await until(() => counters.open === 0, 'closed');
    },
    {},
    { limits: { keepAlive: 50 } },
  ));

test.run();
