import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withTimeout } from '../../../core/base/timers.ts';

const NEVER = 3_600_000;

test('work that ends in time decides', async () => {
  assert.is(await withTimeout(Promise.resolve(1), NEVER, () => 2), 1);
  const error = new Error('of the work');
  const failed = await withTimeout(Promise.reject(error), NEVER, () => 2).catch((reason) => reason);
  assert.is(failed, error);
});

test('after the time, `late` decides, and a later failure of the work is ignored', async () => {
  let fail: (error: Error) => void = () => {};
  const work = new Promise<number>((_, reject) => {
    fail = reject;
  });
  assert.is(await withTimeout(work, 1, () => 'late'), 'late');
  const thrown = await withTimeout(work, 1, () => {
    throw new Error('too late');
  }).catch((error) => error.message);
  assert.is(thrown, 'too late');
  fail(new Error('too late to matter'));
  await sleep(1);
});

test.run();
