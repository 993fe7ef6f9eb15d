/**
 * A session from its preface to its end: requests and responses, bodies both ways, tunnels, and
 * what a handler may do.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AbortError, type Exchange } from '../../../../edge/http/exchange/exchange.ts';
import { ReadyAnswer } from '../../../../edge/http/exchange/ready-answer.ts';
import { ERROR_CODE, FLAG, FRAME, PREFACE } from '../../../../edge/http/http2/protocol.ts';
import {
  data,
  type Frame,
  frame,
  GET,
  goawayCode,
  headers,
  ofType,
  POST,
  ping,
  Rig,
  reset,
  resetCode,
  SETTINGS_ACK,
  settings,
  windowUpdate,
} from './rig.ts';

const READY = new ReadyAnswer(200, ['content-type', 'text/plain'], Buffer.from('hello'));
const answer = (exchange: Exchange): void => exchange.answer(READY);
const text = (frames: readonly Frame[], streamId: number): string =>
  Buffer.concat(
    ofType(frames, FRAME.DATA)
      .filter((received) => received.streamId === streamId)
      .map((received) => received.payload),
  ).toString();
const isEnd = (received: Frame): boolean => (received.flags & FLAG.END_STREAM) !== 0;

/** All of a body, as text. */
async function bodyOf(exchange: Exchange): Promise<string> {
  const parts: Uint8Array[] = [];
  for (let part = await exchange.body.read(); part !== null; part = await exchange.body.read()) parts.push(part);
  return Buffer.concat(parts).toString();
}

test('the server sends SETTINGS and the session window first', async () => {
  const rig = new Rig({ isSilent: true, limits: { sessionWindow: 65_535 + 1000 } });
  const [first, second, ...rest] = await rig.frames();
  assert.equal([first.type, first.flags, first.streamId], [FRAME.SETTINGS, 0, 0]);
  assert.equal([second.type, second.streamId, second.payload.readUInt32BE()], [FRAME.WINDOW_UPDATE, 0, 1000]);
  assert.is(rest.length, 0);
  rig.send(PREFACE, settings([4, 10]));
  assert.equal(
    (await rig.frames()).map((received) => [received.type, received.flags]),
    [[FRAME.SETTINGS, FLAG.ACK]],
  );
});

test('many requests of one read leave in one write', async () => {
  const rig = new Rig({ handler: answer });
  await rig.frames();
  const before = rig.transport.writes.length;
  rig.send(headers(1), headers(3), headers(5), ping());
  const frames = await rig.frames();
  assert.is(rig.transport.writes.length, before + 1);
  assert.is(ofType(frames, FRAME.HEADERS).length, 3);
  assert.equal(
    [1, 3, 5].map((id) => text(frames, id)),
    ['hello', 'hello', 'hello'],
  );
  assert.is(ofType(frames, FRAME.PING)[0].flags, FLAG.ACK);
  assert.is(rig.session.streams.count, 0);
});

test('responses that become ready in one turn leave in one write', async () => {
  const rig = new Rig();
  rig.send(headers(1), headers(3), headers(5));
  await rig.frames();
  const before = rig.transport.writes.length;
  for (const exchange of rig.exchanges) answer(exchange);
  assert.is(ofType(await rig.frames(), FRAME.DATA).length, 3);
  assert.is(rig.transport.writes.length, before + 1);
});

test('a ready answer has a date and a length, and is encoded once', async () => {
  const ready = new ReadyAnswer(200, ['content-type', 'text/plain'], Buffer.from('hello'));
  const rig = new Rig({ handler: (exchange) => exchange.answer(ready) });
  rig.send(headers(1));
  const [first] = ofType(await rig.frames(), FRAME.HEADERS);
  const fields = rig.fields(first);
  assert.equal(fields.slice(0, 6), [':status', '200', 'content-type', 'text/plain', 'content-length', '5']);
  assert.is(fields[6], 'date');
  assert.ok(Math.abs(Date.parse(fields[7]) - Date.now()) < 60_000);
  const kept = ready.encoded.http2;
  rig.send(headers(3));
  await rig.frames();
  assert.is(ready.encoded.http2, kept);
});

