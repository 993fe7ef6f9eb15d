/**
 * Limits retries to a percentage of requests, so that retries never multiply the load of failing
 * origins. A site with few requests always has a small reserve.
 */

/** Minimum burst of retries, and retries per second without requests. */
const RESERVE = 10;
const PER_SECOND = 1;

export class RetryBudget {
  readonly #perRequest: number;
  readonly #limit: number;
  #tokens = RESERVE;
  #filledAt: number;

  /** `percent`: retries as a percentage of requests. `now`: milliseconds of any clock. */
  constructor(percent: number, now: number) {
    this.#perRequest = percent / 100;
    // The budget of ten seconds with a hundred requests each.
    this.#limit = RESERVE + 10 * percent;
    this.#filledAt = now;
  }

  countRequest(): void {
    this.#tokens = Math.min(this.#limit, this.#tokens + this.#perRequest);
  }

  /** False: the budget is used up; the request is not retried. */
  takeRetry(now: number): boolean {
    if (this.#perRequest === 0) return false;
    if (this.#tokens < RESERVE)
      this.#tokens = Math.min(RESERVE, this.#tokens + (Math.max(0, now - this.#filledAt) / 1000) * PER_SECOND);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
