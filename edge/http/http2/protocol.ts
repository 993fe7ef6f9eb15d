/**
 * Numbers of HTTP/2 (RFC 9113): frame types, flags, error codes, settings and fixed sizes.
 */

/** Section 6, and PRIORITY_UPDATE of RFC 9218 section 7.1. */
export const FRAME = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
  PRIORITY_UPDATE: 16,
} as const;

export const FLAG = {
  ACK: 0x1, // SETTINGS, PING
  END_STREAM: 0x1, // DATA, HEADERS
  END_HEADERS: 0x4, // HEADERS, CONTINUATION
  PADDED: 0x8, // DATA, HEADERS
  PRIORITY: 0x20, // HEADERS
} as const;

/** Section 7. */
export const ERROR_CODE = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  INTERNAL_ERROR: 2,
  FLOW_CONTROL_ERROR: 3,
  SETTINGS_TIMEOUT: 4,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  CONNECT_ERROR: 10,
  ENHANCE_YOUR_CALM: 11,
  INADEQUATE_SECURITY: 12,
  HTTP_1_1_REQUIRED: 13,
} as const;

export type ErrorCode = (typeof ERROR_CODE)[keyof typeof ERROR_CODE];

/** Section 6.5.2, RFC 8441 section 3, RFC 9218 section 2.1. */
export const SETTING = {
  HEADER_TABLE_SIZE: 1,
  ENABLE_PUSH: 2,
  MAX_CONCURRENT_STREAMS: 3,
  INITIAL_WINDOW_SIZE: 4,
  MAX_FRAME_SIZE: 5,
  MAX_HEADER_LIST_SIZE: 6,
  ENABLE_CONNECT_PROTOCOL: 8,
  NO_RFC7540_PRIORITIES: 9,
} as const;

/** The connection preface of a client (section 3.4). */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** Bytes of a frame's header (section 4.1). */
export const FRAME_HEADER = 9;

/**
 * Defaults before any SETTINGS, in bytes: window (section 6.9.2) and maximum payload (section 4.2).
 */
export const DEFAULT_WINDOW = 65_535;
export const DEFAULT_FRAME_SIZE = 16_384;

/** Maximum of a window in bytes (section 6.9.1), and of a stream identifier (section 5.1.1). */
export const MAX_WINDOW = 0x7fff_ffff;
export const MAX_STREAM_ID = 0x7fff_ffff;
/** Maximum value of SETTINGS_MAX_FRAME_SIZE (section 6.5.2). */
export const MAX_FRAME_SIZE = 0xff_ffff;
