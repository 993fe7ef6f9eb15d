/**
 * The clock of the timeouts: one interval of a second for all sessions of a thread. It runs while
 * there are any. A timeout is late by up to a second, and sessions need no timers of their own.
 */
import { sweepEvery } from '../exchange/clock.ts';

export interface Ticking {
  /** `now`: whole seconds of the clock. */
  tick(now: number): void;
}

export interface Clock {
  /** Whole seconds since an arbitrary start; monotonic. */
  readonly now: number;
  add(ticking: Ticking): void;
  remove(ticking: Ticking): void;
}

class ThreadClock implements Clock {
  readonly #tickings = new Set<Ticking>();
  #timer: NodeJS.Timeout | undefined;
  #now = Math.floor(performance.now() / 1000);

  get now(): number {
    return this.#now;
  }

  add(ticking: Ticking): void {
    this.#tickings.add(ticking);
    if (this.#timer !== undefined) return;
    this.#advance();
    // Connections keep the thread alive, the clock does not.
    this.#timer = sweepEvery(1000, () => this.#tick());
  }

  remove(ticking: Ticking): void {
    if (!this.#tickings.delete(ticking) || this.#tickings.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #advance(): void {
    this.#now = Math.floor(performance.now() / 1000);
  }

  #tick(): void {
    this.#advance();
    for (const ticking of this.#tickings) ticking.tick(this.#now);
  }
}

export const THREAD_CLOCK: Clock = new ThreadClock();
