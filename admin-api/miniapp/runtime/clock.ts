/** Time of a scheduler. The simulator moves it, tests go by one of their own. */

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls `wake` once, at `time` or later, and maybe earlier. Returns what cancels it. */
  wakeAt(time: number, wake: () => void): () => void;
}

/** Milliseconds. The system's clock may be set, and no timer of Node is longer than 24 days. */
const LONGEST_SLEEP = 60_000;

/** The clock of the system, and so far ahead as it was moved. */
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

  /** Moves the clock. What is due by then wakes now. */
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
