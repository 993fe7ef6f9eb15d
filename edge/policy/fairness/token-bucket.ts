/** A rate per second, of which one second's worth may come at once. */
export class TokenBucket {
  readonly #rate: number;
  #tokens: number;
  #filledAt: number;

  constructor(rate: number, now: number) {
    this.#rate = rate;
    this.#tokens = Math.max(1, rate);
    this.#filledAt = now;
  }

  /** `now`: milliseconds. */
  take(now: number): boolean {
    const earned = (Math.max(0, now - this.#filledAt) * this.#rate) / 1000;
    this.#filledAt = now;
    this.#tokens = Math.min(Math.max(1, this.#rate), this.#tokens + earned);
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
