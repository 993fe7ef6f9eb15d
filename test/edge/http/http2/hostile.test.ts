/**
 * What a client might gain by breaking off, not taking what it asked for, or asking for much with
 * little.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../../../edge/http/exchange/exchange.ts';
import { ReadyAnswer } from '../../../../edge/http/exchange/ready-answer.ts';
import { ERROR_CODE, FLAG, FRAME } from '../../../../edge/http/http2/protocol.ts';
import { BUFFER } from '../../../../edge/http/transport/buffers.ts';
import fc from '../../../support/fc.ts';
import { stillHeld } from '../../../support/garbage.ts';
import { data, type Frame, GET, headers, ofType, POST, Rig, reset, resetCode, settings, windowUpdate } from './rig.ts';

const EMPTY = new ReadyAnswer(200, [], Buffer.alloc(0));

test('reset streams are released while the window of the session is closed', async () => {
  const rig = new Rig({ limits: { resetBurst: 1000 } });
  rig.send(headers(1));
  rig.exchanges[0].respond(200, []);
  rig.exchanges[0].write(Buffer.alloc(65_535)); // all that the session takes
  await rig.frames();
  const refs: WeakRef<object>[] = [];
  for (let id = 3; id < 203; id += 2) {
    rig.send(headers(id));
    const exchange = rig.exchanges.pop() as Exchange;
    exchange.respond(200, []);
    exchange.end(Buffer.alloc(10));
    refs.push(new WeakRef(exchange));
    rig.send(reset(id));
  }
  await rig.frames();
  assert.ok((await stillHeld(refs)) < 3);
  // Who waits is served all the same.
  rig.send(headers(301));
  rig.exchanges[1].respond(200, []);
  rig.exchanges[1].end(Buffer.from('last'));
  rig.send(windowUpdate(0, 1000));
  const [last] = ofType(await rig.frames(), FRAME.DATA);
  assert.equal([last.streamId, last.payload.toString()], [301, 'last']);
});

test('small requests for large heads: waiting heads are bounded like bodies', () => {
  const large = new ReadyAnswer(302, ['content-security-policy', 'x'.repeat(8000)], Buffer.alloc(0));
  const sessionBuffer = 4 * BUFFER;
  const rig = new Rig({ handler: (exchange) => exchange.answer(large), limits: { sessionBuffer } });
  rig.transport.isHeld = true;
  rig.send(...Array.from({ length: 1000 }, (_, i) => headers(2 * i + 1)));
  assert.ok(rig.session.output.waiting <= sessionBuffer + 2 * BUFFER, `${rig.session.output.waiting}`);
  assert.ok(rig.counters.get('stream_refused') > 500);
  assert.is(rig.counters.get('session_reset_flood'), 1);
});

test('a response that ends before its request, by its last DATA, waits a while for the client', async () => {
  const rig = new Rig({ limits: { lingerTimeout: 2_000 } });
  rig.send(headers(1, POST, false));
  rig.exchanges[0].respond(200, []);
  rig.exchanges[0].end(Buffer.alloc(40_000));
  await rig.frames();
  for (let second = 0; second < 4; second++) rig.clock.advance(1);
  assert.is(resetCode(await rig.frames()), ERROR_CODE.NO_ERROR);
  assert.is(rig.session.isIdle, true);
});

test('a listener for an end that comes too late and throws ends its exchange alone', async () => {
  const rig = new Rig();
  rig.send(headers(1), reset(1));
  rig.exchanges[0].onAbort(() => {
    throw new Error('broken');
  });
  await rig.frames();
  assert.is(rig.errors.length, 1);
  assert.is(rig.session.isOpen, true);
});

test('after a response that ended before its request the body has ended', async () => {
  const rig = new Rig();
  rig.send(headers(1, POST, false), data(1, 'some'));
  const [exchange] = rig.exchanges;
  exchange.answer(EMPTY);
  assert.is(await exchange.body.read(), null);
});

test('the drain listener is called when there is room', async () => {
  const rig = new Rig();
  rig.send(settings([4, 0x7fff_ffff]), windowUpdate(0, 0x7000_0000), headers(1));
  const [exchange] = rig.exchanges;
  let drains = 0;
  exchange.respond(200, []);
  exchange.onDrain(() => {
    const queued = rig.session.streams.get(1)?.queued ?? -1;
    assert.ok(queued >= 0 && queued <= rig.session.limits.streamBuffer / 2, `${queued}`);
    if (++drains < 20) exchange.write(Buffer.alloc(200_000));
  });
  assert.is(exchange.write(Buffer.alloc(200_000)), false);
  await rig.frames();
  await rig.frames();
  assert.equal(rig.errors, []);
  assert.is(drains, 20);
});

test('a tunnel has no length', async () => {
  const rig = new Rig();
  rig.send(headers(1, [':method', 'CONNECT', ...GET.slice(2), ':protocol', 'websocket'], false));
  rig.exchanges[0].upgrade(['content-length', '0', 'x-a', '1']);
  const fields = rig.fields(ofType(await rig.frames(), FRAME.HEADERS)[0]);
  assert.is(fields.includes('content-length'), false);
  assert.is(fields[fields.indexOf('x-a') + 1], '1');
});

/** What a client and a handler do to a stream with a body. */
const action = fc.record({
  kind: fc.constantFrom('data', 'data', 'data', 'padded', 'end', 'reset', 'read', 'discard', 'abort', 'answer'),
  place: fc.nat(3),
  bytes: fc.integer({ min: 0, max: 9000 }),
});

