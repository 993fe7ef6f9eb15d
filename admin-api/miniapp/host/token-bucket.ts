/** A rate with bursts: tokens fill up at a steady rate, and each use takes some. */
export class TokenBucket {
  readonly #capacity: number;
  readonly #perMs: number;
  readonly #now: () => number;
  #tokens: number;
  #filledAt: number;

  /** `now`: milliseconds of a clock that never runs backwards. */
  constructor(capacity: number, perSecond: number, now: () => number) {
    this.#capacity = capacity;
    this.#perMs = perSecond / 1000;
    this.#now = now;
    this.#tokens = capacity;
    this.#filledAt = now();
  }

  /** Takes the tokens if there are so many; returns whether it did. */
  take(tokens: number): boolean {
    const now = this.#now();
    const elapsed = Math.max(0, now - this.#filledAt);
    this.#tokens = Math.min(this.#capacity, this.#tokens + elapsed * this.#perMs);
    this.#filledAt = now;
    if (tokens > this.#tokens) return false;
    this.#tokens -= tokens;
    return true;
  }
}