test('HEAD, 204 and 304 have no body, and the right content-length', async () => {
  const rows: readonly [string, number, string][] = [
    ['HEAD', 200, '5'],
    ['GET', 204, ''],
    ['GET', 304, ''],
  ];
  for (const [method, status, length] of rows) {
    const ready = new ReadyAnswer(status, [], Buffer.from('hello'));
    const rig = new Rig({
      handler(exchange) {
        if (exchange.path === '/ready') return exchange.answer(ready);
        exchange.respond(status, []);
        assert.is(exchange.write(Buffer.from('hello')), true);
        exchange.end(Buffer.from('more'));
      },
    });
    for (const [id, path] of [
      [1, '/ready'],
      [3, '/'],
    ] as const) {
      rig.send(headers(id, [':method', method, ...GET.slice(2, 6), ':path', path]));
      const frames = await rig.frames();
      const [head] = ofType(frames, FRAME.HEADERS);
      assert.is(isEnd(head), true, `${method} ${status} ${path}`);
      assert.is(ofType(frames, FRAME.DATA).length, 0);
      if (id === 1) assert.is(rig.field(head, 'content-length'), length);
    }
    assert.is(rig.session.streams.count, 0);
  }
});

test('a streamed response: informational heads, parts, trailers', async () => {
  const rig = new Rig();
  rig.send(headers(1));
  const [exchange] = rig.exchanges;
  exchange.inform(103, ['link', '</a>']);
  exchange.respond(200, ['content-length', '6', 'connection', 'close']);
  exchange.write(Buffer.from('abc'));
  exchange.end(Buffer.from('def'), ['x-sum', '1']);
  const frames = await rig.frames();
  const heads = ofType(frames, FRAME.HEADERS);
  assert.equal(rig.fields(heads[0]), [':status', '103', 'link', '</a>']);
  const final = rig.fields(heads[1]);
  assert.equal([final[1], final.includes('connection'), final.includes('date')], ['200', false, true]);
  assert.equal(rig.fields(heads[2]), ['x-sum', '1']);
  assert.equal(heads.map(isEnd), [false, false, true]);
  assert.is(text(frames, 1), 'abcdef');
  assert.is(exchange.isEnded, true);
});

test('more or less than its content-length resets the stream', async () => {
  for (const [length, part] of [
    ['2', 'abc'],
    ['4', 'abc'],
  ]) {
    const rig = new Rig({
      handler(exchange) {
        exchange.respond(200, ['content-length', length]);
        exchange.end(Buffer.from(part));
      },
    });
    rig.send(headers(1));
    assert.is(resetCode(await rig.frames()), ERROR_CODE.INTERNAL_ERROR);
    assert.is(rig.counters.get('stream_failed'), 1);
  }
});

test('an invalid field is an error of the caller', () => {
  const rig = new Rig();
  rig.send(headers(1));
  const [exchange] = rig.exchanges;
  assert.throws(() => exchange.respond(200, ['a b', '']), /No header field/);
  assert.throws(() => exchange.respond(200, ['a', 'b\r\n']), /No header field/);
  assert.throws(() => exchange.respond(200, [':status', '200']), /No header field/);
  assert.throws(() => exchange.respond(101, []), /No final status/);
  assert.throws(() => exchange.respond(200, ['content-length', '1', 'content-length', '2']), /No content-length/);
  assert.throws(() => exchange.inform(200, []), /No informational status/);
  assert.throws(() => exchange.write(Buffer.from('a')), /before its head/);
  exchange.respond(200, []);
  assert.throws(() => exchange.respond(200, []), /its head already/);
});

