/** Turns of nodes that append to the same log. */
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Turns } from '../../../../core/journal/etcd/appender.ts';

/** Duration of a group in milliseconds, so short that a wait in vain ends immediately. */
const SHORT = 1;
/** Revisions of claims. */
const [OURS, THEIRS] = [7, 9];

const none = { claimTurn: () => Promise.reject(new Error('must not be called')) };
const granted = { claimTurn: () => Promise.resolve(OURS) };

/**
 * A node that has lost an append, and applied `seen` groups of other nodes between its last two.
 */
function turnsAfterLoss(seen: number, writers: number): Turns {
  const turns = new Turns(none, () => writers);
  turns.noteAppend(SHORT);
  turns.noteForeignGroups(seen);
  turns.noteLostAppend(0, 0);
  turns.noteAppend(SHORT);
  return turns;
}

test('a node that never lost an append does not wait', () => {
  const turns = new Turns(none, () => 3);
  for (let i = 0; i < 10; i++) {
    assert.not(turns.mustWait);
    turns.noteAppend(SHORT);
    turns.noteForeignGroups(3);
  }
  turns.noteAppend(SHORT);
  assert.not(turns.mustWait);
});

test('a node waits for as many groups of others as came between its last two', () => {
  const turns = turnsAfterLoss(2, 3);
  assert.ok(turns.mustWait);
  turns.noteForeignGroups(1);
  assert.ok(turns.mustWait);
  turns.noteForeignGroups(1);
  assert.not(turns.mustWait);
});

test('a node waits for at most one group per other writer, so that it never falls behind', () => {
  const turns = turnsAfterLoss(100, 2);
  turns.noteForeignGroups(2);
  assert.not(turns.mustWait);
  assert.not(turnsAfterLoss(5, 0).mustWait);
});

test('an arriving group ends the wait, and counts when it is applied', async () => {
  const turns = turnsAfterLoss(1, 3);
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

test('a slow group is waited for longer, and taking turns lasts at least one round of all writers', async () => {
  const turns = turnsAfterLoss(1, 3);
  for (let i = 0; i < 40; i++) turns.noteAppend(1000);
  turns.noteForeignGroups(1);
  turns.noteLostAppend(0, 0);
  turns.noteAppend(1000);
  assert.ok(turns.mustWait);
  const waiting = turns.waitForGroup();
  // Longer than the wait for a claim, and longer than the minimum time of taking turns.
  await sleep(300);
  turns.noteArrival();
  await waiting;
  await sleep(1100);
  assert.ok(turns.mustWait);
});

test('an absent node is waited for only once', async () => {
  const turns = turnsAfterLoss(3, 3);
  turns.noteForeignGroups(1);
  await turns.waitForGroup();
  assert.not(turns.mustWait);
  turns.noteAppend(SHORT);
  turns.noteForeignGroups(1);
  assert.not(turns.mustWait);
});

test('with a claim, the groups before it and one group of the claiming node come first', () => {
  const turns = new Turns(none, () => 0);
  turns.noteLostAppend(THEIRS, 2);
  assert.is(turns.claim, 0);
  for (let i = 0; i < 3; i++) {
    assert.ok(turns.mustWait);
    turns.noteForeignGroups(1);
  }
  assert.not(turns.mustWait);
});

test('the claim of a stopped node is waited for once, then taken over', async () => {
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
  // Another claim is waited for again.
  turns.noteLostAppend(THEIRS + 1, 0);
  assert.is(turns.claim, 0);
  assert.ok(turns.mustWait);
});

test('a node that loses repeatedly claims the next append, and again if the claim is taken over', async () => {
  const turns = new Turns(granted, () => 3);
  const loseRaces = async (): Promise<number> => {
    for (let times = 1; times < 100; times++) {
      await turns.noteLostRace();
      if (turns.claim !== 0) return times;
    }
    throw new Error('nothing was claimed');
  };
  const times = await loseRaces();
  assert.ok(times > 1);
  turns.noteLostAppend(OURS, 0);
  assert.is(turns.claim, OURS, 'our own claim is kept');
  assert.not(turns.mustWait);
  turns.noteLostAppend(0, 0);
  assert.is(turns.claim, 0);
  assert.is(await loseRaces(), times);
});

test('without etcd nothing is claimed', async () => {
  const turns = new Turns(none, () => 3);
  for (let i = 0; i < 30; i++) await turns.noteLostRace();
  assert.is(turns.claim, 0);
});

test.run();
