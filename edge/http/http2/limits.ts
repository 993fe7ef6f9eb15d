/**
 * Limits of a session, each with its unit and the reason for its default. A server may override
 * each of them.
 */
import type { BodyLimits } from '../exchange/body-pace.ts';

export interface Http2Limits extends BodyLimits {
  /**
   * Concurrent streams, including streams that were reset while their handlers still run
   * (CVE-2023-44487).
   */
  readonly maxConcurrentStreams: number;
  /** Bytes of a request's fields by RFC 9113 section 6.5.2. Larger requests get 431. */
  readonly maxHeaderListSize: number;
  /** Fields of a request. All lines of a split cookie count as one. More fields get 431. */
  readonly maxHeaderCount: number;
  /**
   * Encoded bytes of a header block in all its frames, which are buffered before decoding
   * (CVE-2024-27983).
   */
  readonly maxHeaderBlock: number;
  /** CONTINUATION frames of a header block. Empty ones would not count as bytes. */
  readonly maxContinuations: number;
  /** Bytes of the decoder's dynamic table: SETTINGS_HEADER_TABLE_SIZE. */
  readonly headerTableSize: number;
  /**
   * Bytes of request body that a stream may buffer for its handler: SETTINGS_INITIAL_WINDOW_SIZE.
   */
  readonly streamWindow: number;
  /**
   * The same for all streams of the session together. It limits the memory for a session's request
   * bodies.
   */
  readonly sessionWindow: number;
  /** Bytes of response that a stream may queue before `write` returns false. */
  readonly streamBuffer: number;
  /** The same for all streams of the session together. Above it each queues at most one part. */
  readonly sessionBuffer: number;

  /**
   * Flood limits: frames at once (burst), and frames per second (rate). The session ends if a limit
   * is exceeded.
   */
  readonly settingsBurst: number;
  readonly settingsRate: number;
  readonly pingBurst: number;
  readonly pingRate: number;
  /**
   * RST_STREAM frames of the client, resets of ours that it provoked (CVE-2023-44487,
   * CVE-2025-8671), and rejected heads.
   */
  readonly resetBurst: number;
  readonly resetRate: number;
  /** DATA without content and without END_STREAM, frames of unknown types, and GOAWAY. */
  readonly emptyBurst: number;
  readonly emptyRate: number;
  /** WINDOW_UPDATE frames in excess of those that the sent DATA frames justify. */
  readonly windowUpdateBurst: number;
  readonly windowUpdateRate: number;
  /** PRIORITY and PRIORITY_UPDATE. */
  readonly priorityBurst: number;
  readonly priorityRate: number;

  /**
   * Milliseconds from the start of the connection to the end of its preface, the first SETTINGS.
   * This and the timeouts below are checked once a second (clock.ts).
   */
  readonly prefaceTimeout: number;
  /** Milliseconds until our SETTINGS must be acknowledged (RFC 9113 section 6.5.3). */
  readonly settingsTimeout: number;
  /** Milliseconds for which a header block, or a frame other than DATA, may be incomplete. */
  readonly headerTimeout: number;
  /** Milliseconds without a stream after which the session is closed. */
  readonly idleTimeout: number;
  /**
   * Interval in milliseconds in which the client must read at `minRate` while the server waits for
   * it.
   */
  readonly stallTimeout: number;
  /** Bytes a second. */
  readonly minRate: number;
  /**
   * Milliseconds for which a request may be open without progress in either direction. Then it ends
   * with 408 or 504, or with RST_STREAM if the response head is sent.
   */
  readonly streamIdleTimeout: number;
  /** The same for a tunnel (RFC 9113 section 8.5, RFC 8441). */
  readonly tunnelIdleTimeout: number;
  /**
   * Milliseconds for which a connection stays open after the last frame, so the client can receive
   * the frame. After a complete response the stream stays open for as long while the client sends
   * no more of its body. The client could not read a response that arrives with its RST_STREAM.
   */
  readonly lingerTimeout: number;
  /** Bytes of a body that are discarded after its response, and the milliseconds for that. */
  readonly lingerBytes: number;
  readonly lingerDuration: number;
}

export const DEFAULT_LIMITS: Http2Limits = {
  maxConcurrentStreams: 128, // RFC 9113 section 6.5.2: at least 100
  maxHeaderListSize: 32_768, // browsers send 1–3 KB, cookies 4 KB each
  maxHeaderCount: 128,
  maxHeaderBlock: 65_536, // a list of the size above, encoded inefficiently
  maxContinuations: 8, // the block above takes three of 16 KB
  headerTableSize: 4096, // the protocol's default; larger tables take memory for little gain
  streamWindow: 256 * 1024, // 40 Mbit/s at 50 ms
  sessionWindow: 1024 * 1024, // four streams at their full rate
  streamBuffer: 128 * 1024,
  sessionBuffer: 1024 * 1024,
  settingsBurst: 50, // clients send one SETTINGS frame, and another to tune a window
  settingsRate: 2,
  pingBurst: 500, // gRPC sends a PING per round trip to measure the bandwidth
  pingRate: 50,
  resetBurst: 500, // leaving a page while it loads resets all its streams
  resetRate: 30,
  emptyBurst: 100,
  emptyRate: 10,
  windowUpdateBurst: 2000,
  windowUpdateRate: 200,
  priorityBurst: 500, // one frame a stream, and five at the start from older browsers
  priorityRate: 50,
  prefaceTimeout: 10_000,
  settingsTimeout: 30_000,
  headerTimeout: 15_000,
  idleTimeout: 180_000, // longer than browsers keep an idle connection
  stallTimeout: 30_000,
  bodyRate: 250,
  bodyWindow: 180_000,
  bodyPressedWindow: 10_000,
  bodyPause: 75_000, // nginx, HAProxy and Caddy allow 60 s
  minRate: 240, // as the defaults of Apache and IIS, far below any modem
  streamIdleTimeout: 300_000, // as Envoy's; longer than the usual timeouts for origins
  tunnelIdleTimeout: 600_000, // WebSockets send pings about once a minute
  lingerTimeout: 5_000, // as nginx's lingering_timeout
  lingerBytes: 64 * 1024 * 1024, // some clients read only when they have sent everything
  lingerDuration: 30_000, // as nginx's lingering_time
};
