/**
 * Levels of a load with hysteresis: a level is entered at once, and left when the value has stayed
 * below another, lower bound for a while. So a value near a bound does not change the level with
 * every reading.
 */

interface LadderOptions {
  /** The value at which each level from 1 on is entered, ascending. */
  readonly enter: readonly number[];
  /** The value below which each of these levels is left. */
  readonly leave: readonly number[];
  /** Milliseconds for which the value must stay below it. */
  readonly hold: number;
}

export class Ladder {
  readonly #options: LadderOptions;
  #level = 0;
  /** The highest level that the value has justified since `#since`. */
  #candidate = 0;
  #since = 0;

  constructor(options: LadderOptions) {
    this.#options = options;
  }

  get level(): number {
    return this.#level;
  }

  /** `now`: milliseconds of a clock that never goes back. Returns the level. */
  update(value: number, now: number): number {
    const { enter, leave, hold } = this.#options;
    const entered = enter.findLastIndex((bound) => value >= bound) + 1;
    const kept = leave.findLastIndex((bound, i) => i < this.#level && value >= bound) + 1;
    const justified = Math.max(entered, kept);
    if (justified >= this.#level) {
      this.#level = justified;
      this.#candidate = justified;
      this.#since = now;
      return this.#level;
    }
    if (this.#candidate >= this.#level) {
      this.#candidate = justified;
      this.#since = now;
    }
    this.#candidate = Math.max(this.#candidate, justified);
    if (now - this.#since < hold) return this.#level;
    this.#level = this.#candidate;
    this.#candidate = justified;
    this.#since = now;
    return this.#level;
  }
}
