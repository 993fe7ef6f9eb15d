/** Who is waited for. */
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Acknowledgements, type Sync } from '../../../core/cluster/acknowledgements.ts';
import { unstalled } from '../../support/unstalled.ts';

const DEADLINE = 150;

/** What is looked at before the deadline is looked at some 20 ms after its begin. */
const it = (name: string, work: () => Promise<void>): void => test(name, unstalled(DEADLINE / 5, work));

function open(names: readonly string[], live: readonly string[] = names): Acknowledgements {
  const made = new Acknowledgements('a', DEADLINE);
  made.setMembers(names, new Set(live));
  return made;
}

/** What the promise has come to by now. */
async function now(promise: Promise<Sync>): Promise<Sync | null> {
  return Promise.race([promise, sleep(5, null)]);
}

it('a single node does not wait', async () => {
  const opened = open(['a']);
  opened.applied('a', 7);
  assert.equal(await opened.wait(7), { seq: 7, applied: ['a'], pending: [] });
});

it('a write waits for every present node, in any order of their acknowledgements', async () => {
  const opened = open(['c', 'a', 'b']);
  opened.applied('a', 5);
  opened.applied('b', 3);
  const [four, five] = [opened.wait(4), opened.wait(5)];
  opened.applied('c', 5);
  assert.is(await now(four), null);
  opened.applied('b', 4);
  assert.equal(await now(four), { seq: 4, applied: ['a', 'b', 'c'], pending: [] });
  assert.is(await now(five), null);
  opened.applied('b', 6);
  assert.equal(await now(five), { seq: 5, applied: ['a', 'b', 'c'], pending: [] });
});

it('absent nodes are not waited for, and are listed as pending', async () => {
  const opened = open(['a', 'b', 'c'], ['a', 'b']);
  opened.applied('a', 1);
  opened.applied('b', 1);
  assert.equal(await now(opened.wait(1)), { seq: 1, applied: ['a', 'b'], pending: ['c'] });
  opened.applied('c', 1);
  assert.equal(opened.of(1), { seq: 1, applied: ['a', 'b', 'c'], pending: [] });
});

it('a node that leaves during the wait is no longer waited for', async () => {
  const opened = open(['a', 'b', 'c']);
  opened.applied('a', 1);
  opened.applied('b', 1);
  const waiting = opened.wait(1);
  assert.is(await now(waiting), null);
  opened.setMembers(['a', 'b', 'c'], new Set(['a', 'b']));
  assert.equal(await now(waiting), { seq: 1, applied: ['a', 'b'], pending: ['c'] });
  const again = opened.wait(2);
  opened.setMembers(['a'], new Set(['a']));
  assert.equal(await now(again), { seq: 2, applied: [], pending: ['a'] });
});

it('past the deadline a write is answered without late nodes, and later writes skip them until they catch up', async () => {
  const opened = open(['a', 'b', 'c']);
  opened.applied('a', 2);
  opened.applied('b', 2);
  const began = performance.now();
  assert.equal(await opened.wait(1), { seq: 1, applied: ['a', 'b'], pending: ['c'] });
  assert.ok(performance.now() - began >= DEADLINE - 2);
  assert.equal(await now(opened.wait(2)), { seq: 2, applied: ['a', 'b'], pending: ['c'] });
  opened.applied('c', 1);
  assert.equal(await now(opened.wait(2)), { seq: 2, applied: ['a', 'b'], pending: ['c'] });
  opened.applied('c', 2);
  opened.applied('a', 3);
  opened.applied('b', 3);
  const waiting = opened.wait(3);
  assert.is(await now(waiting), null, 'it is waited for again');
  opened.applied('c', 3);
  assert.equal(await now(waiting), { seq: 3, applied: ['a', 'b', 'c'], pending: [] });
});

it('a wait for all nodes includes late ones, and not those that left', async () => {
  const opened = open(['a', 'b', 'c']);
  opened.applied('a', 1);
  opened.applied('b', 1);
  await opened.wait(1);
  const state = async (promise: Promise<void>): Promise<string> =>
    Promise.race([promise.then(() => 'served'), sleep(5, 'waits')]);
  const all = opened.everyone(1);
  assert.is(await state(all), 'waits', 'the deadline has passed');
  opened.applied('c', 1);
  assert.is(await state(all), 'served');
  assert.is(await state(opened.everyone(1)), 'served');
  const next = opened.everyone(2);
  opened.applied('b', 2);
  assert.is(await state(next), 'waits');
  opened.setMembers(['a', 'b', 'c'], new Set(['a', 'b']));
  assert.is(await state(next), 'served');
  const last = opened.everyone(3);
  opened.close();
  assert.is(await state(last), 'served');
});

it('an import waits until all live nodes serve it, and other writes only until they have applied theirs', async () => {
  const opened = open(['a', 'b']);
  opened.applied('a', 7);
  const served = opened.everyone(5, undefined, true);
  const applied = opened.everyone(7);
  opened.applied('b', 7, 4);
  await applied;
  assert.is(await Promise.race([served.then(() => 'served'), sleep(5, 'waits')]), 'waits');
  opened.applied('b', 7, 7);
  await served;
});

it('under load a node that keeps up is waited for again although it is always slightly behind; a slow one is not', async () => {
  const opened = open(['a', 'b', 'c']);
  let own = 1;
  opened.applied('a', own);
  await opened.wait(1);
  // Both are late. From now on one is two steps behind, the other many.
  for (const until = performance.now() + 6 * DEADLINE; performance.now() < until; await sleep(5)) {
    opened.applied('a', ++own);
    opened.applied('b', own - 2);
    opened.applied('c', Math.max(0, own - 50));
  }
  const waiting = opened.wait(own + 1);
  assert.is(await now(waiting), null);
  opened.applied('a', own + 1);
  opened.applied('b', own + 1);
  assert.equal(await now(waiting), { seq: own + 1, applied: ['a', 'b'], pending: ['c'] });
});

it('several deadlines, and a close that ends all waits', async () => {
  const opened = open(['a', 'b']);
  opened.applied('a', 9);
  const first = opened.wait(1);
  await sleep(DEADLINE / 2);
  opened.applied('b', 1);
  await first;
  const second = opened.wait(2);
  const third = opened.wait(3);
  assert.is(await now(second), null);
  opened.close();
  assert.equal((await now(third))?.pending, ['b']);
});

test.run();
