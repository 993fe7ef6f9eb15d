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

/** Idle milliseconds that an origin is expected to allow before anything is known of it. */
const EXPECTED_IDLE_MS = 1000;
/**
 * Milliseconds by which a connection is not used before the origin's idle timeout. A request must
 * not race with the origin's close.
 */
export const IDLE_MARGIN_MS = 1000;

/**
 * How long a connection to an origin may have been idle for a request that cannot be repeated. It
 * is learned from connections that the origin kept or closed. Durations are in milliseconds.
 */
export class SafeIdle {
  #limit = EXPECTED_IDLE_MS;

  allows(idle: number): boolean {
    return idle <= this.#limit;
  }

  /** The origin kept a connection that was idle for so long. */
  learnKept(idle: number): void {
    if (idle > this.#limit) this.#limit = idle;
  }

  /** The origin closed a connection that was idle for so long. */
  learnClosed(idle: number): void {
    this.#limit = Math.min(this.#limit, Math.max(idle - IDLE_MARGIN_MS, idle / 2));
  }
}

/** A request whose connection was lost. */
interface Attempt {
  readonly method: string;
  /** The connection had been idle: the origin may have closed it before the request arrived. */
  readonly isReused: boolean;
  /** A byte of the response was received. */
  readonly hasReceived: boolean;
  /** The whole request can be sent again: it has no body, or the edge has kept it. */
  readonly canRepeat: boolean;
  /** The origin ended the connection before its kernel received a byte of the request. */
  readonly isUnseen: boolean;
  /** An upgrade was requested. */
  readonly isUpgrade: boolean;
  readonly retries: number;
}

/**
 * Retries only what an ordinary close of an idle connection explains: the connection had been idle,
 * and no response byte was received. A fresh connection that breaks is a fault of the origin, whose
 * load a retry would double. Methods that are not idempotent are retried only if the origin cannot
 * have acted (RFC 9110 section 9.2.2). One retry is enough: it has a new connection.
 */
export function mayRetry({ method, isReused, hasReceived, canRepeat, isUnseen, isUpgrade, retries }: Attempt): boolean {
  const isSafe = isUnseen || IDEMPOTENT.has(method);
  return isSafe && isReused && canRepeat && !hasReceived && !isUpgrade && retries === 0;
}
