/** Clock of a scheduler. The simulator can advance it, and tests use a fake one. */

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls `wake` once at about `time`, possibly earlier. Returns a function that cancels it. */
  wakeAt(time: number, wake: () => void): () => void;
}

/** Milliseconds. The system clock can be changed, and Node's timers last at most 24 days. */
const LONGEST_SLEEP = 60_000;

/** The system clock plus an offset. */
export class SystemClock implements Clock {
  readonly #waiting = new Set<() => void>();
  #offset = 0;

  /** Milliseconds ahead of the clock of the system. */
  get offset(): number {
    return this.#offset;
  }

  now(): number {
    return Date.now() + this.#offset;
  }

  /** Advances the clock and calls all pending `wake` functions. */
  advance(milliseconds: number): void {
    this.#offset += Math.round(milliseconds);
    for (const wake of [...this.#waiting]) wake();
  }

  wakeAt(time: number, wake: () => void): () => void {
    const end = (): void => {
      clearTimeout(timer);
      this.#waiting.delete(woken);
    };
    const woken = (): void => {
      end();
      wake();
    };
    const timer = setTimeout(woken, Math.max(0, Math.min(time - this.now(), LONGEST_SLEEP)));
    this.#waiting.add(woken);
    return end;
  }
}
