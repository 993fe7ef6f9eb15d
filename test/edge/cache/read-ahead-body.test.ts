/**
 * Reading ahead: the body is fetched for waiting visitors, even after the first visitor has left.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ReadAheadBody, TappedBody } from '../../../edge/cache/bodies.ts';
import type { CacheWriter } from '../../../edge/cache/store/cache-store.ts';
import { ReceivedBody } from '../../../edge/origin/received-body.ts';
import { settled } from '../proxy/fake-origin.ts';

/** A body from the origin to the first visitor, with other visitors waiting. */
function rig() {
  let written = '';
  let isAborted = false;
  const ends: boolean[] = [];
  const origin = { cancels: 0, onRoom: () => {}, onCancelled: () => origin.cancels++ };
  const received = new ReceivedBody(origin, undefined);
  const writer: CacheWriter = {
    push: (part) => {
      written += Buffer.from(part).toString();
      return true;
    },
    end: (onStored) => onStored?.(true),
    abort: () => {
      isAborted = true;
    },
  };
  const budget = { bytes: 0 };
  const tapped = new TappedBody(
    received,
    writer,
    (isStored) => ends.push(isStored),
    () => true,
  );
  const ahead = new ReadAheadBody(tapped, budget);
  return { ...{ origin, received, ahead, room: budget, ends }, cacheState: () => ({ written, isAborted }) };
}

for (const readsAheadFirst of [true, false])
  test(`the rest is fetched for waiting visitors when the first visitor leaves during a read${readsAheadFirst ? ' that was ahead' : ''}`, async () => {
    const { origin, received, ahead, room, ends, cacheState: kept } = rig();
    if (readsAheadFirst) ahead.readAhead();
    const read = ahead.read();
    if (!readsAheadFirst) ahead.readAhead();
    await settled();
    ahead.cancel();
    received.push(Buffer.from('one '));
    await settled();
    received.push(Buffer.from('two '));
    await settled();
    received.push(Buffer.from('three'));
    received.finish([]);
    await settled();
    assert.equal(kept(), { written: 'one two three', isAborted: false });
    assert.equal(ends, [true]);
    assert.equal([origin.cancels, room.bytes], [0, 0]);
    if (readsAheadFirst) assert.is(await read, null, 'a visitor who has left receives no more');
  });

test('a body received byte by byte needs little more memory than its bytes', async () => {
  const { received, ahead, room, ends } = rig();
  ahead.readAhead();
  const bytes = 4096;
  for (let i = 0; i < bytes; i++) {
    received.push(Buffer.of(97 + (i % 26)));
    await Promise.resolve();
  }
  received.finish([]);
  await settled();
  assert.is(room.bytes, bytes);
  const parts: Uint8Array[] = [];
  for (let part = ahead.readNow(); part; part = ahead.readNow()) parts.push(part);
  assert.is(ahead.readNow(), null);
  const text = Buffer.concat(parts).toString();
  assert.is(text, Array.from({ length: bytes }, (_, i) => String.fromCharCode(97 + (i % 26))).join(''));
  assert.ok(parts.length < bytes / 256, `${parts.length} parts`);
  assert.equal([room.bytes, ends], [0, [true]]);
});

test.run();