const padded = (streamId: number, bytes: number): Buffer => {
  const frame = data(streamId, Buffer.alloc(bytes + 1 + 7));
  frame[4] = FLAG.PADDED;
  frame[9] = 7;
  return frame;
};

test('each byte of DATA returns to the session window once, however its stream ends', async () => {
  const sessionWindow = 100_000;
  const increments = (frames: readonly Frame[]): number =>
    ofType(frames, FRAME.WINDOW_UPDATE)
      .filter((frame) => frame.streamId === 0)
      .reduce((sum, frame) => sum + frame.payload.readUInt32BE(), 0);
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
      const rig = new Rig({ limits: { sessionWindow, streamWindow: 20_000 } });
      for (let position = 0; position < 4; position++) rig.send(headers(2 * position + 1, POST, false));
      let sent = 0;
      let given = increments(await rig.frames()) - (sessionWindow - 65_535);
      const reads: Promise<unknown>[] = [];
      for (const { kind, place: position, bytes } of actions) {
        const id = 2 * position + 1;
        const exchange = rig.exchanges[position];
        const queue = rig.session.streams.get(id)?.queue;
        if (!rig.session.isOpen) break;
        if (kind === 'data') rig.send(data(id, Buffer.alloc(bytes)));
        else if (kind === 'padded') rig.send(padded(id, bytes));
        else if (kind === 'end') rig.send(data(id, Buffer.alloc(bytes), true));
        else if (kind === 'reset') rig.send(reset(id));
        else if (kind === 'read' && queue?.isWaiting !== true)
          reads.push(Promise.resolve(exchange.body.read()).catch(() => {}));
        else if (kind === 'discard') exchange.body.discard();
        else if (kind === 'abort') exchange.abort();
        else if (kind === 'answer') exchange.answer(EMPTY);
        if (kind === 'data' || kind === 'end') sent += bytes;
        if (kind === 'padded') sent += bytes + 8;
        given += increments(await rig.frames());
        assert.ok(given <= sent, `${given} of ${sent} given back`);
        assert.ok(sent - given <= sessionWindow);
      }
      if (!rig.session.isOpen) return;
      for (const exchange of rig.exchanges) exchange.abort();
      for (const exchange of rig.exchanges) reads.push(Promise.resolve(exchange.body.read()).catch(() => {}));
      await Promise.all(reads);
      given += increments(await rig.frames());
      assert.ok(given <= sent && (sent - given) * 2 < sessionWindow, `${given} of ${sent} given back`);
    }),
    { numRuns: 150 },
  );
});

test('a header is not slow while reading is paused', async () => {
  const large = new ReadyAnswer(200, ['x-a', 'x'.repeat(8000)], Buffer.alloc(0));
  const rig = new Rig({ handler: (exchange) => exchange.answer(large), limits: { stallTimeout: 60_000 } });
  rig.transport.isHeld = true;
  const begun = headers(101).subarray(0, 12);
  rig.send(...Array.from({ length: 50 }, (_, i) => headers(2 * i + 1)), begun);
  assert.is(rig.transport.isPaused, true);
  rig.clock.advance(20);
  assert.is(rig.session.isOpen, true);
  rig.transport.isHeld = false;
  rig.transport.release();
  await rig.frames();
  assert.is(rig.transport.isPaused, false);
  rig.clock.advance(14);
  assert.is(rig.session.isOpen, true);
  rig.clock.advance(1);
  assert.is(rig.counters.get('session_slow_headers'), 1);
});

test.run();
