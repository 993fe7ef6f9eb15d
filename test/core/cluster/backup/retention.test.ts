/** Which backups are kept, against a slow reference; and when the next is due. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Backup } from '../../../../core/cluster/backup/names.ts';
import { expiredBackups, nextBackup, type Retention } from '../../../../core/cluster/backup/schedule.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 0, 1);
const backup = (time: number, i: number): Backup =>
  ({ name: `b${String(i).padStart(3, '0')}`, made: new Date(time).toISOString() }) as Backup;

/** One rule after the other, for each backup. */
function reference(all: readonly Backup[], rules: Retention, now: number): Set<string> {
  const time = ({ made }: Backup): number => Date.parse(made);
  const isNewer = (a: Backup, b: Backup): boolean => time(a) > time(b) || (time(a) === time(b) && a.name > b.name);
  const day = (item: Backup): string => item.made.slice(0, 10);
  const week = (item: Backup): string => {
    const date = new Date(time(item));
    return new Date(time(item) - ((date.getUTCDay() + 6) % 7) * DAY).toISOString().slice(0, 10);
  };
  const isLastOf = (item: Backup, period: (item: Backup) => string, count: number): boolean => {
    const rivals = all.filter((other) => period(other) === period(item) && isNewer(other, item));
    const later = new Set(all.map(period).filter((other) => other > period(item)));
    return rivals.length === 0 && later.size < count;
  };
  const isKept = (item: Backup): boolean => {
    const newer = all.filter((other) => isNewer(other, item)).length;
    if (newer === 0) return true;
    if (rules.keepDays > 0 && time(item) < now - rules.keepDays * DAY) return false;
    return newer < rules.keepLast || isLastOf(item, day, rules.keepDaily) || isLastOf(item, week, rules.keepWeekly);
  };
  return new Set(all.filter((item) => !isKept(item)).map(({ name }) => name));
}

test('backups expire as each rule says, and the latest never does', () => {
  const small = fc.nat({ max: 5 });
  const rules = fc.record({
    keepLast: fc.integer({ min: 1, max: 5 }),
    keepDaily: small,
    keepWeekly: small,
    keepDays: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60 })),
  });
  const hours = fc.array(fc.nat({ max: 24 * 90 }), { maxLength: 30 });
  fc.assert(
    fc.property(hours, rules, (times, retention) => {
      const all = times.map((hour, i) => backup(START + hour * HOUR, i));
      const now = START + 90 * DAY;
      const expired = expiredBackups(all, retention, now);
      assert.equal(new Set(expired.map(({ name }) => name)), reference(all, retention, now));
      const isSorted = expired.every(({ made }, i) => i === 0 || expired[i - 1].made <= made);
      assert.ok(isSorted);
      if (all.length > 0) assert.ok(expired.length < all.length);
    }),
    { numRuns: depth({ quick: 100, moderate: 1000, full: 20_000 }) },
  );
});

test('the next backup is due after the interval, or at the time of day', () => {
  const now = Date.UTC(2026, 0, 10, 12);
  const daily = { interval: 86_400 };
  assert.is(nextBackup(daily, null, now), now);
  assert.is(nextBackup(daily, now - HOUR, now), now + 23 * HOUR);
  assert.is(nextBackup(daily, now - 30 * HOUR, now), now - 6 * HOUR);
  // A clock that was ahead: the next item is an interval from now at the latest.
  assert.is(nextBackup(daily, now + 1000 * DAY, now), now + DAY);
  const at = { interval: 86_400, at: '03:30' };
  const dayAt = (day: number): number => Date.UTC(2026, 0, day, 3, 30);
  assert.is(nextBackup(at, dayAt(10) + 60_000, now), dayAt(11), 'the next day, though a minute is missing');
  assert.is(nextBackup(at, Date.UTC(2026, 0, 10, 9), now), dayAt(11), 'a late backup does not move the time');
  assert.is(nextBackup(at, Date.UTC(2026, 0, 10, 18), now + 12 * HOUR), dayAt(12));
  assert.is(nextBackup({ interval: 7 * 86_400, at: '03:30' }, dayAt(3), now), dayAt(10));
});

test.run();
