/** The order of turns in a fair queue. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FairQueue } from '../../../core/base/fair-queue.ts';

function drain(queue: FairQueue<string>): string[] {
  const taken: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
}

test('an owner with many items does not delay an owner with few', () => {
  const queue = new FairQueue<string>();
  for (let i = 0; i < 1000; i++) queue.put(`many ${i}`, 'many');
  queue.put('few 0', 'few');
  queue.put('few 1', 'few');
  assert.is(queue.size, 1002);
  const taken = drain(queue);
  assert.equal(taken.slice(0, 5), ['many 0', 'few 0', 'many 1', 'few 1', 'many 2']);
  assert.is(taken.length, 1002);
  assert.is(queue.size, 0);
});

test('an item is queued once, and not after its removal', () => {
  const queue = new FairQueue<string>();
  queue.put('a', 'x');
  queue.put('b', 'x');
  queue.put('a', 'y');
  queue.put('c', 'y');
  assert.ok(queue.remove('a'));
  assert.not(queue.remove('nobody'));
  assert.equal(drain(queue), ['b', 'c']);
  queue.put('a', 'x');
  assert.equal(queue.clear(), ['a']);
  assert.equal(drain(queue), []);
});

test('an owner without permission for a turn is skipped, and keeps its position', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1']) queue.put(item, item[0]);
  const take = (but = ''): string | undefined => queue.take((owner) => owner !== but);
  assert.equal([take(), take(), take('c'), take()], ['a1', 'b1', 'a2', 'c1']);
  assert.is(queue.size, 1);
  assert.is(take('a'), undefined);
  assert.ok(queue.hasItemOf('a'));
  assert.not(queue.hasItemOf('b'));
  assert.equal([take(), take()], ['a3', undefined]);
});

test(`due items are removed from the front of each owner's items`, () => {
  const queue = new FairQueue<number, string | undefined>();
  for (const item of [10, 20, 5]) queue.put(item, 'a');
  for (const item of [15, 30]) queue.put(item, undefined);
  assert.equal(
    queue.takeWhile((item) => item <= 15),
    [10, 15],
  );
  assert.is(queue.size, 3);
  assert.equal(queue.clear(), [20, 5, 30]);
  assert.is(queue.size, 0);
});

test.run();
