import { setImmediate } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Semaphore } from '../../../core/base/semaphore.ts';

test('work above the limit waits in order', async () => {
  const semaphore = new Semaphore(2);
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const runs = [0, 1, 2, 3].map((n) =>
    semaphore.run(async () => {
      started.push(n);
      await new Promise<void>((end) => ends.push(end));
      return n;
    }),
  );
  await setImmediate();
  assert.equal(started, [0, 1]);
  assert.equal([semaphore.inUse, semaphore.waiting], [2, 2]);
  ends[1]();
  await setImmediate();
  assert.equal(started, [0, 1, 2]);
  for (const n of [0, 2, 3]) {
    ends[n]();
    await setImmediate();
  }
  assert.equal(await Promise.all(runs), [0, 1, 2, 3]);
  assert.equal([semaphore.inUse, semaphore.waiting], [0, 0]);
});

test('failed work releases its slot', async () => {
  const semaphore = new Semaphore(1);
  await semaphore.run(() => Promise.reject(new Error('broken'))).catch(() => {});
  assert.ok(semaphore.tryAcquire());
  assert.not(semaphore.tryAcquire());
});

test('an aborted caller leaves the queue', async () => {
  const semaphore = new Semaphore(1);
  assert.not(await semaphore.acquire(AbortSignal.abort()));
  assert.ok(await semaphore.acquire());
  const stop = new AbortController();
  const aborted = semaphore.acquire(stop.signal);
  const next = semaphore.acquire(new AbortController().signal);
  stop.abort();
  assert.not(await aborted);
  assert.is(semaphore.waiting, 1);
  semaphore.release();
  assert.ok(await next);
  semaphore.release();
  assert.is(semaphore.inUse, 0);
});

test.run();
