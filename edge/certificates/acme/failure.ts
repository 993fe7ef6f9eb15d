/** Why an order failed: for the customer, and for scheduling the retry. */

/**
 * `directory`: other orders would fail now too. `limit`: other orders may fail too. `operator`:
 * fails until the operator changes a setting. `domain`: only this domain is affected.
 */
export type Fault = 'domain' | 'directory' | 'limit' | 'operator';

export class OrderFailure extends Error {
  readonly fault: Fault;
  /** Additional detail for the operator's log; null: none. */
  readonly detail: string | null;
  /** Seconds; null: the directory sent no Retry-After. */
  readonly retryAfter: number | null;

  /** `message`: for the customer, a sentence or two: the problem and the next step. */
  constructor(
    /** Stable, for metrics and the log. */
    readonly code: string,
    message: string,
    options: { fault?: Fault; detail?: string; retryAfter?: number | null; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.fault = options.fault ?? 'domain';
    this.detail = options.detail ?? null;
    this.retryAfter = options.retryAfter ?? null;
  }
}
