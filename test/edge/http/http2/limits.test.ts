/**
 * What a client may not do for long: floods, slowness, silence; each with its code, its counter,
 * and its one line for the log.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryBudget } from '../../../../edge/http/exchange/client-memory.ts';
import { type AbortCause, AbortError } from '../../../../edge/http/exchange/exchange.ts';
import { ReadyAnswer } from '../../../../edge/http/exchange/ready-answer.ts';
import type { Http2Limits } from '../../../../edge/http/http2/limits.ts';
import { ERROR_CODE, FLAG, FRAME, PREFACE } from '../../../../edge/http/http2/protocol.ts';
import {
  block,
  data,
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
  settings,
  windowUpdate,
  word,
} from './rig.ts';

const CALM = ERROR_CODE.ENHANCE_YOUR_CALM;

/**
 * Frames that are sent repeatedly, and the limit that they meet. `before`: what is sent first.
 */
const FLOODS: readonly {
  readonly name: string;
  readonly limits: Partial<Http2Limits>;
  readonly before?: readonly Buffer[];
  readonly again: (i: number) => Buffer;
  readonly counter: string;
}[] = [
  { name: 'SETTINGS', limits: { settingsBurst: 20 }, again: () => settings([4, 1000]), counter: 'settings_flood' },
  { name: 'PING', limits: { pingBurst: 20 }, again: () => ping(), counter: 'ping_flood' },
  { name: 'PING answers', limits: { pingBurst: 20 }, again: () => ping('12345678', FLAG.ACK), counter: 'ping_flood' },
  {
    name: 'rapid reset',
    limits: { resetBurst: 20 },
    again: (i) => Buffer.concat([headers(2 * i + 1), reset(2 * i + 1)]),
    counter: 'reset_flood',
  },
  {
    name: 'resets that we are made to send',
    limits: { resetBurst: 20 },
    again: (i) => Buffer.concat([headers(2 * i + 1), windowUpdate(2 * i + 1, 0)]),
    counter: 'reset_flood',
  },
  {
    name: 'malformed requests',
    limits: { resetBurst: 20 },
    again: (i) => headers(2 * i + 1, ['a', 'b']),
    counter: 'reset_flood',
  },
  {
    name: 'heads that are too large (431)',
    limits: { resetBurst: 20, maxHeaderListSize: 1000 },
    again: (i) => headers(2 * i + 1, [...GET, 'a', 'b'.repeat(1000)]),
    counter: 'reset_flood',
  },
  {
    name: 'requests that are refused without a handler (400)',
    limits: { resetBurst: 20 },
    again: (i) => headers(2 * i + 1, [...GET.slice(0, 4), ...GET.slice(6)]),
    counter: 'reset_flood',
  },
  {
    name: 'streams beyond the limit',
    limits: { resetBurst: 20, maxConcurrentStreams: 1 },
    again: (i) => headers(2 * i + 1),
    counter: 'reset_flood',
  },
  {
    name: 'HEADERS for a stream that was reset',
    limits: { resetBurst: 20 },
    before: [headers(1, POST, false), reset(1)],
    again: () => headers(1, ['a', 'b']),
    counter: 'reset_flood',
  },
  {
    name: 'empty DATA for a stream that was reset',
    limits: { emptyBurst: 20 },
    before: [headers(1, ['a', 'b'])],
    again: () => data(1, ''),
    counter: 'empty_flood',
  },
  {
    name: 'empty DATA',
    limits: { emptyBurst: 20 },
    before: [headers(1, POST, false)],
    again: () => data(1, ''),
    counter: 'empty_flood',
  },
  { name: 'unknown frames', limits: { emptyBurst: 20 }, again: () => frame(0x55, 0, 0), counter: 'empty_flood' },
  {
    name: 'WINDOW_UPDATE',
    limits: { windowUpdateBurst: 20 },
    again: () => windowUpdate(0, 1),
    counter: 'window_update_flood',
  },
  {
    name: 'PRIORITY',
    limits: { priorityBurst: 20 },
    again: () => frame(FRAME.PRIORITY, 0, 1, [0, 0, 0, 0, 1]),
    counter: 'priority_flood',
  },
  {
    name: 'PRIORITY_UPDATE',
    limits: { priorityBurst: 20 },
    again: () => frame(FRAME.PRIORITY_UPDATE, 0, 0, Buffer.concat([word(1), Buffer.from('u=1')])),
    counter: 'priority_flood',
  },
  {
    name: 'CONTINUATION without bytes',
    limits: { maxContinuations: 20 },
    before: [frame(FRAME.HEADERS, FLAG.END_STREAM, 1, block(GET))],
    again: () => frame(FRAME.CONTINUATION, 0, 1),
    counter: 'continuation_flood',
  },
  {
    name: 'CONTINUATION without end',
    limits: { maxContinuations: 1000, maxHeaderBlock: 20_000 },
    before: [frame(FRAME.HEADERS, FLAG.END_STREAM, 1, block(GET))],
    again: () => frame(FRAME.CONTINUATION, 0, 1, Buffer.alloc(1000)),
    counter: 'continuation_flood',
  },
];

