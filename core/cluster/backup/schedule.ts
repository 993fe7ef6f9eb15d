/** When the next backup is due, and which backups are kept. Pure functions. */
import type { Backup } from './names.ts';

const DAY_MS = 86_400_000;

interface Schedule {
  /** Seconds. */
  readonly interval: number;
  /** HH:MM in UTC; undefined: any time. */
  readonly at?: string;
}

/**
 * When the next backup is due. Times in milliseconds since 1970. `last`: time of the latest backup;
 * null: none.
 */
export function nextBackup({ interval, at }: Schedule, last: number | null, now: number): number {
  if (last === null) return now;
  // A clock that was set back must not stop the backups.
  const previous = Math.min(last, now);
  if (at === undefined) return previous + interval * 1000;
  const [hours, minutes] = at.split(':').map(Number);
  const time = (hours * 60 + minutes) * 60_000;
  // After a late backup the next one is on time again.
  const earliest = previous + Math.max(1, interval * 1000 - DAY_MS / 2);
  const day = Math.floor(earliest / DAY_MS) * DAY_MS;
  return day + time >= earliest ? day + time : day + DAY_MS + time;
}

export interface Retention {
  /** See the settings backup.keep_*. */
  readonly keepLast: number;
  readonly keepDaily: number;
  readonly keepWeekly: number;
  /** 0: no limit. */
  readonly keepDays: number;
}

/** 1970-01-05 was a Monday. */
const MONDAY_MS = 4 * DAY_MS;

/**
 * The backups that may be deleted, oldest first. `now`: milliseconds since 1970. The newest is
 * never among them, however old it is. A backup whose time is in the future counts as new.
 */
export function expiredBackups(all: readonly Backup[], retention: Retention, now: number): Backup[] {
  const newestFirst = [...all].sort((a, b) => timeOf(b) - timeOf(a) || (a.name < b.name ? 1 : -1));
  const kept = new Set(newestFirst.slice(0, Math.max(1, retention.keepLast)));
  keepLastOf(newestFirst, kept, retention.keepDaily, (time) => Math.floor(time / DAY_MS));
  keepLastOf(newestFirst, kept, retention.keepWeekly, (time) => Math.floor((time - MONDAY_MS) / (7 * DAY_MS)));
  const oldest = retention.keepDays === 0 ? Number.NEGATIVE_INFINITY : now - retention.keepDays * DAY_MS;
  return newestFirst.filter((backup, i) => i > 0 && (!kept.has(backup) || timeOf(backup) < oldest)).reverse();
}

/** Keeps the newest backup of each of the last `count` periods that have one. */
function keepLastOf(
  newestFirst: readonly Backup[],
  kept: Set<Backup>,
  count: number,
  periodOf: (time: number) => number,
): void {
  const periods = new Set<number>();
  for (const backup of newestFirst) {
    const period = periodOf(timeOf(backup));
    if (periods.has(period)) continue;
    if (periods.size === count) return;
    periods.add(period);
    kept.add(backup);
  }
}

export const timeOf = ({ made }: Pick<Backup, 'made'>): number => Date.parse(made);
