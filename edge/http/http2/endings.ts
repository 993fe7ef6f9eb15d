/**
 * The reasons why a session or a stream ends prematurely, each with its counter, its error code and
 * the cause that the handler receives. Streams end by RST_STREAM (RFC 9113 section 5.4.2), sessions
 * by GOAWAY (section 5.4.1).
 */
import type { AbortCause } from '../exchange/exchange.ts';
import { ERROR_CODE, type ErrorCode } from './protocol.ts';

export interface Ending {
  /** Name in counters and logs. */
  readonly name: string;
  readonly code: ErrorCode;
  readonly cause: AbortCause;
}

/** Why the session has to end; null: it continues. */
export type Failure = Ending | null;

const ending = (name: string, code: keyof typeof ERROR_CODE, cause: AbortCause): Ending => ({
  name,
  code: ERROR_CODE[code],
  cause,
});

/** Endings of sessions. */
export const SESSION_ENDING = {
  /** The client closed the connection. */
  closed: ending('session_closed', 'NO_ERROR', 'client'),
  broken: ending('session_broken', 'NO_ERROR', 'client'),
  idle: ending('session_idle', 'NO_ERROR', 'limit'),
  drained: ending('session_drained', 'NO_ERROR', 'drain'),
  destroyed: ending('session_destroyed', 'NO_ERROR', 'drain'),
  badPreface: ending('session_bad_preface', 'PROTOCOL_ERROR', 'protocol'),
  protocol: ending('session_protocol', 'PROTOCOL_ERROR', 'protocol'),
  frameSize: ending('session_frame_size', 'FRAME_SIZE_ERROR', 'protocol'),
  flowControl: ending('session_flow_control', 'FLOW_CONTROL_ERROR', 'protocol'),
  compression: ending('session_compression', 'COMPRESSION_ERROR', 'protocol'),
  streamClosed: ending('session_stream_closed', 'STREAM_CLOSED', 'protocol'),
  settingsFlood: ending('session_settings_flood', 'ENHANCE_YOUR_CALM', 'limit'),
  pingFlood: ending('session_ping_flood', 'ENHANCE_YOUR_CALM', 'limit'),
  resetFlood: ending('session_reset_flood', 'ENHANCE_YOUR_CALM', 'limit'),
  emptyFlood: ending('session_empty_flood', 'ENHANCE_YOUR_CALM', 'limit'),
  windowUpdateFlood: ending('session_window_update_flood', 'ENHANCE_YOUR_CALM', 'limit'),
  priorityFlood: ending('session_priority_flood', 'ENHANCE_YOUR_CALM', 'limit'),
  continuationFlood: ending('session_continuation_flood', 'ENHANCE_YOUR_CALM', 'limit'),
  slowPreface: ending('session_slow_preface', 'ENHANCE_YOUR_CALM', 'limit'),
  slowHeaders: ending('session_slow_headers', 'ENHANCE_YOUR_CALM', 'limit'),
  slowReader: ending('session_slow_reader', 'ENHANCE_YOUR_CALM', 'limit'),
  settingsTimeout: ending('session_settings_timeout', 'SETTINGS_TIMEOUT', 'limit'),
} as const;

/** Endings of streams. */
export const STREAM_ENDING = {
  /** The client reset the stream. */
  cancelled: ending('stream_cancelled', 'CANCEL', 'client'),
  refused: ending('stream_refused', 'REFUSED_STREAM', 'limit'),
  /** RFC 9113 section 8.1.1. */
  malformed: ending('stream_malformed', 'PROTOCOL_ERROR', 'protocol'),
  contentLength: ending('stream_content_length', 'PROTOCOL_ERROR', 'protocol'),
  flowControl: ending('stream_flow_control', 'FLOW_CONTROL_ERROR', 'protocol'),
  protocol: ending('stream_protocol', 'PROTOCOL_ERROR', 'protocol'),
  frameSize: ending('stream_frame_size', 'FRAME_SIZE_ERROR', 'protocol'),
  /** A frame for a stream that the client had ended. */
  closed: ending('stream_closed', 'STREAM_CLOSED', 'protocol'),
  trailersTooLarge: ending('stream_trailers_too_large', 'ENHANCE_YOUR_CALM', 'limit'),
  /** The client sends the request body too slowly. */
  slowBody: ending('stream_slow_body', 'ENHANCE_YOUR_CALM', 'limit'),
  /** The client does not open its flow-control window. */
  stalled: ending('stream_stalled', 'ENHANCE_YOUR_CALM', 'limit'),
  /**
   * No progress in either direction for too long, although the windows were open. Usually the
   * handler did not respond.
   */
  idle: ending('stream_idle', 'CANCEL', 'limit'),
  idleTunnel: ending('stream_idle_tunnel', 'CANCEL', 'limit'),
  /** The handler gave up. */
  aborted: ending('stream_aborted', 'INTERNAL_ERROR', 'client'),
  /** The handler threw, or broke its own content-length. */
  failed: ending('stream_failed', 'INTERNAL_ERROR', 'client'),
  /** The response was complete before the request (RFC 9113 section 8.1). */
  early: ending('stream_early', 'NO_ERROR', 'client'),
} as const;