for (const { name, limits, before = [], again, counter } of FLOODS) {
  test(`flood of ${name}`, async () => {
    const rig = new Rig({ limits });
    rig.send(...before);
    for (let i = 0; i < 15; i++) rig.send(again(i));
    assert.is(rig.session.isOpen, true, 'within the burst');
    for (let i = 15; i < 40; i++) rig.send(again(i));
    assert.is(goawayCode(await rig.frames()), CALM);
    assert.is(rig.counters.get(`session_${counter}`), 1);
    assert.is(rig.transport.isEnded, true);
    assert.ok(rig.events.includes(`session_${counter} 1`), rig.events.join());
  });
}

test('WINDOW_UPDATE in response to DATA is no flood', async () => {
  const rig = new Rig({ limits: { windowUpdateBurst: 5 } });
  rig.send(headers(1));
  rig.exchanges[0].respond(200, []);
  for (let i = 0; i < 50; i++) {
    rig.exchanges[0].write(Buffer.alloc(10));
    await rig.frames();
    rig.send(windowUpdate(0, 10), windowUpdate(1, 10));
  }
  assert.is(rig.session.isOpen, true);
});

test('reset streams count until their handler finishes (CVE-2023-44487)', async () => {
  const done: (() => void)[] = [];
  const rig = new Rig({
    limits: { maxConcurrentStreams: 2 },
    handler: () => new Promise<void>((settle) => done.push(settle)),
  });
  rig.send(headers(1), reset(1), headers(3), reset(3), headers(5));
  assert.is(resetCode(await rig.frames()), ERROR_CODE.REFUSED_STREAM);
  assert.is(rig.exchanges.length, 2);
  for (const settle of done) settle();
  await rig.frames();
  rig.send(headers(7));
  assert.is(rig.exchanges.length, 3);
});

test('a refused block is still decoded, so the table stays synchronous', async () => {
  const rig = new Rig({ limits: { maxConcurrentStreams: 1 } });
  // "x: y" into the table by the refused request, out of it by the next.
  const indexing = Buffer.concat([block(GET), Buffer.from([0x40, 1, 0x78, 1, 0x79])]);
  rig.send(headers(1), frame(FRAME.HEADERS, FLAG.END_HEADERS | FLAG.END_STREAM, 3, indexing), reset(1));
  rig.send(
    frame(FRAME.HEADERS, FLAG.END_HEADERS | FLAG.END_STREAM, 5, Buffer.concat([block(GET), Buffer.from([0x80 | 62])])),
  );
  assert.equal(rig.exchanges[1].headers, ['x', 'y']);
});

test('each reason is reported at intervals, with a count', () => {
  const rig = new Rig({ limits: { resetBurst: 100 } });
  for (let i = 0; i < 10; i++) rig.send(headers(2 * i + 1, ['a', 'b']));
  assert.equal(rig.events, ['stream_malformed 1']);
  assert.is(rig.counters.get('stream_malformed'), 10);
});

test('a missing preface', async () => {
  const rig = new Rig({ isSilent: true, limits: { prefaceTimeout: 5_000 } });
  rig.send(PREFACE.subarray(0, 10));
  rig.clock.advance(4);
  assert.is(rig.session.isOpen, true);
  rig.clock.advance(1);
  assert.is(goawayCode(await rig.frames()), CALM);
  assert.is(rig.counters.get('session_slow_preface'), 1);
});

test('settings that are not acknowledged', async () => {
  const rig = new Rig({ isSilent: true, limits: { settingsTimeout: 5_000 } });
  rig.send(PREFACE, settings());
  rig.clock.advance(5);
  assert.is(goawayCode(await rig.frames()), ERROR_CODE.SETTINGS_TIMEOUT);
});

test('a frame, and a header block, that arrive slowly', async () => {
  const whole = headers(1);
  const parts = [
    [whole.subarray(0, 5), whole.subarray(5, 9), whole.subarray(9, 12)],
    [0, 1, 2].map((i) => (i === 0 ? frame(FRAME.HEADERS, 0, 1) : frame(FRAME.CONTINUATION, 0, 1, [0x82]))),
  ];
  for (const drops of parts) {
    const rig = new Rig({ limits: { headerTimeout: 6_000 } });
    for (const drop of drops) {
      rig.send(drop);
      rig.clock.advance(2);
    }
    assert.is(goawayCode(await rig.frames()), CALM);
    assert.is(rig.counters.get('session_slow_headers'), 1);
  }
});

