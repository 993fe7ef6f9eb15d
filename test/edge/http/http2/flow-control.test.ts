/**
 * What is sent never passes the windows of the client, and all that they allow is sent: against a
 * slow reference that counts (RFC 9113 section 6.9).
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DEFAULT_WINDOW, ERROR_CODE, FRAME, MAX_WINDOW } from '../../../../edge/http/http2/protocol.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { goawayCode, headers, ofType, Rig, resetCode, settings, windowUpdate } from './rig.ts';

const CASES = depth({ quick: 100, moderate: 500, full: 5000 });

type Step =
  | { readonly kind: 'write'; readonly stream: number; readonly bytes: number }
  | { readonly kind: 'end'; readonly stream: number }
  | { readonly kind: 'update'; readonly stream: number; readonly bytes: number }
  | { readonly kind: 'initial'; readonly bytes: number };

const stream = fc.nat(3);
const steps = fc.array(
  fc.oneof<fc.Arbitrary<Step>[]>(
    fc.record({ kind: fc.constant('write' as const), stream, bytes: fc.integer({ min: 1, max: 40_000 }) }),
    fc.record({ kind: fc.constant('end' as const), stream }),
    // -1: the session's.
    fc.record({
      kind: fc.constant('update' as const),
      stream: fc.integer({ min: -1, max: 3 }),
      bytes: fc.integer({ min: 1, max: 60_000 }),
    }),
    fc.record({ kind: fc.constant('initial' as const), bytes: fc.oneof(fc.nat(100), fc.nat(100_000)) }),
  ),
  { maxLength: 25 },
);

interface Model {
  window: number;
  written: number;
  sent: number;
  isEnded: boolean;
  hasSeenEnd: boolean;
}

test('generated writes, updates and settings', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const rig = new Rig();
      rig.send(headers(1), headers(3), headers(5), headers(7));
      const models = rig.exchanges.map((exchange): Model => {
        exchange.respond(200, []);
        return { window: DEFAULT_WINDOW, written: 0, sent: 0, isEnded: false, hasSeenEnd: false };
      });
      let session = DEFAULT_WINDOW;
      let initial = DEFAULT_WINDOW;
      for (const step of list) {
        if (step.kind === 'write' && !models[step.stream].isEnded) {
          rig.exchanges[step.stream].write(Buffer.alloc(step.bytes));
          models[step.stream].written += step.bytes;
        } else if (step.kind === 'end') {
          rig.exchanges[step.stream].end();
          models[step.stream].isEnded = true;
        } else if (step.kind === 'update') {
          if (step.stream < 0) session += step.bytes;
          else models[step.stream].window += step.bytes;
          rig.send(windowUpdate(step.stream < 0 ? 0 : step.stream * 2 + 1, step.bytes));
        } else if (step.kind === 'initial') {
          for (const model of models) model.window += step.bytes - initial;
          initial = step.bytes;
          rig.send(settings([4, step.bytes]));
        }
        for (const frame of ofType(await rig.frames(), FRAME.DATA)) {
          const model = models[(frame.streamId - 1) / 2];
          assert.is(model.hasSeenEnd, false);
          model.sent += frame.payload.length;
          model.window -= frame.payload.length;
          session -= frame.payload.length;
          model.hasSeenEnd = (frame.flags & 1) !== 0;
          assert.ok(frame.payload.length === 0 || model.window >= 0, 'past the window of the stream');
          assert.ok(session >= 0, 'past the window of the session');
        }
        for (const model of models) {
          const left = model.written - model.sent;
          assert.ok(left === 0 || model.window <= 0 || session === 0, 'what the windows allow has been sent');
          assert.is(model.hasSeenEnd, model.isEnded && left === 0);
        }
      }
    }),
    { numRuns: CASES },
  );
});

test('windows past 2^31-1: the stream alone, the session, and all streams by a setting', async () => {
  const rig = new Rig();
  rig.send(headers(1), windowUpdate(1, MAX_WINDOW));
  assert.is(resetCode(await rig.frames()), ERROR_CODE.FLOW_CONTROL_ERROR);
  rig.send(windowUpdate(0, MAX_WINDOW - DEFAULT_WINDOW));
  assert.is(goawayCode(await rig.frames()), -1);
  rig.send(windowUpdate(0, 1));
  assert.is(goawayCode(await rig.frames()), ERROR_CODE.FLOW_CONTROL_ERROR);
  const other = new Rig();
  other.send(headers(1), windowUpdate(1, 1), settings([4, MAX_WINDOW]));
  assert.is(goawayCode(await other.frames()), ERROR_CODE.FLOW_CONTROL_ERROR);
});

test('a large body does not hold up a small one', async () => {
  const rig = new Rig();
  rig.send(settings([4, 1 << 20]), windowUpdate(0, 1 << 20), headers(1), headers(3));
  for (const [i, bytes] of [500_000, 1000].entries()) {
    rig.exchanges[i].respond(200, []);
    rig.exchanges[i].end(Buffer.alloc(bytes));
  }
  const order = ofType(await rig.frames(), FRAME.DATA).map((frame) => frame.streamId);
  assert.is(order.indexOf(3), 1);
});

test('write returns false when the buffer is full, and the listener is called when it drains', async () => {
  const rig = new Rig({ limits: { streamBuffer: 50_000 } });
  rig.send(headers(1));
  const [exchange] = rig.exchanges;
  let drains = 0;
  exchange.onDrain(() => drains++);
  exchange.respond(200, []);
  const part = Buffer.alloc(30_000);
  assert.equal([exchange.write(part), exchange.write(part), exchange.write(part)], [true, false, false]);
  await rig.frames();
  assert.is(drains, 1); // 65,535 of 90,000 have left
  exchange.write(part);
  rig.send(windowUpdate(0, 100_000), windowUpdate(1, 100_000));
  await rig.frames();
  assert.is(drains, 2);
});

test('reading pauses while a connection does not drain', async () => {
  const rig = new Rig({ handler: (exchange) => exchange.respond(200, ['x-long', 'v'.repeat(9000)]) });
  await rig.frames();
  rig.transport.isHeld = true;
  for (let id = 1; id < 80; id += 2) rig.send(headers(id));
  assert.is(rig.transport.isPaused, true);
  const waiting = rig.session.output.waiting;
  assert.ok(waiting > 128 * 1024 && waiting < 1024 * 1024, `${waiting}`);
  rig.transport.isHeld = false;
  rig.transport.release();
  assert.is(ofType(await rig.frames(), FRAME.HEADERS).length, 40);
  assert.is(rig.transport.isPaused, false);
});

test('a window that overflows between two values of one SETTINGS frame', async () => {
  const rig = new Rig();
  rig.send(headers(1), windowUpdate(1, MAX_WINDOW - DEFAULT_WINDOW));
  rig.send(settings([4, 1000], [4, DEFAULT_WINDOW], [4, 500]));
  assert.is(rig.session.isOpen, true);
  assert.is(rig.session.streams.get(1)?.sendWindow, MAX_WINDOW - DEFAULT_WINDOW + 500);
  rig.send(settings([4, DEFAULT_WINDOW + 1], [4, 500]));
  assert.is(goawayCode(await rig.frames()), ERROR_CODE.FLOW_CONTROL_ERROR);
});

test.run();
