/** What arrives at the origin, byte by byte, and what does not leave at all. */

import type { Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NO_BODY } from '../../../edge/http/exchange/body-queue.ts';
import type { OriginRequest } from '../../../edge/origin/origin.ts';
import { headText, requestHead } from '../../../edge/origin/request-head.ts';
import { until } from '../../support/until.ts';
import { bodyOf, bodyText, faultOf, OK, request, type Script, saying, seen, withOrigin } from './rig.ts';

const HEAD = 'host: site.test\r\n';
type Row = readonly [name: string, request: Partial<OriginRequest>, bytes: string];
const SENT: readonly Row[] = [
  ['GET', {}, `GET / HTTP/1.1\r\n${HEAD}\r\n`],
  [
    'fields in their order',
    { headers: ['b', '1', 'a', '2', 'b', '3'] },
    `GET / HTTP/1.1\r\n${HEAD}b: 1\r\na: 2\r\nb: 3\r\n\r\n`,
  ],
  ['OPTIONS *', { method: 'OPTIONS', path: '*' }, `OPTIONS * HTTP/1.1\r\n${HEAD}\r\n`],
  ['POST without a body', { method: 'POST' }, `POST / HTTP/1.1\r\n${HEAD}content-length: 0\r\n\r\n`],
  ['DELETE without a body', { method: 'DELETE' }, `DELETE / HTTP/1.1\r\n${HEAD}\r\n`],
  [
    'a body of a known length',
    { method: 'POST', body: bodyOf(['abc', 'de'], 5) },
    `POST / HTTP/1.1\r\n${HEAD}content-length: 5\r\n\r\nabcde`,
  ],
  [
    'a body of an unknown length',
    { method: 'PUT', body: bodyOf(['abc', '', 'x'.repeat(17)], undefined) },
    `PUT / HTTP/1.1\r\n${HEAD}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n11\r\n${'x'.repeat(17)}\r\n0\r\n\r\n`,
  ],
  [
    'a body of an unknown length that is empty',
    { method: 'POST', body: bodyOf([], undefined) },
    `POST / HTTP/1.1\r\n${HEAD}transfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    // An origin that leaves it unread would take it for the next request (RFC 9110 section 9.3.1).
    'a body that the method gives no meaning, as the last on its connection',
    { method: 'GET', body: bodyOf([], undefined) },
    `GET / HTTP/1.1\r\n${HEAD}connection: close\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    'trailers, without those that frame',
    {
      method: 'POST',
      body: Object.assign(bodyOf(['a'], undefined), {
        trailers: ['x-sum', '1', 'content-length', '9', 'transfer-encoding', 'x'],
      }),
    },
    `POST / HTTP/1.1\r\n${HEAD}transfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\nx-sum: 1\r\n\r\n`,
  ],
  [
    'fields of the client are sent once',
    {
      method: 'POST',
      body: bodyOf(['a'], 1),
      headers: [
        'host',
        'evil.test',
        'content-length',
        '99',
        'transfer-encoding',
        'chunked',
        'connection',
        'a',
        'keep-alive',
        '1',
        'expect',
        '100-continue',
        'upgrade',
        'h2c',
        'a',
        'b',
      ],
    },
    `POST / HTTP/1.1\r\n${HEAD}a: b\r\ncontent-length: 1\r\n\r\na`,
  ],
  ['te: trailers', { headers: ['te', 'trailers'] }, `GET / HTTP/1.1\r\n${HEAD}connection: te\r\nte: trailers\r\n\r\n`],
  ['te: gzip', { headers: ['te', 'gzip'] }, `GET / HTTP/1.1\r\n${HEAD}\r\n`],
  ['obs-text', { headers: ['a', 'caf\xe9'] }, `GET / HTTP/1.1\r\n${HEAD}a: caf\xe9\r\n\r\n`],
];

for (const [name, more, bytes] of SENT)
  test(`sent: ${name}`, () =>
    withOrigin(
      (socket) => socket.once('data', () => {}),
      async (origin, { fetch }) => {
        const outcome = faultOf(fetch(request(origin.port, more)));
        await until(() => (origin.received[0]?.length ?? 0) >= bytes.length, 'all has come');
        assert.is(origin.received[0], bytes);
        for (const socket of origin.sockets) socket.destroy();
        assert.is(await outcome, 'reset');
      },
    ));

