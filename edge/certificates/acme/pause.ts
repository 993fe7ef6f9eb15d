/** For how long nobody orders after a directory has failed. */
import type { Id } from '../../../core/store/keys.ts';
import type { Fault } from './failure.ts';

/** Seconds, twice as long each time. */
const FIRST = 5;
const LONGEST = 600;

export class Pause {
  /** Seconds since 1970. */
  until = 0;
  #failures = 0;
  /** Accounts that met a limit, one after the other. */
  readonly #limited = new Set<Id>();

  /** An order has ended in a certificate, or by another's fault. */
  clear(): void {
    this.#failures = 0;
    this.#limited.clear();
  }

  /**
   * A limit may be that of a single domain, which says nothing of others; only when it meets one
   * account after the other the service waits for longer.
   */
  note(fault: Fault, accountId: Id, now: number): void {
    if (fault !== 'limit' && fault !== 'directory') {
      this.clear();
      return;
    }
    if (fault === 'limit') this.#limited.add(accountId);
    else this.#failures++;
    const times = fault === 'limit' ? this.#limited.size : this.#failures;
    this.until = now + Math.min(FIRST * 2 ** (times - 1), LONGEST);
  }
}
