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
  turns.noteAppend(SHORT);
  turns.noteForeignGroups(seen);
  turns.noteLostAppend(0, 0);
  turns.noteAppend(SHORT);
  return turns;
}

test('who never came second waits for nobody', () => {
  const turns = new Turns(none, () => 3);
  for (let i = 0; i < 10; i++) {
    assert.not(turns.mustWait);
    turns.noteAppend(SHORT);
    turns.noteForeignGroups(3);
  }
  turns.noteAppend(SHORT);
  assert.not(turns.mustWait);
});

test('as many groups of others as came between the last two are let by', () => {
  const turns = contended(2, 3);
  assert.ok(turns.mustWait);
  turns.noteForeignGroups(1);
  assert.ok(turns.mustWait);
  turns.noteForeignGroups(1);
  assert.not(turns.mustWait);
});

test('no more than there are others, so that nobody falls behind for good', () => {
  const turns = contended(100, 2);
  turns.noteForeignGroups(2);
  assert.not(turns.mustWait);
  assert.not(contended(5, 0).mustWait);
});

test('a group that comes ends the wait, and counts when it is applied', async () => {
  const turns = contended(1, 3);
  let isOver = false;
  const waiting = turns.waitForGroup().then(() => {
    isOver = true;
  });
  turns.noteArrival();
  await waiting;
  assert.ok(isOver);
  assert.ok(turns.mustWait);
  turns.noteForeignGroups(1);
  assert.not(turns.mustWait);
});

test('a group that takes long is waited for as long, and going round does not end before all have been', async () => {
  const turns = contended(1, 3);
  for (let i = 0; i < 40; i++) turns.noteAppend(1000);
  turns.noteForeignGroups(1);
  turns.noteLostAppend(0, 0);
  turns.noteAppend(1000);
  assert.ok(turns.mustWait);
  const waiting = turns.waitForGroup();
  // Longer than a claim is waited for, and then than others are let by at the least.
  await sleep(300);
  turns.noteArrival();
  await waiting;
  await sleep(1100);
  assert.ok(turns.mustWait);
});

test('who does not come is waited for once', async () => {
  const turns = contended(3, 3);
  turns.noteForeignGroups(1);
  await turns.waitForGroup();
  assert.not(turns.mustWait);
  turns.noteAppend(SHORT);
  turns.noteForeignGroups(1);
  assert.not(turns.mustWait);
});

test('a claim lets one more group by: what was ahead of it, and that of the node that has claimed', () => {
  const turns = new Turns(none, () => 0);
  turns.noteLostAppend(THEIRS, 2);
  assert.is(turns.claim, 0);
  for (let i = 0; i < 3; i++) {
    assert.ok(turns.mustWait);
    turns.noteForeignGroups(1);
  }
  assert.not(turns.mustWait);
});

test('the claim of a node that has ended is waited for once, and taken over', async () => {
  const turns = new Turns(none, () => 3);
  turns.noteLostAppend(THEIRS, 0);
  assert.ok(turns.mustWait);
  await turns.waitForGroup();
  assert.not(turns.mustWait);
  await sleep(5);
  turns.noteLostAppend(THEIRS, 0);
  assert.is(turns.claim, THEIRS);
  assert.not(turns.mustWait);
  turns.noteAppend(SHORT);
  assert.is(turns.claim, 0);
  // Another one is waited for again.
  turns.noteLostAppend(THEIRS + 1, 0);
  assert.is(turns.claim, 0);
  assert.ok(turns.mustWait);
});

test('who is passed over again and again claims the next place, again should another take that over', async () => {
  const turns = new Turns(granted, () => 3);
  const passedOver = async (): Promise<number> => {
    for (let times = 1; times < 100; times++) {
      await turns.noteLostRace();
      if (turns.claim !== 0) return times;
    }
    throw new Error('nothing was claimed');
  };
  const times = await passedOver();
  assert.ok(times > 1);
  turns.noteLostAppend(OURS, 0);
  assert.is(turns.claim, OURS, 'a claim of our own is not given up');
  assert.not(turns.mustWait);
  turns.noteLostAppend(0, 0);
  assert.is(turns.claim, 0);
  assert.is(await passedOver(), times);
});

test('without etcd nothing is claimed', async () => {
  const turns = new Turns(none, () => 3);
  for (let i = 0; i < 30; i++) await turns.noteLostRace();
  assert.is(turns.claim, 0);
});

test.run();