test('a request body is pulled, and its trailers arrive with the end', async () => {
  const rig = new Rig();
  rig.send(headers(1, POST, false), data(1, 'ab'));
  const [exchange] = rig.exchanges;
  const body = bodyOf(exchange);
  rig.send(data(1, 'cd'), headers(1, ['x-sum', '9'], true));
  assert.is(await body, 'abcd');
  assert.equal(exchange.body.trailers, ['x-sum', '9']);
  assert.is(exchange.body.length, undefined);
});

test('both windows open as the handler reads, for padding at once', async () => {
  const rig = new Rig({ limits: { streamWindow: 1000, sessionWindow: 65_535 } });
  await rig.frames();
  rig.send(headers(1, POST, false), data(1, Buffer.alloc(600)));
  assert.is(ofType(await rig.frames(), FRAME.WINDOW_UPDATE).length, 0);
  const [exchange] = rig.exchanges;
  await exchange.body.read();
  const [update, ...rest] = ofType(await rig.frames(), FRAME.WINDOW_UPDATE);
  assert.equal([update.streamId, update.payload.readUInt32BE(), rest.length], [1, 600, 0]);
  // 500 bytes, of them 249 and one that are padding.
  for (let i = 0; i < 3; i++)
    rig.send(frame(FRAME.DATA, FLAG.PADDED, 1, Buffer.concat([Buffer.from([249]), Buffer.alloc(250)])));
  const given = ofType(await rig.frames(), FRAME.WINDOW_UPDATE);
  assert.is(given.length, 1);
  assert.is(given[0].payload.readUInt32BE(), 500);
});

test('exceeding the window resets the stream, and returns its bytes to the session', async () => {
  const rig = new Rig({ limits: { streamWindow: 30_000, sessionWindow: 65_535 } });
  rig.send(headers(1, POST, false), data(1, Buffer.alloc(16_000)), data(1, Buffer.alloc(14_001)));
  const frames = await rig.frames();
  assert.is(resetCode(frames), ERROR_CODE.FLOW_CONTROL_ERROR);
  await rig.exchanges[0].body.read().then(
    () => assert.unreachable(),
    (error: unknown) => assert.instance(error, AbortError),
  );
  // 30,001 of 65,535: less than half is owed, so nothing is announced, but no more than that is
  // missing.
  assert.is(rig.session.streams.receiveWindow.give(2767), 32_768);
});

test('content-length and DATA: more, less, and equal', async () => {
  const post = [...POST, 'content-length', '4'];
  const rows: readonly [string, readonly Buffer[], number][] = [
    ['just so', [data(1, 'ab'), data(1, 'cd', true)], -1],
    ['more', [data(1, 'abcde')], ERROR_CODE.PROTOCOL_ERROR],
    ['less', [data(1, 'abc', true)], ERROR_CODE.PROTOCOL_ERROR],
    ['less, then trailers', [data(1, 'abc'), headers(1, ['a', 'b'])], ERROR_CODE.PROTOCOL_ERROR],
  ];
  for (const [name, parts, code] of rows) {
    const rig = new Rig();
    rig.send(headers(1, post, false), ...parts);
    assert.is(resetCode(await rig.frames()), code, name);
  }
});

test('100 (Continue) is sent when the body is read, and not if it has arrived', async () => {
  const post = [...POST, 'expect', '100-continue'];
  const rig = new Rig();
  rig.send(headers(1, post, false));
  void rig.exchanges[0].body.read();
  assert.equal(rig.fields(ofType(await rig.frames(), FRAME.HEADERS)[0]), [':status', '100']);
  rig.send(headers(3, post, false), data(3, 'a'));
  void rig.exchanges[1].body.read();
  assert.is(ofType(await rig.frames(), FRAME.HEADERS).length, 0);
});

test('a response that is complete before its request: the client can read it before the reset', async () => {
  const rig = new Rig({ handler: answer, limits: { lingerTimeout: 2_000 } });
  rig.send(headers(1, POST, false), data(1, 'a'));
  const frames = await rig.frames();
  assert.is(text(frames, 1), 'hello');
  assert.is(resetCode(frames), -1);
  rig.clock.advance(1);
  rig.send(data(1, 'b'));
  for (const code of [-1, -1, ERROR_CODE.NO_ERROR]) {
    rig.clock.advance(1);
    assert.is(resetCode(await rig.frames()), code);
  }
  rig.send(data(1, 'c', true));
  assert.equal(await rig.frames(), []);
});

