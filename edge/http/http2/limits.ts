/**
 * What one session may cost. Every limit with its unit and why it is what it is; a server may set
 * each again.
 */

export interface Http2Limits {
  /**
   * Streams open at a time, and such whose client has reset them while their handler still works
   * (CVE-2023-44487).
   */
  readonly maxConcurrentStreams: number;
  /** Bytes of a request's fields as RFC 9113 section 6.5.2 counts them; more is answered by 431. */
  readonly maxHeaderListSize: number;
  /** Fields of a request, all crumbs of its cookie being one; more is answered by 431. */
  readonly maxHeaderCount: number;
  /**
   * Bytes of a header block as it is sent, all its frames: kept before any is decoded
   * (CVE-2024-27983).
   */
  readonly maxHeaderBlock: number;
  /** CONTINUATION frames of a header block; empty ones cost no bytes. */
  readonly maxContinuations: number;
  /** Bytes of the table that this side decodes with: SETTINGS_HEADER_TABLE_SIZE. */
  readonly headerTableSize: number;
  /**
   * Bytes of request body that a stream may have waiting for its handler:
   * SETTINGS_INITIAL_WINDOW_SIZE.
   */
  readonly streamWindow: number;
  /**
   * The same for all streams of the session together, and so the most memory that a client's bodies
   * take.
   */
  readonly sessionWindow: number;
  /** Bytes of response that a stream holds before `write` says false. */
  readonly streamBuffer: number;
  /** The same for all streams of the session together; past it each holds one part at most. */
  readonly sessionBuffer: number;

  /**
   * Floods: so many frames at once, and so many a second for longer. What passes them ends the
   * session.
   */
  readonly settingsBurst: number;
  readonly settingsRate: number;
  readonly pingBurst: number;
  readonly pingRate: number;
  /**
   * RST_STREAM of the client, and such of ours that it provoked (CVE-2023-44487, CVE-2025-8671);
   * heads that are refused, such as those that are too large.
   */
  readonly resetBurst: number;
  readonly resetRate: number;
  /** DATA without bytes and without END_STREAM, and frames of unknown types. */
  readonly emptyBurst: number;
  readonly emptyRate: number;
  /** WINDOW_UPDATE beyond what the DATA sent to the client explains. */
  readonly windowUpdateBurst: number;
  readonly windowUpdateRate: number;
  /** PRIORITY and PRIORITY_UPDATE. */
  readonly priorityBurst: number;
  readonly priorityRate: number;

  /**
   * Milliseconds, which are looked at once a second (clock.ts), as are those below: from the
   * connection's begin to the end of its preface, the first SETTINGS.
   */
  readonly prefaceTimeout: number;
  /** Milliseconds until our SETTINGS are acknowledged (RFC 9113 section 6.5.3). */
  readonly settingsTimeout: number;
  /** Seconds that a header block, or a frame other than DATA, may be incomplete. */
  readonly headerTimeout: number;
  /** Milliseconds without a stream after which the session is closed. */
  readonly idleTimeout: number;
  /**
   * Milliseconds in which a body must have moved on by `minRate` bytes each, in either direction,
   * while the client is who is waited for.
   */
  readonly stallTimeout: number;
  /** Bytes a second. */
  readonly minRate: number;
  /**
   * Milliseconds that a request may be open with nothing going either way, be it that its handler
   * says nothing: 408 or 504, or RST_STREAM once there is a head.
   */
  readonly streamIdleTimeout: number;
  /** The same for a tunnel (RFC 9113 section 8.5, RFC 8441). */
  readonly tunnelIdleTimeout: number;
  /**
   * Milliseconds that a connection is read from after the last frame to it, so that the client gets
   * to see that.
   */
  readonly lingerTimeout: number;
}

export const DEFAULT_LIMITS: Http2Limits = {
  maxConcurrentStreams: 128, // RFC 9113 section 6.5.2: at least 100
  maxHeaderListSize: 32_768, // browsers send 1–3 KB, cookies 4 KB each
  maxHeaderCount: 128,
  maxHeaderBlock: 65_536, // a list of the size above, written badly
  maxContinuations: 8, // the block above takes three of 16 KB
  headerTableSize: 4096, // what holds without a setting: larger ones are a session's memory for little gain
  streamWindow: 256 * 1024, // 40 Mbit/s at 50 ms
  sessionWindow: 1024 * 1024, // four streams at their full rate
  streamBuffer: 128 * 1024,
  sessionBuffer: 1024 * 1024,
  settingsBurst: 50, // clients send one, and one more when a window is tuned
  settingsRate: 2,
  pingBurst: 500, // gRPC measures bandwidth with one a round trip
  pingRate: 50,
  resetBurst: 500, // a page left while it loads resets up to all its streams
  resetRate: 30,
  emptyBurst: 100,
  emptyRate: 10,
  windowUpdateBurst: 2000,
  windowUpdateRate: 200,
  priorityBurst: 500, // one a stream, and five at the begin of older browsers
  priorityRate: 50,
  prefaceTimeout: 10_000,
  settingsTimeout: 30_000,
  headerTimeout: 15_000,
  idleTimeout: 180_000, // longer than browsers keep a connection that they don't use
  stallTimeout: 30_000,
  minRate: 240, // as Apache's and IIS's defaults have it, far below any modem
  streamIdleTimeout: 300_000, // as Envoy's; longer than origins are usually waited for
  tunnelIdleTimeout: 600_000, // WebSockets are pinged each minute or so
  lingerTimeout: 2_000,
};
