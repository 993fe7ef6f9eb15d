/**
 * Values in etcd that are damaged: reported when they are found and when they are mended, and for a
 * while to those who ask whether this node is ready, since most are mended at once.
 */
import type { Logger } from '../base/log/index.ts';

/** Milliseconds for which damage is reported after it was found last. */
const REPORTED_MS = 60_000;

/** Who has found it, and whether it still stands: core/cluster/members.ts, or the journal. */
type Source = 'members' | 'log';

interface Found {
  readonly source: Source;
  readonly reason: string;
  /** In the time of performance.now(). */
  at: number;
  isMended: boolean;
}

export class DamageLog {
  readonly #log: Logger;
  readonly #found = new Map<string, Found>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** `damaged`: reasons by key in etcd, all that the source has found now. */
  note(source: Source, damaged: ReadonlyMap<string, string>, now = performance.now()): void {
    for (const [key, reason] of damaged) {
      const before = this.#found.get(key);
      if (before?.reason !== reason || before.isMended)
        this.#log.warn('a value in etcd is damaged; looking again', { key, reason });
      this.#found.set(key, { source, reason, at: now, isMended: false });
    }
    for (const [key, found] of this.#found) {
      if (found.source !== source || damaged.has(key)) continue;
      if (!found.isMended) this.#log.info('a value in etcd is mended', { key });
      found.isMended = true;
      if (now - found.at > REPORTED_MS) this.#found.delete(key);
    }
  }

  /** Values that are damaged now. */
  get count(): number {
    let count = 0;
    for (const { isMended } of this.#found.values()) if (!isMended) count++;
    return count;
  }

  warnings(now = performance.now()): string[] {
    return [...this.#found]
      .filter(([, { at, isMended }]) => !isMended || now - at <= REPORTED_MS)
      .map(([key, { reason, at, isMended }]) => {
        const end = isMended ? `; it was mended within the last ${Math.ceil((now - at) / 1000)} seconds` : '';
        return `the value of ${key} in etcd was damaged: ${reason}${end}`;
      });
  }
}