test('after its response a request can be completed, and is not reset', async () => {
  const rig = new Rig({ handler: answer, limits: { streamWindow: 1000 } });
  rig.send(headers(1, POST, false));
  await rig.frames();
  for (let i = 0; i < 20; i++) {
    rig.send(data(1, Buffer.alloc(1000)));
    assert.is(ofType(await rig.frames(), FRAME.WINDOW_UPDATE).at(-1)?.streamId, 1);
    rig.clock.advance(1);
  }
  rig.send(headers(3, POST, false));
  await rig.frames();
  for (const [id, end] of [
    [1, 'end'],
    [3, ''],
  ] as const) {
    rig.send(data(id, end, true));
    assert.equal(
      (await rig.frames()).map(({ type, streamId }) => [type, streamId]),
      [[FRAME.WINDOW_UPDATE, id]],
      'curl 7.88 waits for a frame',
    );
  }
  assert.is(rig.session.isIdle, true);
});

test('a request that goes on after its response is reset past a limit of bytes, or of time', async () => {
  const limits = { streamWindow: 1000, lingerBytes: 5000, lingerTimeout: 2_000, lingerDuration: 10_000 };
  for (const isFast of [true, false]) {
    const rig = new Rig({ handler: answer, limits });
    rig.send(headers(1, POST, false));
    await rig.frames();
    let seconds = 0;
    let bytes = 0;
    let window = 1000;
    for (let code = -1; code < 0; seconds++) {
      const length = Math.min(isFast ? 1000 : 1, window);
      if (length > 0) rig.send(data(1, Buffer.alloc(length)));
      bytes += length;
      window -= length;
      rig.clock.advance(1);
      const frames = await rig.frames();
      code = resetCode(frames);
      for (const update of ofType(frames, FRAME.WINDOW_UPDATE))
        if (update.streamId === 1) window += update.payload.readUInt32BE();
      assert.ok(seconds < 100);
    }
    if (isFast) assert.ok(bytes > 5000 && bytes < 8000, `${bytes} bytes`);
    else assert.is(seconds, 10);
  }
});

test('a response that begins before a long request has ended has no content-length', async () => {
  for (const [length, isSent] of [
    ['1000', true],
    ['100000000', false],
  ] as const) {
    const rig = new Rig();
    for (const [i, id] of [1, 3].entries()) {
      rig.send(headers(id, [...POST, 'content-length', length], false));
      if (i === 0) rig.exchanges[i].answer(new ReadyAnswer(413, [], Buffer.from('hello')));
      else {
        rig.exchanges[i].respond(413, ['content-length', '5']);
        rig.exchanges[i].end(Buffer.from('hello'));
      }
      const frames = await rig.frames();
      assert.is(rig.fields(ofType(frames, FRAME.HEADERS)[0]).includes('content-length'), isSent);
      assert.is(text(frames, id), 'hello');
    }
  }
});

test('a request that ends in the same read as it is answered is not reset', async () => {
  const rig = new Rig({ handler: answer });
  rig.send(headers(1, POST, false), data(1, 'a', true));
  assert.is(resetCode(await rig.frames()), -1);
});

test('a reset by the client: the handler is notified once, writes are dropped, the body fails', async () => {
  const rig = new Rig();
  const heard: string[] = [];
  rig.send(headers(1, POST, false));
  const [exchange] = rig.exchanges;
  exchange.onAbort((cause) => heard.push(cause));
  const read = exchange.body.read();
  rig.send(reset(1));
  assert.equal(heard, ['client']);
  assert.is(exchange.isEnded, true);
  exchange.respond(200, []);
  assert.is(exchange.write(Buffer.from('a')), true);
  exchange.end();
  exchange.abort();
  await read.then(
    () => assert.unreachable(),
    (error: unknown) => assert.is((error as AbortError).reason, 'client'),
  );
  assert.equal(ofType(await rig.frames(), FRAME.RST_STREAM), []);
  assert.equal(heard, ['client']);
});

