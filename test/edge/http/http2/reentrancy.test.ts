/**
 * Handlers and listeners that end streams, or the session, while it is in the middle of something:
 * of a part of what it reads, of filling a write, of telling others.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ReadyAnswer } from '../../../../edge/http/exchange/ready-answer.ts';
import { ERROR_CODE, FRAME } from '../../../../edge/http/http2/protocol.ts';
import { data, type Frame, goawayCode, headers, ofType, POST, Rig, reset, settings, windowUpdate } from './rig.ts';

const READY = new ReadyAnswer(200, [], Buffer.from('hello'));
const WIDE = [settings([4, 1 << 24]), windowUpdate(0, 1 << 24)];

/** The session has said its last, told its client so, and releases everything. */
async function hasEnded(rig: Rig): Promise<Frame[]> {
  const frames = await rig.frames();
  assert.is(frames.at(-1)?.type, FRAME.GOAWAY);
  assert.is(goawayCode(frames), ERROR_CODE.INTERNAL_ERROR);
  assert.is(rig.transport.isEnded, true);
  assert.is(rig.session.streams.count, 0);
  assert.is(rig.session.sender.queued, 0);
  rig.transport.close();
  assert.is(rig.closes, 1);
  assert.is(rig.clock.count, 0);
  assert.equal(rig.errors, []);
  return frames;
}

test('a handler ends the session: data behind its request is ignored', async () => {
  const rig = new Rig({ handler: () => rig.session.destroy(ERROR_CODE.INTERNAL_ERROR) });
  rig.send(headers(1), headers(3), data(99, 'of no stream'));
  assert.is(rig.exchanges.length, 1);
  const frames = await hasEnded(rig);
  assert.is(frames.at(-1)?.payload.readUInt32BE(), 1);
});

test('a handler ends the session, then responds: the response is not sent', async () => {
  const rig = new Rig({
    handler(exchange) {
      rig.session.destroy(ERROR_CODE.INTERNAL_ERROR);
      exchange.answer(READY);
      return Promise.resolve();
    },
  });
  rig.send(headers(1, POST, false), data(1, 'body', true));
  assert.equal(ofType(await hasEnded(rig), FRAME.HEADERS), []);
  assert.is(rig.session.streams.abandoned, 0);
});

test('a drain listener ends the session while others wait', async () => {
  const rig = new Rig();
  rig.send(...WIDE, headers(1), headers(3));
  let drains = 0;
  for (const exchange of rig.exchanges) {
    exchange.respond(200, []);
    exchange.onDrain(() => {
      drains++;
      rig.session.destroy(ERROR_CODE.INTERNAL_ERROR);
    });
    assert.is(exchange.write(Buffer.alloc(140_000)), false);
  }
  await hasEnded(rig);
  assert.is(drains, 1);
});

test('an end listener ends the session: each stream is notified once', async () => {
  const rig = new Rig();
  rig.send(headers(1), headers(3), headers(5));
  const heard: string[] = [];
  rig.exchanges.forEach((exchange, i) => {
    exchange.onAbort((cause) => {
      heard.push(`${i} ${cause}`);
      rig.session.destroy(ERROR_CODE.INTERNAL_ERROR);
    });
  });
  rig.send(reset(3), headers(7));
  await hasEnded(rig);
  assert.is(rig.exchanges.length, 3);
  assert.equal(heard.sort(), ['0 drain', '1 client', '2 drain']);
});

test('an end listener aborts other exchanges, and writes to them', async () => {
  const rig = new Rig();
  rig.send(...WIDE, ...[1, 3, 5, 7].map((id) => headers(id)));
  const heard: number[] = [];
  rig.exchanges.forEach((exchange, i) => {
    exchange.respond(200, []);
    exchange.write(Buffer.alloc(30_000, i));
    exchange.onAbort(() => {
      heard.push(i);
      for (const other of rig.exchanges) {
        other.write(Buffer.alloc(30_000));
        other.abort();
      }
    });
  });
  rig.send(reset(1));
  const frames = await rig.frames();
  assert.equal(heard, [0]); // the handler that aborts is not informed, of the others either
  assert.equal(
    ofType(frames, FRAME.RST_STREAM).map((frame) => frame.streamId),
    [3, 5, 7],
  );
  assert.is(rig.session.sender.queued, 0);
  assert.is(rig.session.isOpen, true);
});

test('the connection breaks during an end notification of another stream', async () => {
  const rig = new Rig();
  rig.send(headers(1), headers(3));
  let heard = 0;
  for (const exchange of rig.exchanges) {
    exchange.onAbort(() => {
      if (heard++ === 0) rig.transport.close();
    });
  }
  rig.send(reset(1), headers(5));
  await rig.frames();
  assert.equal([heard, rig.closes, rig.exchanges.length], [2, 1, 2]);
  assert.is(rig.clock.count, 0);
});

test('a body that its receiver continues to read, while the client sends', async () => {
  const rig = new Rig();
  rig.send(headers(1, POST, false));
  const { body } = rig.exchanges[0];
  const got: string[] = [];
  const readOn = (): void =>
    void body.read().then((part) => {
      got.push(part === null ? 'end' : Buffer.from(part).toString());
      if (part !== null) readOn();
    });
  readOn();
  rig.send(data(1, 'a'), data(1, 'b'));
  await rig.frames();
  rig.send(data(1, 'c', true));
  await rig.frames();
  assert.equal(got, ['a', 'b', 'c', 'end']);
});

test('an end and a reset in one read: the end counts', async () => {
  const rig = new Rig();
  const heard: string[] = [];
  rig.send(headers(1, POST, false));
  const [exchange] = rig.exchanges;
  exchange.onAbort((cause) => heard.push(cause));
  const read = exchange.body.read();
  rig.send(data(1, 'all', true), reset(1));
  assert.is(Buffer.from((await read) ?? []).toString(), 'all');
  assert.is(await exchange.body.read(), null);
  assert.equal(heard, ['client']);
});

test.run();
