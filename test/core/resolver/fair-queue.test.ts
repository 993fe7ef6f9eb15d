/** Who has the next turn. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FairQueue } from '../../../core/resolver/fair-queue.ts';

function drain(queue: FairQueue<string>): string[] {
  const taken: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
}

test('one with many does not keep one with few waiting', () => {
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

test('an item waits once, and not any more when it is taken away', () => {
  const queue = new FairQueue<string>();
  queue.put('a', 'x');
  queue.put('b', 'x');
  queue.put('a', 'y');
  queue.put('c', 'y');
  queue.remove('a');
  queue.remove('nobody');
  assert.equal(drain(queue), ['b', 'c']);
  queue.put('a', 'x');
  queue.clear();
  assert.equal(drain(queue), []);
});

test.run();