test('a late end listener is still called', async () => {
  const rig = new Rig();
  rig.send(headers(1), reset(1));
  const cause = await new Promise((done) => rig.exchanges[0].onAbort(done));
  assert.is(cause, 'client');
});

test('an abort by the handler resets the stream, and does not notify the handler', async () => {
  const rig = new Rig();
  rig.send(headers(1));
  let heard = 0;
  rig.exchanges[0].onAbort(() => heard++);
  rig.exchanges[0].abort();
  assert.is(resetCode(await rig.frames()), ERROR_CODE.INTERNAL_ERROR);
  assert.is(heard, 0);
});

test('a handler that throws: 500, or a reset once the head has left', async () => {
  for (const isAsync of [false, true]) {
    const fail = (): void => {
      throw new Error('broken');
    };
    const rig = new Rig({
      handler(exchange) {
        if (exchange.path === '/late') exchange.respond(200, []);
        return isAsync ? Promise.resolve().then(fail) : fail();
      },
    });
    rig.send(headers(1));
    assert.is(rig.field(ofType(await rig.frames(), FRAME.HEADERS)[0], ':status'), '500');
    rig.send(headers(3, [...GET.slice(0, 6), ':path', '/late']));
    assert.is(resetCode(await rig.frames()), ERROR_CODE.INTERNAL_ERROR);
    assert.is(rig.errors.length, 2);
    assert.is(rig.session.isOpen, true);
  }
});

test('listeners that throw end their exchange alone', async () => {
  const rig = new Rig();
  rig.send(headers(1), headers(3));
  const [first, second] = rig.exchanges;
  const fail = (): void => {
    throw new Error('broken');
  };
  first.onAbort(fail);
  second.respond(200, []);
  second.onDrain(fail);
  while (second.write(Buffer.alloc(40_000)));
  rig.send(reset(1), windowUpdate(0, 1 << 20), windowUpdate(3, 1 << 20));
  assert.is(resetCode(await rig.frames()), ERROR_CODE.INTERNAL_ERROR);
  assert.is(rig.errors.length, 2);
  assert.is(rig.session.isOpen, true);
});

test('a tunnel carries both directions, each with its own end', async () => {
  const rig = new Rig();
  rig.send(headers(1, [':method', 'CONNECT', ...GET.slice(2), ':protocol', 'websocket'], false));
  const [exchange] = rig.exchanges;
  assert.equal([exchange.method, exchange.protocol, exchange.path], ['CONNECT', 'websocket', '/']);
  exchange.upgrade(['sec-websocket-protocol', 'x']);
  exchange.write(Buffer.from('out'));
  rig.send(data(1, 'in'));
  assert.is(Buffer.from((await exchange.body.read()) ?? []).toString(), 'in');
  exchange.end();
  const frames = await rig.frames();
  assert.is(rig.field(ofType(frames, FRAME.HEADERS)[0], ':status'), '200');
  assert.is(text(frames, 1), 'out');
  assert.is(resetCode(frames), -1);
  assert.is(rig.session.streams.count, 1);
  rig.send(data(1, '', true));
  assert.is(rig.session.streams.count, 0);
});

test('a request without any authority is answered 400, one too large 431, both without a handler', async () => {
  const rig = new Rig({ limits: { maxHeaderCount: 6 } });
  rig.send(headers(1, [...GET.slice(0, 4), ':path', '/']));
  rig.send(headers(3, [...GET, 'a', '1', 'b', '2', 'c', '3']));
  const heads = ofType(await rig.frames(), FRAME.HEADERS);
  assert.equal(
    heads.map((head) => rig.field(head, ':status')),
    ['400', '431'],
  );
  assert.is(rig.exchanges.length, 0);
  assert.equal([rig.counters.get('bad_requests'), rig.counters.get('header_lists_too_large')], [1, 1]);
});

