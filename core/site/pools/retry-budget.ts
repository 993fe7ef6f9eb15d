/**
 * Limits retries to a part of the requests, so that they never multiply the load of origins that
 * fail. A site with few requests may always retry some.
 */

/** Retries that are allowed at once, and each second without any request. */
const RESERVE = 10;
const PER_SECOND = 1;

export class RetryBudget {
  readonly #perRequest: number;
  readonly #limit: number;
  #tokens = RESERVE;
  #filledAt: number;

  /** `percent`: of the requests. `now`: milliseconds of any clock. */
  constructor(percent: number, now: number) {
    this.#perRequest = percent / 100;
    // Ten seconds of a hundred requests each.
    this.#limit = RESERVE + 10 * percent;
    this.#filledAt = now;
  }

  countRequest(): void {
    this.#tokens = Math.min(this.#limit, this.#tokens + this.#perRequest);
  }

  /** False: the request is not retried. */
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
