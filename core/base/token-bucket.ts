interface Rate {
  /** Maximum of tokens. */
  readonly burst: number;
  readonly perSecond: number;
}

/** A rate limit with bursts: tokens are added at a steady rate, and each use takes some. */
export class TokenBucket {
  readonly #burst: number;
  readonly #perMs: number;
  #tokens: number;
  #filledAt: number;

  /** `now`: milliseconds of the same clock as in `take`. The bucket starts full. */
  constructor({ burst, perSecond }: Rate, now: number) {
    this.#burst = burst;
    this.#perMs = perSecond / 1000;
    this.#tokens = burst;
    this.#filledAt = now;
  }

  /** Takes the tokens if there are enough; returns whether it did. */
  take(now: number, tokens = 1): boolean {
    const isThere = this.has(now, tokens);
    if (isThere) this.#tokens -= tokens;
    return isThere;
  }

  has(now: number, tokens = 1): boolean {
    // A clock that was set back adds no tokens.
    const elapsed = Math.max(0, now - this.#filledAt);
    this.#tokens = Math.min(this.#burst, this.#tokens + elapsed * this.#perMs);
    this.#filledAt = now;
    return this.#tokens >= tokens;
  }
}
