/**
 * Runs of a background task: they never overlap, continue after failures, and end with the stop.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Periodic } from '../../../core/base/periodic.ts';

/** A task whose runs end on command. */
function controlledTask() {
  let startedRuns = 0;
  let end: (error?: Error) => void = () => {};
  let notify: () => void = () => {};
  return {
    get startedRuns() {
      return startedRuns;
    },
    run: () => {
      startedRuns++;
      notify();
      return new Promise<void>((resolve, reject) => {
        end = (error) => (error === undefined ? resolve() : reject(error));
      });
    },
    end: (error?: Error) => end(error),
    /** Resolves when this number of runs has started. */
    async waitForRuns(count: number) {
      // The timer keeps the process alive; the runs do not.
      const alive = setInterval(() => {}, 1000);
      while (startedRuns < count)
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      clearInterval(alive);
    },
  };
}

test('a run waits for the previous run and for the interval', async () => {
  const work = controlledTask();
  const ends: unknown[] = [];
  const periodic = new Periodic(work.run, { interval: 1, onEnd: (error) => ends.push(error) });
  periodic.start();
  assert.is(work.startedRuns, 0);
  await work.waitForRuns(1);
  await sleep(30);
  assert.equal([work.startedRuns, ends], [1, []]);
  work.end();
  await work.waitForRuns(2);
  assert.equal(ends, [null]);
  work.end();
  await periodic.stop();
});

test('a failed run is reported, whether it throws or rejects, and the next run starts', async () => {
  const ends: unknown[] = [];
  let turn = 0;
  await new Promise<void>((done) => {
    const alive = setInterval(() => {}, 1000);
    const periodic = new Periodic(
      () => {
        turn++;
        if (turn === 1) throw new Error('thrown');
        return turn === 2 ? Promise.reject(new Error('rejected')) : 'fine';
      },
      {
        interval: 1,
        runsImmediately: true,
        onEnd: (error) => {
          ends.push(error instanceof Error ? error.message : error);
          if (ends.length < 3) return;
          clearInterval(alive);
          void periodic.stop().then(done);
        },
      },
    );
    periodic.start();
    assert.is(turn, 1, 'at once');
  });
  assert.equal(ends, ['thrown', 'rejected', null]);
  await sleep(20);
  assert.is(turn, 3, 'no run after the stop');
});

test('a stop waits for the current run, whose failure is not reported', async () => {
  const work = controlledTask();
  const ends: unknown[] = [];
  const periodic = new Periodic(work.run, { interval: 1, onEnd: (error) => ends.push(error) });
  periodic.start();
  await work.waitForRuns(1);
  let isStopped = false;
  const stopped = periodic.stop().then(() => {
    isStopped = true;
  });
  assert.is(periodic.isStopped, true);
  await sleep(20);
  assert.is(isStopped, false);
  work.end(new Error('since it is stopped'));
  await stopped;
  assert.equal(ends, []);
});

test('a task that was never started can be stopped', () =>
  new Periodic(() => {}, { interval: 1, onEnd: () => {} }).stop());

test.run();
