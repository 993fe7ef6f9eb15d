/** What is known of updates that were answered: by signature, for a time, and of bounded number. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Repeats } from '../../../admin-api/update/repeats.ts';

const isFinal = (rcode: number): boolean => rcode !== 2;

test('work is done once for a signature, also while it is under way', async () => {
  const repeats = new Repeats(() => 0);
  let done = 0;
  let finish = (_rcode: number): void => {};
  const work = (): Promise<number> => {
    done++;
    return new Promise((resolve) => {
      finish = resolve;
    });
  };
  const both = [repeats.once('a', work, isFinal), repeats.once('a', work, isFinal)];
  finish(5);
  assert.equal(await Promise.all(both), [5, 5]);
  assert.is(await repeats.once('a', work, isFinal), 5);
  assert.is(done, 1);
  assert.is(await repeats.once('b', async () => 0, isFinal), 0);
});

test('what failed for now is tried again, and so is what was rejected', async () => {
  const repeats = new Repeats(() => 0);
  assert.is(await repeats.once('a', async () => 2, isFinal), 2);
  assert.is(await repeats.once('a', async () => 0, isFinal), 0);
  const failing = repeats.once('b', () => Promise.reject(new Error('no')), isFinal);
  await failing.then(
    () => assert.unreachable(),
    (error: Error) => assert.is(error.message, 'no'),
  );
  assert.is(await repeats.once('b', async () => 7, isFinal), 7);
});

test('after ten minutes it is a new one, and the oldest go first', async () => {
  let now = 0;
  const repeats = new Repeats(() => now);
  await repeats.once('a', async () => 1, isFinal);
  now = 599;
  await repeats.once('b', async () => 1, isFinal);
  assert.is(await repeats.once('a', async () => 3, isFinal), 1);
  now = 601;
  assert.is(await repeats.once('a', async () => 3, isFinal), 3);
  assert.is(repeats.size, 2);
  for (let i = 0; i < 12_000; i++) await repeats.once(`n${i}`, async () => 0, isFinal);
  assert.is(repeats.size, 10_000);
  assert.is(await repeats.once('n1', async () => 9, isFinal), 9, 'forgotten');
  assert.is(await repeats.once('n11999', async () => 9, isFinal), 0, 'known');
});

test.run();