test('frames that come slowly, each whole in time, are no fault', () => {
  const rig = new Rig({ limits: { headerTimeout: 3_000 } });
  for (let i = 0; i < 10; i++) {
    const bytes = ping();
    rig.send(bytes.subarray(0, 5));
    rig.clock.advance(2);
    rig.send(bytes.subarray(5));
  }
  assert.is(rig.session.isOpen, true);
});

test('slow DATA is an upload, not a header', () => {
  const rig = new Rig({ limits: { headerTimeout: 3_000 } });
  rig.send(headers(1, POST, false));
  const bytes = data(1, Buffer.alloc(100), true);
  for (let i = 0; i < bytes.length; i++) {
    rig.send(bytes.subarray(i, i + 1));
    if (i > 4 && i % 20 === 0) rig.clock.advance(1);
  }
  assert.is(rig.session.isOpen, true);
  assert.is(rig.session.streams.get(1)?.queue?.received, 100);
});

test('an idle session is closed, one with a stream is not', async () => {
  const rig = new Rig({ limits: { idleTimeout: 10_000 } });
  await rig.frames();
  rig.clock.advance(9);
  rig.send(headers(1));
  rig.clock.advance(100);
  assert.is(rig.session.isOpen, true);
  rig.exchanges[0].answer(new ReadyAnswer(200, [], Buffer.alloc(0)));
  await rig.frames();
  rig.clock.advance(9);
  assert.is(rig.session.isOpen, true);
  rig.clock.advance(1);
  assert.is(goawayCode(await rig.frames()), ERROR_CODE.NO_ERROR);
  assert.is(rig.counters.get('session_idle'), 1);
});

const STALL: Partial<Http2Limits> = { stallTimeout: 10_000, minRate: 100, bodyWindow: 10_000, bodyRate: 100 };

test('a body that the handler waits for and that is missing or too slow', async () => {
  for (const isDripping of [false, true]) {
    const rig = new Rig({ limits: STALL });
    rig.send(headers(1, POST, false));
    const [exchange] = rig.exchanges;
    const causes: AbortCause[] = [];
    exchange.onAbort((cause) => causes.push(cause));
    const failure = (async () => {
      for (;;) await exchange.body.read();
    })().catch((error: unknown) => error);
    for (let i = 0; i < 11; i++) {
      if (isDripping) rig.send(data(1, 'abc'));
      await rig.frames();
      rig.clock.advance(1);
    }
    assert.equal(causes, ['limit']);
    assert.instance(await failure, AbortError);
    assert.is(rig.counters.get('stream_slow_body'), 1);
    assert.is(rig.session.isOpen, true);
    const [head] = ofType(await rig.frames(), FRAME.HEADERS);
    assert.equal([rig.fields(head)[1], head.flags & FLAG.END_STREAM], ['408', FLAG.END_STREAM]);
    rig.clock.advance(6);
    assert.is(resetCode(await rig.frames()), ERROR_CODE.NO_ERROR);
    assert.equal([rig.session.isIdle, rig.errors], [true, []]);
  }
});

test('a body may pause for a minute, unless memory is scarce', async () => {
  for (const isPressed of [false, true]) {
    const memory = new MemoryBudget(10_000_000);
    const rig = new Rig({ memory });
    if (isPressed) memory.enter('203.0.113.9').hold(6_000_000);
    rig.send(headers(1, POST, false), data(1, Buffer.alloc(16_000)));
    void rig.exchanges[0].body
      .read()
      .then(() => rig.exchanges[0].body.read())
      .catch(() => {});
    await rig.frames();
    rig.clock.advance(60);
    assert.is(rig.counters.get('stream_slow_body'), isPressed ? 1 : 0);
    if (isPressed) continue;
    rig.clock.advance(20);
    assert.is(rig.counters.get('stream_slow_body'), 1);
  }
});

test('a body at the minimum rate, one that is not read, and a tunnel are not cut', async () => {
  const rig = new Rig({ limits: STALL });
  rig.send(headers(1, POST, false), headers(3, POST, false));
  rig.send(headers(5, [':method', 'CONNECT', ...GET.slice(2), ':protocol', 'websocket'], false));
  rig.exchanges[2].upgrade([]);
  void rig.exchanges[2].body.read();
  void (async () => {
    for (;;) await rig.exchanges[0].body.read();
  })();
  for (let i = 0; i < 40; i++) {
    rig.send(data(1, Buffer.alloc(110)));
    await rig.frames();
    rig.clock.advance(1);
  }
  assert.is(rig.session.streams.count, 3);
});

