/**
 * Why an order has failed: for the customer, and for the code that decides when it is tried again.
 */

/**
 * `directory`: others would fail as well just now; `limit`: others might; `operator`: until
 * somebody changes a setting.
 */
export type Fault = 'domain' | 'directory' | 'limit' | 'operator';

export class OrderFailure extends Error {
  readonly fault: Fault;
  /** Stable, for metrics and the log. */
  readonly code: string;
  /** What the log has in addition, for the operator. */
  readonly detail: string | null;
  /** Seconds; null: the directory says nothing. */
  readonly retryAfter: number | null;

  /** `message`: a sentence or two that the customer understands, what is wrong and what to do. */
  constructor(
    code: string,
    message: string,
    options: { fault?: Fault; detail?: string; retryAfter?: number | null; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.fault = options.fault ?? 'domain';
    this.detail = options.detail ?? null;
    this.retryAfter = options.retryAfter ?? null;
  }
}
