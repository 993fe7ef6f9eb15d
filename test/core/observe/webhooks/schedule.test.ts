/** The order of deliveries to one receiver, against a list that is searched each time. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { retryDelay } from '../../../../core/observe/webhooks/attempts.ts';
import { Schedule } from '../../../../core/observe/webhooks/schedule.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';

const test = suite('core/observe/webhooks/schedule');

test('the first by id of those that are due is next', () => {
  const put = fc.record({ id: fc.integer({ min: 1, max: 30 }), nextAt: fc.integer({ min: 0, max: 50 }) });
  const step = fc.oneof(put, fc.record({ remove: fc.integer({ min: 1, max: 30 }) }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 0, max: 60 }), (steps, now) => {
      const schedule = new Schedule(5);
      const list = new Map<number, number>();
      for (const each of steps)
        if ('remove' in each) {
          schedule.remove(each.remove);
          list.delete(each.remove);
        } else {
          schedule.put({ ...each, attemptedAt: null });
          list.set(each.id, each.nextAt);
        }
      const due = [...list].filter(([, nextAt]) => nextAt <= now).map(([id]) => id);
      assert.is(schedule.next(now), due.length === 0 ? undefined : Math.min(...due));
      assert.is(schedule.size, list.size);
    }),
    { numRuns: depth({ quick: 100, moderate: 1000, full: 20_000 }) },
  );
});

test('a receiver that is down gets one attempt a pause, and all at once when it is back', () => {
  const schedule = new Schedule(5);
  for (let id = 1; id <= 5; id++) schedule.put({ id, nextAt: 0, attemptedAt: null });
  let now = 100;
  for (let id = 1; id <= 3; id++) {
    assert.is(schedule.next(now), id);
    schedule.put({ id, nextAt: now + 3600, attemptedAt: now });
    schedule.noteFailure(now);
  }
  assert.is(schedule.isDown, true);
  assert.is(schedule.next(now + 4), undefined);
  now += 5;
  assert.is(schedule.next(now), 4);
  schedule.put({ id: 4, nextAt: now + 3600, attemptedAt: now });
  schedule.noteFailure(now);
  assert.is(schedule.next(now + 9), undefined, 'the pause has grown');
  now += 10;
  assert.is(schedule.next(now), 5);
  schedule.remove(5);
  schedule.noteSuccess(now);
  assert.is(schedule.next(now), 1, 'what failed before is due');
});

test('retries grow from 5 seconds to 12 hours, with jitter', () => {
  const delays = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempts) => retryDelay({ first: 5, total: 0 }, attempts, 0.5));
  assert.equal(delays, [5, 20, 80, 320, 1280, 5120, 20_480, 43_200, 43_200]);
  assert.equal(
    [0, 0.999].map((random) => retryDelay({ first: 100, total: 0 }, 1, random)),
    [80, 120],
  );
});

test.run();