test('a window that stays closed ends its stream, one that opens does not', async () => {
  const rig = new Rig({ limits: STALL });
  rig.send(settings([4, 0]), headers(1), headers(3));
  for (const exchange of rig.exchanges) {
    exchange.respond(200, []);
    exchange.end(Buffer.alloc(100_000));
  }
  for (let i = 0; i < 12; i++) {
    rig.send(windowUpdate(3, 200), windowUpdate(1, 1));
    await rig.frames();
    rig.clock.advance(1);
  }
  const frames = await rig.frames();
  assert.is(rig.counters.get('stream_stalled'), 1);
  assert.is(rig.session.streams.count, 1);
  assert.ok(rig.session.streams.get(3));
  assert.equal(ofType(frames, FRAME.GOAWAY), []);
});

test('a connection that does not read is cut', () => {
  const rig = new Rig({ limits: STALL });
  rig.transport.isHeld = true;
  rig.send(ping());
  return rig.frames().then(() => {
    rig.clock.advance(11);
    assert.is(rig.transport.isDestroyed, true);
    assert.is(rig.counters.get('session_slow_reader'), 1);
  });
});

test('a slow reader of a large write is cut below the minimum rate only', async () => {
  for (const [rate, isCut] of [
    [90, true],
    [110, false],
  ] as const) {
    const rig = new Rig({ limits: STALL });
    rig.send(settings([4, 100_000]), headers(1));
    await rig.frames();
    rig.transport.isHeld = true;
    rig.exchanges[0].respond(200, []);
    rig.exchanges[0].end(Buffer.alloc(60_000));
    await rig.frames();
    for (let i = 0; i < 40; i++) {
      rig.transport.unsent -= rate;
      rig.clock.advance(1);
    }
    assert.is(rig.transport.isDestroyed, isCut, `${rate} bytes a second`);
    assert.is(rig.counters.get('session_slow_reader'), isCut ? 1 : 0);
  }
});

test('a slow reader of the socket buffer is cut below the minimum rate only', async () => {
  for (const [rate, isCut] of [
    [90, true],
    [120, false],
  ] as const) {
    const rig = new Rig({ limits: STALL });
    rig.send(settings([4, 100_000]), headers(1));
    await rig.frames();
    rig.transport.isHeld = true;
    rig.transport.unacknowledged = 1_000_000;
    rig.exchanges[0].respond(200, []);
    rig.exchanges[0].end(Buffer.alloc(60_000));
    await rig.frames();
    // Nothing of the write leaves: the system has no room before it has got rid of much more.
    for (let i = 0; i < 40; i++) {
      rig.transport.unacknowledged -= rate;
      rig.clock.advance(1);
    }
    assert.is(rig.transport.isDestroyed, isCut, `${rate} bytes a second`);
  }
});

test('a slow large DATA frame is cut below the minimum rate only', async () => {
  for (const [rate, isCut, flags] of [
    [90, true, 0],
    [110, false, 0],
    [90, true, FLAG.PADDED],
    [110, false, FLAG.PADDED],
  ] as const) {
    const rig = new Rig({ limits: STALL });
    await rig.frames();
    rig.send(headers(1, POST, false));
    const failure = (async () => {
      for (;;) await rig.exchanges[0].body.read();
    })().catch((error: unknown) => error);
    const bytes = frame(FRAME.DATA, flags, 1, Buffer.alloc(16_000));
    for (let i = 0; i < 30; i++) {
      rig.send(bytes.subarray(i * rate, (i + 1) * rate));
      await new Promise((done) => setImmediate(done));
      rig.clock.advance(1);
    }
    assert.is(rig.counters.get('stream_slow_body'), isCut ? 1 : 0, `${rate} bytes a second, flags ${flags}`);
    rig.session.destroy(ERROR_CODE.NO_ERROR);
    assert.instance(await failure, AbortError);
  }
});

const IDLE: Partial<Http2Limits> = { streamIdleTimeout: 20_000, tunnelIdleTimeout: 40_000 };

