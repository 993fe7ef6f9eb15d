/**
 * Priorities for the journal of systemd: a line that begins with `<6>` has the priority 6
 * (sd-daemon(3)). They are written only where standard error leads to the journal.
 */
import { fstatSync } from 'node:fs';

/** syslog(3): LOG_ERR, LOG_WARNING, LOG_INFO, LOG_DEBUG. */
const PRIORITIES = { error: 3, warn: 4, info: 6, debug: 7 } as const;

/**
 * Whether the file leads to the journal: systemd sets JOURNAL_STREAM to device and inode of the
 * stream that it has connected (systemd.exec(5)). A stream that was redirected is another one.
 */
export function isJournal(stream: string | undefined, descriptor: number): boolean {
  if (stream === undefined) return false;
  try {
    const { dev, ino } = fstatSync(descriptor, { bigint: true });
    return stream === `${dev}:${ino}`;
  } catch {
    return false;
  }
}

/** Puts the priority before each line of an entry, since the journal stores each line. */
export function withPriority(level: keyof typeof PRIORITIES, entry: string): string {
  return entry.replace(/^(?=.)/gm, `<${PRIORITIES[level]}>`);
}
