/** Turns of nodes that append to one log. */
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Turns } from '../../../../core/journal/etcd/turns.ts';

/** Milliseconds of a group, so short that a wait in vain is over at once. */
const SHORT = 1;
/** Of claims. */
const [OURS, THEIRS] = [7, 9];

const none = { claimTurn: () => Promise.reject(new Error('not to be asked')) };
const granted = { claimTurn: () => Promise.resolve(OURS) };

/** A node that has lost an append, and has seen so many groups of others between its last two. */
function contended(seen: number, writers: number): Turns {
  const turns = new Turns(none, () => writers);
  turns.won(SHORT);
  turns.others(seen);
  turns.lost(0, 0);
  turns.won(SHORT);
  return turns;
}

test('who never came second waits for nobody', () => {
  const turns = new Turns(none, () => 3);
  for (let i = 0; i < 10; i++) {
    assert.not(turns.areTheirs);
    turns.won(SHORT);
    turns.others(3);
  }
  turns.won(SHORT);
  assert.not(turns.areTheirs);
});

test('as many groups of others as came between the last two are let by', () => {
  const turns = contended(2, 3);
  assert.ok(turns.areTheirs);
  turns.others(1);
  assert.ok(turns.areTheirs);
  turns.others(1);
  assert.not(turns.areTheirs);
});

test('no more than there are others, so that nobody falls behind for good', () => {
  const turns = contended(100, 2);
  turns.others(2);
  assert.not(turns.areTheirs);
  assert.not(contended(5, 0).areTheirs);
});

test('a group that comes ends the wait, and counts when it is applied', async () => {
  const turns = contended(1, 3);
  let isOver = false;
  const waiting = turns.letBy().then(() => {
    isOver = true;
  });
  turns.groupArrived();
  await waiting;
  assert.ok(isOver);
  assert.ok(turns.areTheirs);
  turns.others(1);
  assert.not(turns.areTheirs);
});

test('a group that takes long is waited for as long, and going round does not end before all have been', async () => {
  const turns = contended(1, 3);
  for (let i = 0; i < 40; i++) turns.won(1000);
  turns.others(1);
  turns.lost(0, 0);
  turns.won(1000);
  assert.ok(turns.areTheirs);
  const waiting = turns.letBy();
  // Longer than a claim is waited for, and then than others are let by at the least.
  await sleep(300);
  turns.groupArrived();
  await waiting;
  await sleep(1100);
  assert.ok(turns.areTheirs);
});

test('who does not come is waited for once', async () => {
  const turns = contended(3, 3);
  turns.others(1);
  await turns.letBy();
  assert.not(turns.areTheirs);
  turns.won(SHORT);
  turns.others(1);
  assert.not(turns.areTheirs);
});

test('a claim lets one more group by: what was ahead of it, and that of the node that has claimed', () => {
  const turns = new Turns(none, () => 0);
  turns.lost(THEIRS, 2);
  assert.is(turns.claim, 0);
  for (let i = 0; i < 3; i++) {
    assert.ok(turns.areTheirs);
    turns.others(1);
  }
  assert.not(turns.areTheirs);
});

test('the claim of a node that has ended is waited for once, and taken over', async () => {
  const turns = new Turns(none, () => 3);
  turns.lost(THEIRS, 0);
  assert.ok(turns.areTheirs);
  await turns.letBy();
  assert.not(turns.areTheirs);
  await sleep(5);
  turns.lost(THEIRS, 0);
  assert.is(turns.claim, THEIRS);
  assert.not(turns.areTheirs);
  turns.won(SHORT);
  assert.is(turns.claim, 0);
  // Another one is waited for again.
  turns.lost(THEIRS + 1, 0);
  assert.is(turns.claim, 0);
  assert.ok(turns.areTheirs);
});

test('who is passed over again and again claims the next place, again should another take that over', async () => {
  const turns = new Turns(granted, () => 3);
  const passedOver = async (): Promise<number> => {
    for (let times = 1; times < 100; times++) {
      await turns.passedOver();
      if (turns.claim !== 0) return times;
    }
    throw new Error('nothing was claimed');
  };
  const times = await passedOver();
  assert.ok(times > 1);
  turns.lost(OURS, 0);
  assert.is(turns.claim, OURS, 'a claim of our own is not given up');
  assert.not(turns.areTheirs);
  turns.lost(0, 0);
  assert.is(turns.claim, 0);
  assert.is(await passedOver(), times);
});

test('without etcd nothing is claimed', async () => {
  const turns = new Turns(none, () => 3);
  for (let i = 0; i < 30; i++) await turns.passedOver();
  assert.is(turns.claim, 0);
});

test.run();
