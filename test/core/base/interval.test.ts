/** An interval ends by the clock of the machine or by the monotonic clock, whichever is first. */
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clockOffset, Interval } from '../../../core/base/interval.ts';
import { Periodic } from '../../../core/base/periodic.ts';

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

test('the clock may be set forward during the work before', () => {
  let now = 1e12;
  const offset = clockOffset(() => now);
  now += 60_000;
  const interval = new Interval(90_000, () => now, offset);
  assert.is(interval.remaining(), 1000);
  now += 31_000;
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

test('a background task that follows the date runs soon after the clock is set forward', async () => {
  const real = Date.now;
  let ahead = 0;
  Date.now = () => real() + ahead;
  let runs = 0;
  const options = { interval: 300_000, followsDate: true, onEnd: () => {} };
  const periodic = new Periodic(() => runs++, options);
  try {
    periodic.start();
    await sleep(20);
    assert.is(runs, 0);
    ahead = 86_400_000;
    for (const end = performance.now() + 10_000; runs === 0 && performance.now() < end; ) await sleep(20);
    await sleep(20);
    assert.is(runs, 1);
  } finally {
    Date.now = real;
    await periodic.stop();
  }
});

test.run();
