/**
 * The clock of deadlines: one interval timer for all connections of a client, so that a request
 * sets no timer. It runs while the client has pools.
 */
import { sweepEvery } from '../http/exchange/clock.ts';

/** Ticks within the shortest timeout. They bound how late a timeout fires. */
const TICKS = 4;
const MAX_PERIOD_MS = 250;
const MIN_PERIOD_MS = 10;

export class OriginClock {
  /** Milliseconds of a monotonic clock at the last tick. */
  now = performance.now();
  readonly #period: number;
  readonly #onTick: (now: number) => void;
  #timer: NodeJS.Timeout | undefined;

  /** `shortest`: the shortest timeout in milliseconds. */
  constructor(shortest: number, onTick: (now: number) => void) {
    this.#period = Math.max(MIN_PERIOD_MS, Math.min(MAX_PERIOD_MS, Math.floor(shortest / TICKS)));
    this.#onTick = onTick;
  }

  /** A deadline in so many milliseconds. It may fire up to two ticks late, but never early. */
  after(milliseconds: number): number {
    return this.now + milliseconds + this.#period;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.now = performance.now();
    // The timer does not keep the thread alive; open connections do.
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
