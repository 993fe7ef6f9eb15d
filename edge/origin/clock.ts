/**
 * The time that deadlines are counted in: one interval for all connections of a client, so that a
 * request sets no timer. It runs while there is something to watch.
 */
import { sweepEvery } from '../http/exchange/sweep.ts';

/** Ticks within the shortest time-out: none is met more than so much of it late. */
const TICKS = 4;
const MOST_MS = 250;
const LEAST_MS = 10;

export class OriginClock {
  /** Milliseconds, from a begin of its own; of the last tick. */
  now = performance.now();
  readonly #period: number;
  readonly #onTick: (now: number) => void;
  #timer: NodeJS.Timeout | undefined;

  /** `shortest`: time-out in milliseconds. */
  constructor(shortest: number, onTick: (now: number) => void) {
    this.#period = Math.max(LEAST_MS, Math.min(MOST_MS, Math.floor(shortest / TICKS)));
    this.#onTick = onTick;
  }

  /** The time so many milliseconds ahead, or up to two ticks more: never less. */
  after(milliseconds: number): number {
    return this.now + milliseconds + this.#period;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.now = performance.now();
    // The connections keep the thread alive, not their clock.
    this.#timer = sweepEvery(this.#period, () => {
      this.now = performance.now();
      this.#onTick(this.now);
    });
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
