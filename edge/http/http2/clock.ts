/**
 * The seconds that time-outs are counted in: one interval for all sessions of a thread, which runs
 * while there are any. A time-out is late by up to a second, and costs nothing until then.
 */
import { sweepEvery } from '../exchange/sweep.ts';

export interface Ticking {
  /** `now`: whole seconds of the clock. */
  tick(now: number): void;
}

export interface Clock {
  /** Whole seconds, from a begin of its own; never goes back. */
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
    // The connections keep the thread alive, not their clock.
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