test('idle requests: 504, 408 if incomplete, RST_STREAM after a head', async () => {
  const rig = new Rig({ limits: IDLE });
  rig.send(headers(1), headers(3, POST, false), headers(5));
  const causes: AbortCause[][] = rig.exchanges.map((exchange) => {
    const heard: AbortCause[] = [];
    exchange.onAbort((cause) => heard.push(cause));
    return heard;
  });
  rig.clock.advance(10);
  rig.exchanges[2].respond(200, []);
  rig.clock.advance(9);
  assert.is(rig.session.streams.count, 3);
  await rig.frames();
  rig.clock.advance(1);
  let frames = await rig.frames();
  assert.equal(
    ofType(frames, FRAME.HEADERS).map((received) => [
      received.streamId,
      rig.field(received, ':status'),
      received.flags & FLAG.END_STREAM,
    ]),
    [
      [1, '504', FLAG.END_STREAM],
      [3, '408', FLAG.END_STREAM],
    ],
  );
  assert.equal(causes, [['limit'], ['limit'], []]);
  rig.clock.advance(6);
  assert.equal(
    ofType(await rig.frames(), FRAME.RST_STREAM).map((received) => [
      received.streamId,
      received.payload.readUInt32BE(),
    ]),
    [[3, ERROR_CODE.NO_ERROR]],
  );
  assert.is(rig.session.streams.count, 1);
  rig.clock.advance(5); // what moved is seen at the next tick
  frames = await rig.frames();
  assert.equal([ofType(frames, FRAME.RST_STREAM)[0].streamId, resetCode(frames)], [5, ERROR_CODE.CANCEL]);
  assert.equal(causes[2], ['limit']);
  assert.is(rig.counters.get('stream_idle'), 3);
  assert.ok(rig.events.includes('stream_idle 1'));
  assert.is(rig.session.isOpen, true);
});

test('the handler of a timed-out request counts until it finishes', async () => {
  let done = (): void => {};
  const handler = (): Promise<void> =>
    new Promise((settle) => {
      done = settle;
    });
  const rig = new Rig({ limits: IDLE, handler });
  rig.send(headers(1));
  rig.clock.advance(20);
  assert.equal([rig.session.streams.count, rig.session.streams.abandoned], [0, 1]);
  done();
  await rig.frames();
  assert.is(rig.session.streams.abandoned, 0);
});

test('a request is not idle while data moves, or the client must read', async () => {
  const rig = new Rig({ limits: { ...IDLE, minRate: 0 } });
  rig.send(headers(1), headers(3), headers(5, POST, false), headers(7));
  for (const exchange of rig.exchanges) exchange.respond(200, []);
  rig.send(settings([4, 0]));
  rig.exchanges[3].write(Buffer.alloc(100));
  for (let i = 0; i < 50; i++) {
    if (i % 15 === 0) {
      rig.send(windowUpdate(1, 10), data(5, 'a'));
      rig.exchanges[0].write(Buffer.from('a'));
      await rig.frames();
    }
    rig.clock.advance(1);
  }
  assert.equal(
    [...rig.session.streams.open].map((stream) => stream.id),
    [1, 5, 7],
  );
});

test('an idle tunnel', async () => {
  const rig = new Rig({ limits: IDLE });
  rig.send(headers(1, [':method', 'CONNECT', ...GET.slice(2), ':protocol', 'websocket'], false));
  rig.exchanges[0].upgrade([]);
  await rig.frames();
  rig.clock.advance(20);
  rig.send(data(1, 'a'));
  rig.clock.advance(39);
  assert.is(rig.session.streams.count, 1);
  rig.clock.advance(2);
  assert.is(resetCode(await rig.frames()), ERROR_CODE.CANCEL);
  assert.equal([rig.counters.get('stream_idle_tunnel'), rig.counters.get('stream_idle')], [1, 0]);
});

test('a client that does not close after GOAWAY is cut', async () => {
  const rig = new Rig({ limits: { lingerTimeout: 2_000 } });
  rig.send(frame(FRAME.PUSH_PROMISE, 0, 1));
  await rig.frames();
  assert.equal([rig.transport.isEnded, rig.transport.isDestroyed], [true, false]);
  rig.clock.advance(2);
  assert.is(rig.transport.isDestroyed, true);
  await rig.frames();
  assert.is(rig.closes, 1);
  assert.is(rig.clock.count, 0);
});

test('unread bodies use no more memory than the windows', () => {
  const rig = new Rig({ limits: { streamWindow: 1000, sessionWindow: 65_535 } });
  for (let i = 0; i < 100; i++) rig.send(headers(2 * i + 1, POST, false), data(2 * i + 1, Buffer.alloc(900)));
  const held = rig.exchanges.map(
    (exchange) => rig.session.streams.get(2 * rig.exchanges.indexOf(exchange) + 1)?.queue?.buffered ?? 0,
  );
  assert.ok(held.reduce((sum, figure) => sum + figure, 0) <= 65_535);
  assert.is(rig.counters.get('session_flow_control'), 1);
});

test.run();