const UNCLEAN: readonly (readonly [string, Partial<OriginRequest>])[] = [
  ['CR LF in a value', { headers: ['a', 'b\r\nx: y'] }],
  ['CR in a value', { headers: ['a', 'b\rc'] }],
  ['LF in a value', { headers: ['a', 'b\nc'] }],
  ['NUL in a value', { headers: ['a', 'b\0c'] }],
  ['what Latin-1 would turn into LF', { headers: ['a', 'b\u010ac'] }],
  ['what Latin-1 would turn into CR', { headers: ['a', 'b\u010dc'] }],
  ['a blank at the end of a value', { headers: ['a', 'b '] }],
  ['a name with a colon', { headers: ['a: b', 'c'] }],
  ['a name with LF', { headers: ['a\n', 'c'] }],
  ['a name in upper case', { headers: ['A', 'c'] }],
  ['an empty name', { headers: ['', 'c'] }],
  ['a name without a value', { headers: ['a'] }],
  ['LF in the path', { path: '/ HTTP/1.1\nx: y' }],
  ['a blank in the path', { path: '/a b' }],
  ['an absolute form', { path: 'http://other.test/' }],
  ['an empty path', { path: '' }],
  ['a path beyond ASCII', { path: '/\xe9' }],
  ['a blank in the method', { method: 'GET /x' }],
  ['an empty method', { method: '' }],
  ['CONNECT', { method: 'CONNECT', path: '/' }],
  ['CR LF in the authority', { authority: 'a\r\nx: y' }],
  ['an empty authority', { authority: '' }],
  ['user information', { authority: 'a@b' }],
  ['CR LF in the protocol', { protocol: 'websocket\r\nx: y' }],
  ['a negative length', { body: { ...NO_BODY, length: -1 } }],
  ['a length that is no number', { body: { ...NO_BODY, length: Number.NaN } }],
];

for (const [name, more] of UNCLEAN)
  test(`never sent: ${name}`, async () => {
    assert.throws(
      () => headText(requestHead(request(1, more))),
      (error: Error) => error instanceof TypeError,
    );
    await withOrigin(saying(OK), async (origin, { fetch }) => {
      assert.match(await faultOf(fetch(request(origin.port, more))), /TypeError/);
      assert.is(origin.accepted, 0, 'nothing was connected');
    });
  });

test('head and a small body are sent in one write', () =>
  withOrigin(saying(OK), async (origin, { fetch }) => {
    const sizes: number[] = [];
    await seen(fetch(request(origin.port)));
    for (const socket of origin.sockets) socket.on('data', (data) => sizes.push(data.length));
    await seen(fetch(request(origin.port, { method: 'POST', body: bodyOf(['abc'], 3) })));
    assert.is(sizes.length, 1);
  }));

test('a body longer than its length is cut before the surplus', () =>
  withOrigin(
    () => {},
    async (origin, { fetch }) => {
      const fault = await faultOf(fetch(request(origin.port, { method: 'POST', body: bodyOf(['abc', 'GET /'], 4) })));
      assert.is(fault, 'aborted');
      await until(() => origin.sockets.size === 0, 'closed');
      assert.ok(origin.received[0].endsWith('\r\n\r\nabc'), origin.received[0]);
    },
  ));

test('a body shorter than its length breaks off', () =>
  withOrigin(
    () => {},
    async (origin, { fetch }) => {
      assert.is(await faultOf(fetch(request(origin.port, { method: 'POST', body: bodyOf(['abc'], 4) }))), 'aborted');
      await until(() => origin.sockets.size === 0, 'closed');
    },
  ));

test('a visitor who disconnects within a body: no end is sent', () =>
  withOrigin(
    () => {},
    async (origin, { fetch }) => {
      const body = bodyOf(['abc', new Error('gone')], undefined);
      assert.is(await faultOf(fetch(request(origin.port, { method: 'POST', body }))), 'aborted');
      await until(() => origin.sockets.size === 0, 'closed');
      assert.ok(origin.received[0].endsWith('3\r\nabc\r\n'), origin.received[0]);
    },
  ));

test('a large body is pulled as the origin takes it', () =>
  withOrigin(
    (socket) => socket.pause(),
    async (origin, { fetch }) => {
      const part = 'x'.repeat(65_536);
      const body = bodyOf(
        Array.from({ length: 1000 }, () => part),
        1000 * 65_536,
      );
      const outcome = faultOf(fetch(request(origin.port, { method: 'POST', body })));
      await until(() => body.taken > 0, 'begun');
      let before = -1;
      for (; body.taken > before; await new Promise((done) => setTimeout(done, 100))) before = body.taken;
      assert.ok(body.taken < 500, `stopped at ${body.taken}`);
      for (const socket of origin.sockets) socket.resume();
      await until(() => body.taken === 1000, 'goes on');
      for (const socket of origin.sockets) socket.destroy();
      assert.is(await outcome, 'reset');
    },
  ));

test('a refusal before the body is whole is delivered, the body dropped, the connection closed', () =>
  withOrigin(saying('HTTP/1.1 413 No\r\ncontent-length: 2\r\n\r\nno'), async (origin, { fetch }) => {
    const never = new Promise<null>(() => {});
    const body = { ...bodyOf([], 1_000_000), read: () => never };
    let isDiscarded = false;
    body.discard = () => {
      isDiscarded = true;
    };
    const { status, body: text } = await seen(fetch(request(origin.port, { method: 'POST', body })));
    assert.equal([status, text], [413, 'no']);
    assert.ok(isDiscarded);
    await until(() => origin.sockets.size === 0, 'closed');
  }));

