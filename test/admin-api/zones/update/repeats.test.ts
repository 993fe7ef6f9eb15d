/** Stored outcomes of updates: by signature, for a limited time, and in limited number. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Repeats } from '../../../../admin-api/zones/update/handler.ts';

const UNTIL = 600;
const isFinal = (rcode: number): boolean => rcode !== 2;

test('runs the work once for a signature, also while it is in flight', async () => {
  const repeats = new Repeats(() => 0);
  let done = 0;
  let finish = (_rcode: number): void => {};
  const work = (): Promise<number> => {
    done++;
    return new Promise((resolve) => {
      finish = resolve;
    });
  };
  const both = [repeats.once('a', UNTIL, work, isFinal), repeats.once('a', UNTIL, work, isFinal)];
  finish(5);
  assert.equal(await Promise.all(both), [5, 5]);
  assert.is(await repeats.once('a', UNTIL, work, isFinal), 5);
  assert.is(done, 1);
  assert.is(await repeats.once('b', UNTIL, async () => 0, isFinal), 0);
});

test('runs again after a temporary failure and after an error', async () => {
  const repeats = new Repeats(() => 0);
  assert.is(await repeats.once('a', UNTIL, async () => 2, isFinal), 2);
  assert.is(await repeats.once('a', UNTIL, async () => 0, isFinal), 0);
  const failing = repeats.once('b', UNTIL, () => Promise.reject(new Error('no')), isFinal);
  await failing.then(
    () => assert.unreachable(),
    (error: Error) => assert.is(error.message, 'no'),
  );
  assert.is(await repeats.once('b', UNTIL, async () => 7, isFinal), 7);
});

test('remembers a message while it is valid, and evicts the oldest first', async () => {
  let now = 0;
  const repeats = new Repeats(() => now);
  await repeats.once('short', 300, async () => 1, isFinal);
  await repeats.once('long', 65_535, async () => 1, isFinal);
  now = 300;
  assert.is(await repeats.once('short', 300, async () => 3, isFinal), 1);
  now = 301;
  assert.is(await repeats.once('short', 601, async () => 3, isFinal), 3);
  now = 65_535;
  assert.is(await repeats.once('long', 65_535, async () => 3, isFinal), 1);
  assert.is(repeats.size, 2);
  for (let i = 0; i < 60_000; i++) await repeats.once(`n${i}`, 70_000, async () => 0, isFinal);
  assert.is(repeats.size, 50_000);
  assert.is(await repeats.once('n1', 70_000, async () => 9, isFinal), 9, 'forgotten');
  assert.is(await repeats.once('n59999', 70_000, async () => 9, isFinal), 0, 'known');
});

test.run();