test('crumbs of a cookie count as the one field that they become, and by their size', async () => {
  const rig = new Rig({ limits: { maxHeaderCount: 6, maxHeaderListSize: 2000 } });
  const crumbs = (count: number): string[] => Array.from({ length: count }, (_, i) => ['cookie', `c=${i}`]).flat();
  rig.send(headers(1, [...GET, ...crumbs(20), 'a', '1']));
  rig.send(headers(3, [...GET, ...crumbs(20), 'a', '1', 'b', '2']));
  rig.send(headers(5, [...GET, ...crumbs(60)]));
  const heads = ofType(await rig.frames(), FRAME.HEADERS);
  assert.equal(
    heads.map((head) => [head.streamId, rig.field(head, ':status')]),
    [
      [3, '431'],
      [5, '431'],
    ],
  );
  assert.is(rig.exchanges.length, 1);
  assert.equal(rig.exchanges[0].headers.filter((header) => header === 'cookie').length, 1);
});

test('heads larger than a frame continue in CONTINUATION', async () => {
  const value = 'v'.repeat(20_000);
  const rig = new Rig();
  rig.send(headers(1), headers(3));
  rig.exchanges[0].respond(200, ['x-a', value, 'x-b', value]);
  rig.exchanges[1].answer(new ReadyAnswer(200, ['x-a', value, 'x-b', value], Buffer.from('a')));
  const frames = await rig.frames();
  for (const id of [1, 3]) {
    const parts = frames.filter((received) => received.streamId === id && received.type !== FRAME.DATA);
    assert.is(parts[0].type, FRAME.HEADERS);
    assert.ok(parts.slice(1).every((part) => part.type === FRAME.CONTINUATION));
    assert.equal(
      parts.map((part) => part.flags & FLAG.END_HEADERS),
      [...parts.slice(1).map(() => 0), FLAG.END_HEADERS],
    );
    assert.ok(parts.every((part) => part.payload.length <= 16_384));
    const whole = { ...parts[0], payload: Buffer.concat(parts.map((part) => part.payload)) };
    assert.is(rig.field(whole, 'x-b'), value);
  }
});

test('a broken or ended connection aborts open streams and its timers', async () => {
  for (const how of ['close', 'end'] as const) {
    const rig = new Rig();
    const heard: string[] = [];
    rig.send(headers(1));
    rig.exchanges[0].onAbort((cause) => heard.push(cause));
    if (how === 'end') rig.transport.endByClient();
    else rig.transport.close();
    assert.equal(heard, ['client']);
    await rig.frames();
    if (how === 'end') {
      assert.is(rig.transport.isEnded, true);
      rig.transport.close();
    }
    assert.is(rig.closes, 1);
    assert.is(rig.clock.count, 0);
  }
});

test('destroy sends its reason, and ends all streams', async () => {
  const rig = new Rig();
  const heard: string[] = [];
  rig.send(headers(1));
  rig.exchanges[0].onAbort((cause) => heard.push(cause));
  rig.session.destroy(ERROR_CODE.INTERNAL_ERROR);
  assert.is(goawayCode(await rig.frames()), ERROR_CODE.INTERNAL_ERROR);
  assert.equal(heard, ['drain']);
  assert.is(rig.transport.isEnded, true);
});

test('a broken preface, and one that is not followed by SETTINGS', async () => {
  for (const bytes of [
    Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    Buffer.concat([PREFACE, ping()]),
    Buffer.concat([PREFACE, SETTINGS_ACK]),
  ]) {
    const rig = new Rig({ isSilent: true });
    rig.send(bytes);
    assert.is(goawayCode(await rig.frames()), ERROR_CODE.PROTOCOL_ERROR);
    assert.is(rig.counters.get('session_bad_preface'), 1);
    assert.is(rig.transport.isEnded, true);
  }
});

test.run();