test('a refusal is delivered although the origin closed at once and further writes met a reset', () =>
  withOrigin(
    (socket) => {
      socket.write('HTTP/1.1 413 No\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno');
      socket.destroy();
    },
    async (origin, { fetch, counters }) => {
      for (let i = 0; i < 30; i++) {
        const body = bodyOf(
          Array.from({ length: 200 }, () => 'x'.repeat(16_384)),
          undefined,
        );
        const { status, body: text } = await seen(fetch(request(origin.port, { method: 'POST', body })));
        assert.equal([status, text], [413, 'no']);
      }
      assert.is(counters.open, 0);
    },
  ));

test('an origin that closes within an upload without a response', () =>
  withOrigin(
    (socket) => socket.destroy(),
    async (origin, { fetch, counters }) => {
      const body = bodyOf(
        Array.from({ length: 200 }, () => 'x'.repeat(16_384)),
        undefined,
      );
      assert.is(await faultOf(fetch(request(origin.port, { method: 'POST', body }))), 'reset');
      assert.is(counters.open, 0);
    },
  ));

test('an origin that answers with success while it reads gets the whole body', () => {
  const echo: Script = (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n');
    socket.on('data', (data: Buffer) => socket.write(data));
  };
  return withOrigin(echo, async ({ port }, { fetch }) => {
    let resolve: (part: Uint8Array | null) => void = () => {};
    const body = { ...bodyOf([], 6), read: () => new Promise<Uint8Array | null>((done) => (resolve = done)) };
    const response = await fetch(request(port, { method: 'POST', body }));
    resolve(Buffer.from('abc'));
    assert.is(Buffer.from((await response.body.read())!).toString(), 'abc');
    resolve(Buffer.from('def'));
    assert.is(await bodyText(response.body), 'def');
  });
});

test('1xx responses are passed on, in order, before the response', () =>
  withOrigin(
    saying(`HTTP/1.1 103 Early\r\nlink: </a>\r\nconnection: close\r\n\r\nHTTP/1.1 102 P\r\n\r\n${OK}`),
    async ({ port }, { fetch }) => {
      const events: unknown[] = [];
      const response = await seen(
        fetch(request(port, { informs: { onInform: (status, headers) => events.push([status, headers]) } })),
      );
      assert.equal(events, [
        [103, ['link', '</a>']],
        [102, []],
      ]);
      assert.is(response.body, 'ok');
    },
  ));

test('a tunnel: both directions, data behind the 101, and its end', () => {
  const script: Script = (socket: Socket, head) => {
    assert.match(head, /connection: upgrade\r\nupgrade: websocket\r\n/);
    socket.write('HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\nsec-websocket-accept: x\r\n\r\nhello');
    socket.on('data', (data: Buffer) => (data.toString() === 'bye' ? socket.end('end') : socket.write(data)));
  };
  return withOrigin(script, async (origin, { fetch, counters }) => {
    const response = await fetch(request(origin.port, { protocol: 'websocket' }));
    assert.is(response.status, 101);
    assert.equal(response.headers, ['sec-websocket-accept', 'x']);
    assert.is(Buffer.from((await response.body.read())!).toString(), 'hello');
    assert.ok(response.tunnel!.write(Buffer.from('ping')));
    assert.is(Buffer.from((await response.body.read())!).toString(), 'ping');
    response.tunnel!.write(Buffer.from('bye'));
    assert.is(await bodyText(response.body), 'end');
    await until(() => origin.sockets.size === 0 && counters.open === 0, 'closed');
  });
});

test('a tunnel that is destroyed ends both ways', () =>
  withOrigin(
    saying('HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    async (origin, { fetch }) => {
      const { tunnel, body } = await fetch(request(origin.port, { protocol: 'websocket' }));
      const read = faultOf(body.read());
      tunnel!.destroy();
      assert.is(await read, 'aborted');
      await until(() => origin.sockets.size === 0, 'closed');
    },
  ));

test('an upgrade that is refused is a response like any other, and its connection is kept', () =>
  withOrigin(saying(OK), async (origin, { fetch }) => {
    const { status, tunnel, body } = await fetch(request(origin.port, { protocol: 'websocket' }));
    assert.equal([status, tunnel], [200, null]);
    await bodyText(body);
    await seen(fetch(request(origin.port)));
    assert.is(origin.accepted, 1);
  }));

test('a redirect is not followed', () =>
  withOrigin(saying('HTTP/1.1 302 F\r\nlocation: /other\r\ncontent-length: 0\r\n\r\n'), async (origin, { fetch }) => {
    const { status, headers } = await seen(fetch(request(origin.port)));
    assert.equal([status, headers], [302, ['location', '/other', 'content-length', '0']]);
    assert.is(origin.accepted, 1);
  }));

test.run();
