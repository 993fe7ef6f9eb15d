import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SnapshotDeadline } from '../../../core/store/snapshot-deadline.ts';

test('a client has one minute, plus one second per 64 KB read', () => {
  let now = 5000;
  const deadline = new SnapshotDeadline(() => now);
  now += 60_000;
  assert.is(deadline.isPast(0), false);
  now += 10_000;
  assert.is(deadline.isPast(10 * 64 * 1024), false);
  now += 1;
  assert.is(deadline.isPast(0), true);
});

test.run();
