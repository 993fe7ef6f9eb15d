/**
 * What one connection of HTTP/1.1 may ask for. Every limit that is met is counted by its reason
 * (counters.ts).
 */
export interface Http1Limits {
  /**
   * Bytes of a request's target and fields, also of its trailers. Past it: 431. Default 32 KiB:
   * what common servers take in all.
   */
  readonly headerBytes: number;
  /** Field lines of a request. Past it: 431. A browser sends about 20. */
  readonly headerFields: number;
  /** Characters of a target. Past it: 414. RFC 9112 section 3 asks for 8,000 at least. */
  readonly targetLength: number;
  /**
   * Milliseconds from the first byte of a request, or from a connection's begin, to the end of its
   * head. Then: 408.
   */
  readonly headerTimeout: number;
  /** Milliseconds that a connection may be open without a request. */
  readonly idleTimeout: number;
  /**
   * Milliseconds over which the rate of a request's body is taken, while the handler takes what
   * comes.
   */
  readonly bodyTimeout: number;
  /** Bytes a second, over that window, that a body must come with at least. Else: 408. */
  readonly bodyRate: number;
  /** Bytes of a body that wait for the handler before no more are read. */
  readonly bodyBuffered: number;
  /**
   * Bytes of a body that are read and dropped after the response has ended, so that the connection
   * can be kept.
   */
  readonly discardedBytes: number;
  /** Milliseconds in which a client has to take a piece (64 KiB) of what there is to send. */
  readonly writeTimeout: number;
  /**
   * Requests of a connection: the last one's response closes it, so that clients spread over
   * threads and nodes again.
   */
  readonly requests: number;
  /**
   * Requests that wait behind the one that is handled. More than this is no client that waits for
   * answers.
   */
  readonly pipelined: number;
  /**
   * Milliseconds for which a connection that this side has closed waits for the client's end,
   * dropping what comes (RFC 9112 section 9.6).
   */
  readonly lingerTimeout: number;
  /**
   * Milliseconds that a request may be worked on with nothing going either way, be it that its
   * handler says nothing. Then: 408 or 504, or the connection's end once there is a head.
   */
  readonly streamIdleTimeout: number;
  /** Milliseconds that a tunnel may be open with nothing going either way. */
  readonly tunnelIdleTimeout: number;
}

export const DEFAULT_HTTP1_LIMITS: Http1Limits = {
  headerBytes: 32_768,
  headerFields: 128,
  targetLength: 8_192,
  headerTimeout: 10_000,
  idleTimeout: 60_000,
  bodyTimeout: 10_000,
  bodyRate: 250,
  bodyBuffered: 65_536,
  discardedBytes: 262_144,
  writeTimeout: 30_000,
  requests: 10_000,
  pipelined: 64,
  lingerTimeout: 2_000,
  streamIdleTimeout: 300_000,
  tunnelIdleTimeout: 600_000,
};

/**
 * How often connections are looked at: a quarter of the shortest of the limits in time, at most
 * once a second.
 */
export function sweepMs(limits: Http1Limits): number {
  const { headerTimeout, idleTimeout, bodyTimeout, writeTimeout, lingerTimeout } = limits;
  const shortest = Math.min(
    ...[headerTimeout, idleTimeout, bodyTimeout, writeTimeout, lingerTimeout],
    ...[limits.streamIdleTimeout, limits.tunnelIdleTimeout],
  );
  return Math.max(10, Math.min(1_000, shortest / 4));
}
