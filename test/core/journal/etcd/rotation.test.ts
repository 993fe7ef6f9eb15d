/** Turns of nodes that append to one log. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Rotation } from '../../../../core/journal/etcd/rotation.ts';

/** Milliseconds of a group, so short that a wait in vain is over at once. */
const SHORT = 1;

/** A node that has lost an append, and has seen so many groups of others between its last two. */
function contended(seen: number, writers: number): Rotation {
  const rotation = new Rotation(() => writers);
  rotation.won(SHORT);
  rotation.others(seen);
  rotation.lost();
  rotation.won(SHORT);
  return rotation;
}

test('who never came second waits for nobody', () => {
  const rotation = new Rotation(() => 3);
  for (let i = 0; i < 10; i++) {
    assert.not(rotation.isTheirs);
    rotation.won(SHORT);
    rotation.others(3);
  }
  rotation.won(SHORT);
  assert.not(rotation.isTheirs);
});

test('as many groups of others as came between the last two are let by', () => {
  const rotation = contended(2, 3);
  assert.ok(rotation.isTheirs);
  rotation.others(1);
  assert.ok(rotation.isTheirs);
  rotation.others(1);
  assert.not(rotation.isTheirs);
});

test('no more than there are others, so that nobody falls behind for good', () => {
  const rotation = contended(100, 2);
  rotation.others(2);
  assert.not(rotation.isTheirs);
  assert.not(contended(5, 0).isTheirs);
});

test('a group that comes ends the wait, and counts when it is applied', async () => {
  const rotation = contended(1, 3);
  let isOver = false;
  const waiting = rotation.letBy().then(() => {
    isOver = true;
  });
  rotation.came();
  await waiting;
  assert.ok(isOver);
  assert.ok(rotation.isTheirs);
  rotation.others(1);
  assert.not(rotation.isTheirs);
});

test('who does not come is waited for once', async () => {
  const rotation = contended(3, 3);
  rotation.others(1);
  await rotation.letBy();
  assert.not(rotation.isTheirs);
  rotation.won(SHORT);
  rotation.others(1);
  assert.not(rotation.isTheirs);
});

test.run();
