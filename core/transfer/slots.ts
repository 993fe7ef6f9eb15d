/** So many at a time; the others wait in line. */
export class Slots {
  readonly #most: number;
  #taken = 0;
  #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  get underWay(): number {
    return this.#taken;
  }

  /** Resolves to true with a slot, which is to be released, or to false when `cancelled` came first. */
  take(cancelled: AbortSignal): Promise<boolean> {
    if (cancelled.aborted) return Promise.resolve(false);
    if (this.#taken < this.#most) {
      this.#taken++;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const turn = (): void => {
        cancelled.removeEventListener('abort', leave);
        this.#taken++;
        resolve(true);
      };
      const leave = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== turn);
        resolve(false);
      };
      this.#waiting.push(turn);
      cancelled.addEventListener('abort', leave, { once: true });
    });
  }

  release(): void {
    this.#taken--;
    this.#waiting.shift()?.();
  }
}
