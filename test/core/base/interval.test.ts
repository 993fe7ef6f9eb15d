/** An interval ends by the clock of the machine or by the monotonic clock, whichever is first. */
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Interval } from '../../../core/base/timers.ts';

test('it ends after its time although the clock is set back slightly', async () => {
  let now = 1e12;
  const interval = new Interval(20, () => now);
  now -= 30_000;
  assert.ok(interval.remaining() > 0);
  await sleep(25);
  assert.is(interval.remaining(), 0);
});

test('it ends when the clock of the machine is set back by more than a minute', () => {
  let now = 1e12;
  const interval = new Interval(300_000, () => now);
  now -= 59_000;
  assert.is(interval.remaining(), 1000);
  now -= 2000;
  assert.is(interval.remaining(), 0);
});

test('it ends within a second after the clock is set forward', () => {
  let now = 1e12;
  const interval = new Interval(300_000, () => now);
  assert.is(interval.remaining(), 1000);
  now += 298_000;
  assert.is(interval.remaining(), 1000);
  now += 3000;
  assert.is(interval.remaining(), 0);
});

test.run();
