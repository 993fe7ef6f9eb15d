/**
 * Damaged values in etcd. Logs when they are found and when they are mended, and keeps a readiness
 * warning for a while, since most are mended at once.
 */
import type { Logger } from '../base/log/index.ts';

/** Milliseconds for which the warning remains after the damage was last found. */
const REPORTED_MS = 60_000;

/** The finder: core/cluster/members.ts, or the journal. */
type Source = 'members' | 'log';

interface DamagedValue {
  readonly source: Source;
  readonly reason: string;
  /** Time when it was last found, by performance.now(). */
  at: number;
  isMended: boolean;
}

export class DamageLog {
  readonly #values = new Map<string, DamagedValue>();

  constructor(private readonly log: Logger) {}

  /** `damaged`: all values that the source finds damaged now, reasons by key. */
  note(source: Source, damaged: ReadonlyMap<string, string>, now = performance.now()): void {
    for (const [key, reason] of damaged) {
      const before = this.#values.get(key);
      if (before?.reason !== reason || before.isMended)
        this.log.warn('a value in etcd is damaged; reading it again', { key, reason });
      this.#values.set(key, { source, reason, at: now, isMended: false });
    }
    for (const [key, found] of this.#values) {
      if (found.source !== source || damaged.has(key)) continue;
      if (!found.isMended) this.log.info('a value in etcd is readable again', { key });
      found.isMended = true;
      if (now - found.at > REPORTED_MS) this.#values.delete(key);
    }
  }

  /** Number of values that are damaged now. */
  get count(): number {
    let count = 0;
    for (const { isMended } of this.#values.values()) if (!isMended) count++;
    return count;
  }

  warnings(now = performance.now()): string[] {
    return [...this.#values]
      .filter(([, { at, isMended }]) => !isMended || now - at <= REPORTED_MS)
      .map(([key, { reason, at, isMended }]) => {
        const end = isMended ? `; it was mended within the last ${Math.ceil((now - at) / 1000)} seconds` : '';
        return `the value of ${key} in etcd was damaged: ${reason}${end}`;
      });
  }
}
