/**
 * When a request may be sent once more on a new connection, without anybody seeing it (RFC 9110
 * section 9.2.2, RFC 9112 section 9.3.1).
 */

/** RFC 9110 section 9.2.2: sent twice, they mean the same. */
export const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/** Times that a request is sent again which an origin refuses: it may be at its limit for long. */
const MOST_REFUSALS = 3;

/**
 * What the origin says it has not looked at is safe to send again, whatever the method (RFC 9113
 * section 8.7). `canRepeat`: all that was sent of the body is still there.
 */
export const mayRepeatRefused = (retries: number, canRepeat: boolean): boolean => canRepeat && retries < MOST_REFUSALS;

/** What is known of a request whose connection has gone. */
interface Attempt {
  readonly method: string;
  /** The connection had been idle: the origin may have closed it before this request came. */
  readonly isReused: boolean;
  /** A byte of a response has come. */
  readonly hasReceived: boolean;
  /** A part of the request's body was taken: it cannot be sent from its begin. */
  readonly isBodyBegun: boolean;
  /** A tunnel was asked for. */
  readonly isUpgrade: boolean;
  readonly retries: number;
}

/**
 * Only what the ordinary end of an unused connection explains: it had been idle, and nothing of a
 * response came. A fresh connection that breaks is a fault of the origin, which a second try would
 * only double. Methods that are not idempotent are never sent again: whether the origin acted is
 * not known. Once: the second try has a connection of its own.
 */
export function mayRetry({ method, isReused, hasReceived, isBodyBegun, isUpgrade, retries }: Attempt): boolean {
  return isReused && !hasReceived && !isBodyBegun && !isUpgrade && retries === 0 && IDEMPOTENT.has(method);
}
