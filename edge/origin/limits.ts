/**
 * Deadlines of each part of an exchange with an origin, and how many there may be. What the
 * defaults are for stands with the settings (core/config/origin-settings.ts).
 */

export interface OriginLimits {
  /** Milliseconds: TCP, over all addresses. */
  readonly connectTimeout: number;
  /** Milliseconds: the same with TLS. */
  readonly tlsTimeout: number;
  /** Milliseconds from the end of the request to the end of the response's head. */
  readonly headerTimeout: number;
  /** Milliseconds without a byte of the body, either way. */
  readonly idleTimeout: number;
  /**
   * Bytes a second that the body of a request must bring while it has a connection, and
   * milliseconds over which that is measured.
   */
  readonly bodyRate: number;
  readonly bodyWindow: number;
  /** Milliseconds that a connection is kept without a request. */
  readonly keepAlive: number;
  /** To one origin. */
  readonly connections: number;
  /** Requests that wait for a connection to one origin. */
  readonly waiting: number;
  /** To all origins. */
  readonly totalConnections: number;
  /** Of a head, and of trailers. */
  readonly maxHeaderBytes: number;
}

export const DEFAULT_LIMITS: OriginLimits = {
  connectTimeout: 5000,
  tlsTimeout: 10_000,
  headerTimeout: 60_000,
  idleTimeout: 60_000,
  bodyRate: 1024,
  bodyWindow: 30_000,
  keepAlive: 60_000,
  connections: 512,
  waiting: 1024,
  totalConnections: 8192,
  maxHeaderBytes: 65_536,
};
