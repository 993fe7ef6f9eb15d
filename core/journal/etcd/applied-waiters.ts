/** Who waits until an entry of the log is applied here. */

export class Arrivals {
  #waiting: { readonly to: number; resolve(): void; reject(error: Error): void }[] = [];

  /** Resolves when it is applied. Rejects with what `failed` says. */
  of(sequence: number): Promise<void> {
    return new Promise((resolve, reject) => this.#waiting.push({ to: sequence, resolve, reject }));
  }

  /** As `of`; rejects with `late` after so many milliseconds. */
  async soon(sequence: number, milliseconds: number, late: Error): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const isLate = new Promise<never>((_, reject) => {
      timer = setTimeout(reject, milliseconds, late).unref();
    });
    await Promise.race([this.of(sequence), isLate]).finally(() => clearTimeout(timer));
  }

  /** All up to this one are applied. */
  reached(head: number): void {
    const before = this.#waiting;
    this.#waiting = before.filter(({ to }) => to > head);
    for (const { to, resolve } of before) if (to <= head) resolve();
  }

  /** Nothing more will be. */
  failed(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}
