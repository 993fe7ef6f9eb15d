/**
 * Timeouts of each part of an exchange with an origin, and limits of connections and requests. The
 * reasons for the defaults are documented with the settings (core/config/origin-settings.ts).
 */

export interface OriginLimits {
  /** Milliseconds for TCP, over all addresses. */
  readonly connectTimeout: number;
  /** Milliseconds for TCP and the TLS handshake. */
  readonly tlsTimeout: number;
  /** Milliseconds from the end of the request to the end of the response's head. */
  readonly headerTimeout: number;
  /** Milliseconds without a byte of the body, in either direction. */
  readonly idleTimeout: number;
  /**
   * Minimum rate of a request body in bytes per second while it has a connection, and the
   * milliseconds over which it is measured.
   */
  readonly bodyRate: number;
  readonly bodyWindow: number;
  /** Idle timeout of a connection in milliseconds. */
  readonly keepAlive: number;
  /** Maximum connections to one origin. */
  readonly connections: number;
  /** Maximum requests that wait for a connection to one origin. */
  readonly waiting: number;
  /** Maximum connections to all origins. */
  readonly totalConnections: number;
  /** Maximum bytes of a head, and of trailers. */
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
