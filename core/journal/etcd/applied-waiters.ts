/** Promises that resolve when an entry of the log is applied on this node. */
import { withTimeout } from '../../base/timers.ts';

export class AppliedWaiters {
  #waiting: { readonly to: number; resolve(): void; reject(error: Error): void }[] = [];

  /** Resolves when the entry is applied. Rejects with the error given to `rejectAll`. */
  waitFor(sequence: number): Promise<void> {
    return new Promise((resolve, reject) => this.#waiting.push({ to: sequence, resolve, reject }));
  }

  /** Like `waitFor`, but rejects with `late` after a timeout. */
  waitWithTimeout(sequence: number, milliseconds: number, late: Error): Promise<void> {
    return withTimeout(this.waitFor(sequence), milliseconds, () => {
      throw late;
    });
  }

  /** All entries up to `head` are applied. */
  resolveUpTo(head: number): void {
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ to }) => to > head);
    for (const { to, resolve } of waiting) if (to <= head) resolve();
  }

  /** No further entry will be applied. */
  rejectAll(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}
