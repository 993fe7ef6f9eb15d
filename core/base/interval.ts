/**
 * An interval that ends by the clock of the machine or by the monotonic clock, whichever is first.
 * Work that depends on the date follows soon after the machine was suspended, or after its clock
 * was set, forward or back.
 */

/** Milliseconds between looks at the clock of the machine. */
const LOOK_MS = 1000;
/** Milliseconds by which a time service may set the clock back without ending an interval. */
const SET_BACK_MS = 60_000;

/** By how much the clock of the machine is ahead of the monotonic one, in milliseconds. */
export const clockOffset = (now: () => number = Date.now): number => now() - performance.now();

export class Interval {
  readonly #end: number;
  readonly #offset: number;
  readonly #now: () => number;

  /**
   * Begins now. `now`: milliseconds since 1970. `offset`: of the clock, before the work that the
   * interval follows, which may have read the date before the clock was set.
   */
  constructor(milliseconds: number, now: () => number = () => Date.now(), offset = clockOffset(now)) {
    this.#end = performance.now() + milliseconds;
    this.#offset = offset;
    this.#now = now;
  }

  /** Milliseconds until the next look; 0: the interval has ended. */
  remaining(): number {
    const left = this.#end - performance.now();
    const byDate = this.#end - (this.#now() - this.#offset);
    return left <= 0 || byDate <= 0 || byDate > left + SET_BACK_MS ? 0 : Math.min(left, LOOK_MS);
  }
}
