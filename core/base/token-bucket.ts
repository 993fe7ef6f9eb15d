/** A rate with bursts: tokens fill up at a steady rate, and each use takes some. */
export interface Rate {
  /** Tokens at once, at most. */
  readonly burst: number;
  readonly perSecond: number;
}

export class TokenBucket {
  readonly #burst: number;
  readonly #perMs: number;
  #tokens: number;
  #filledAt: number;

  /** `now`: milliseconds, of the same clock as in `take`. The bucket is full. */
  constructor({ burst, perSecond }: Rate, now: number) {
    this.#burst = burst;
    this.#perMs = perSecond / 1000;
    this.#tokens = burst;
    this.#filledAt = now;
  }

  /** Takes the tokens if there are so many; returns whether it did. */
  take(now: number, tokens = 1): boolean {
    const isThere = this.has(now, tokens);
    if (isThere) this.#tokens -= tokens;
    return isThere;
  }

  has(now: number, tokens = 1): boolean {
    // A clock that was set back fills nothing.
    const elapsed = Math.max(0, now - this.#filledAt);
    this.#tokens = Math.min(this.#burst, this.#tokens + elapsed * this.#perMs);
    this.#filledAt = now;
    return this.#tokens >= tokens;
  }
}
