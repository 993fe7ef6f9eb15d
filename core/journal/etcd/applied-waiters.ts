/** Promises that resolve when an entry of the log is applied on this node. */

export class AppliedWaiters {
  #waiting: { readonly to: number; resolve(): void; reject(error: Error): void }[] = [];

  /** Resolves when the entry is applied. Rejects with the error given to `rejectAll`. */
  waitFor(sequence: number): Promise<void> {
    return new Promise((resolve, reject) => this.#waiting.push({ to: sequence, resolve, reject }));
  }

  /** Like `waitFor`, but rejects with `late` after a timeout. */
  async waitWithTimeout(sequence: number, milliseconds: number, late: Error): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(reject, milliseconds, late).unref();
    });
    await Promise.race([this.waitFor(sequence), timeout]).finally(() => clearTimeout(timer));
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
