/**
 * GOAWAY twice (RFC 9113 section 6.8): what is in flight is served, what comes after is not, then
 * the connection ends.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ReadyAnswer } from '../../../../edge/http/exchange/ready-answer.ts';
import { ERROR_CODE, FLAG, FRAME, MAX_STREAM_ID } from '../../../../edge/http/http2/protocol.ts';
import { data, type Frame, frame, headers, ofType, POST, ping, Rig, word } from './rig.ts';

const READY = new ReadyAnswer(200, [], Buffer.from('hello'));
const lasts = (frames: readonly Frame[]): number[] =>
  ofType(frames, FRAME.GOAWAY).map((received) => received.payload.readUInt32BE(0));

async function drained(): Promise<{ rig: Rig; text: string }> {
  const rig = new Rig();
  rig.send(headers(1));
  await rig.frames();
  rig.session.drain();
  rig.session.drain();
  const frames = await rig.frames();
  assert.equal(
    frames.map((received) => received.type),
    [FRAME.GOAWAY, FRAME.PING],
  );
  assert.equal(lasts(frames), [MAX_STREAM_ID]);
  assert.is(frames[0].payload.readUInt32BE(4), ERROR_CODE.NO_ERROR);
  return { rig, text: frames[1].payload.toString('latin1') };
}

test('open streams are served, later ones ignored, and the last one ends the connection', async () => {
  const { rig, text } = await drained();
  rig.send(headers(3), ping(text, FLAG.ACK));
  assert.equal(lasts(await rig.frames()), [3]);
  rig.send(headers(5, POST, false), data(5, 'abc'));
  assert.is(rig.exchanges.length, 2);
  for (const exchange of rig.exchanges) {
    assert.is(rig.transport.isEnded, false);
    exchange.answer(READY);
    await rig.frames();
  }
  assert.is(rig.transport.isEnded, true);
  assert.is(rig.counters.get('session_drained'), 1);
});

test('a client that does not answer the PING has a deadline', async () => {
  const { rig } = await drained();
  rig.clock.advance(3);
  assert.equal(lasts(await rig.frames()), [1]);
});

test('a session without streams ends as soon as the client answers', async () => {
  const rig = new Rig();
  rig.session.drain();
  const [, second] = await rig.frames().then((frames) => ofType(frames, FRAME.PING).concat(ofType(frames, FRAME.PING)));
  rig.send(ping(second.payload.toString('latin1'), FLAG.ACK));
  assert.equal(lasts(await rig.frames()), [0]);
  assert.is(rig.transport.isEnded, true);
});

const LEAVING = frame(FRAME.GOAWAY, 0, 0, Buffer.concat([word(0), word(0)]));

/**
 * What the last answer brings to a client that goes away: the announcement, and the end once the
 * client has seen it.
 */
async function ends(rig: Rig, frames: readonly Frame[], last: number): Promise<void> {
  assert.equal(lasts(frames), [MAX_STREAM_ID]);
  assert.is(rig.transport.isEnded, false);
  rig.send(ping(ofType(frames, FRAME.PING)[0].payload.toString('latin1'), FLAG.ACK));
  assert.equal(lasts(await rig.frames()), [last]);
  assert.is(rig.transport.isEnded, true);
}

test('a client sends GOAWAY: its streams are served, then the connection ends', async () => {
  const rig = new Rig();
  rig.send(headers(1), LEAVING);
  await rig.frames();
  // It may have said so to a server that pushes, and go on asking.
  rig.send(headers(3));
  rig.exchanges[0].answer(READY);
  assert.is(ofType(await rig.frames(), FRAME.DATA).length, 1);
  assert.is(rig.transport.isEnded, false);
  rig.exchanges[1].answer(READY);
  const frames = await rig.frames();
  assert.is(ofType(frames, FRAME.DATA).length, 1);
  await ends(rig, frames, 3);
});

test('requests received together with a GOAWAY are still served', async () => {
  const rig = new Rig();
  rig.send(LEAVING, headers(1));
  const frames = await rig.frames();
  rig.exchanges[0].answer(READY);
  assert.is(ofType(await rig.frames(), FRAME.DATA).length, 1);
  await ends(rig, frames, 1);
});

test.run();
