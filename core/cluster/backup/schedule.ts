/** When the next backup is due. A pure function. */

const DAY_MS = 86_400_000;

interface Schedule {
  /** Seconds. */
  readonly interval: number;
  /** HH:MM in UTC; undefined: any time. */
  readonly at?: string;
}

/** Times in milliseconds since 1970. `last`: time of the latest backup; null: none. */
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
