/**
 * When a request may be retried on a new connection without any effect for the visitor (RFC 9110
 * section 9.2.2, RFC 9112 section 9.3.1).
 */

/** RFC 9110 section 9.2.2: idempotent methods. */
export const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/** Maximum retries of a refused request: an origin may stay at its limit for long. */
const MAX_REFUSED_RETRIES = 3;

/**
 * A request that the origin has not processed is safe to retry, whatever its method (RFC 9113
 * section 8.7). `canRepeat`: all sent bytes of the body are still available.
 */
export const mayRepeatRefused = (retries: number, canRepeat: boolean): boolean =>
  canRepeat && retries < MAX_REFUSED_RETRIES;

/** A request whose connection was lost. */
interface Attempt {
  readonly method: string;
  /** The connection had been idle: the origin may have closed it before the request arrived. */
  readonly isReused: boolean;
  /** A byte of the response was received. */
  readonly hasReceived: boolean;
  /** A part of the request body was read: the body cannot be sent again from its start. */
  readonly isBodyBegun: boolean;
  /** An upgrade was requested. */
  readonly isUpgrade: boolean;
  readonly retries: number;
}

/**
 * Retries only what an ordinary close of an idle connection explains: the connection had been idle,
 * and no response byte was received. A fresh connection that breaks is a fault of the origin, whose
 * load a retry would double. Methods that are not idempotent are never retried: the origin may have
 * acted. One retry is enough: it has a new connection.
 */
export function mayRetry({ method, isReused, hasReceived, isBodyBegun, isUpgrade, retries }: Attempt): boolean {
  return isReused && !hasReceived && !isBodyBegun && !isUpgrade && retries === 0 && IDEMPOTENT.has(method);
}
