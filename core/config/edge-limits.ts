/**
 * The limits of the edge as settings: what one connection, session or request may cost. Their keys are the fields of the limits in edge/, with the version of HTTP before
 * them; what each default is for stands there, too.
 */
import { bytes, integer, type Kind } from './kinds.ts';
import { memoryShare } from './memory.ts';
import type { Setting } from './schema.ts';

const KB = 1024;
const MB = 1024 * KB;
const GB = 1024 * MB;
const size = bytes(1 * KB, 64 * MB);
const count = integer(1, 1_000_000);
const milliseconds = integer(100, 86_400_000, 'milliseconds');

function limit(kind: Kind<number>, standard: number, doc: string): Setting<number> {
  return { kind, standard: () => standard, doc, secret: false };
}

/** Two settings of a flood: so many at once, and so many a second for longer. */
const burst = (standard: number, what: string): Setting<number> =>
  limit(count, standard, `HTTP/2: so many ${what} at once are taken from a client; more end the session.`);
const rate = (standard: number, what: string): Setting<number> =>
  limit(count, standard, `HTTP/2: so many ${what} a second are taken for longer than a burst.`);

/** Of connections, before any HTTP. */
const CONNECTIONS = {
  max_connections: limit(count, 50_000, 'Connections at one time, in all. With TLS each takes some 40 KB.'),
  max_connections_per_address: limit(
    count,
    1000,
    'Connections at one time from one client address (IPv6: from one /64). Many people may share an address.',
  ),
  client_memory: {
    ...limit(
      bytes(8 * MB, 1024 * GB),
      1 * GB,
      'Memory that clients may hold, of all threads together: connections, requests, and what waits for slow readers. Each thread has an equal part of it. One client address (IPv6: one /64) holds no more of that than is left over for others; beyond it, it waits, and new requests over HTTP/2 are refused (REFUSED_STREAM), which clients repeat.',
    ),
    standard: () => memoryShare(1 / 8, 16 * MB, 1 * GB),
    standardText: 'an eighth of the memory, at most 1GB',
    example: '"256MB"',
  },
  max_certificates: limit(
    integer(16, 1_000_000),
    4000,
    'Certificates that each thread keeps ready, those of the last visitors: some 14 KB each. With more sites than that, who comes to one of the others waits a quarter of a millisecond longer, in which its certificate is read.',
  ),
  handshake_timeout: limit(
    milliseconds,
    10_000,
    'The TLS handshake must be done so many milliseconds after the connection began, or without TLS the version of HTTP be told.',
  ),
  drain_timeout: limit(
    milliseconds,
    30_000,
    'Requests under way have so many milliseconds to end when the edge stops or is given new settings.',
  ),
  stream_idle_timeout: limit(
    milliseconds,
    300_000,
    'A request may be open for so many milliseconds with nothing going either way, be it that the origin says nothing: then 408 or 504, or its end once the response has begun.',
  ),
  tunnel_idle_timeout: limit(milliseconds, 600_000, 'The same for a WebSocket.'),
  ticket_rotation: limit(
    integer(60, 604_800, 'seconds'),
    21_600,
    'Session tickets of TLS, of DNS over TLS, too, get a new key every so many seconds, and are good as long: whoever gets a key can read what TLS 1.2 said under it.',
  ),
} as const;

const HTTP1 = {
  http1_header_octets: limit(
    size,
    32 * KB,
    'HTTP/1.1: bytes of a request line and its fields; more is answered by 431.',
  ),
  http1_header_fields: limit(
    count,
    128,
    'HTTP/1.1: fields of a request; more is answered by 431. A browser sends about 20.',
  ),
  http1_target_length: limit(
    bytes(1 * KB, 1 * MB),
    8 * KB,
    'HTTP/1.1: bytes of a path with its query; more is answered by 414. RFC 9112 asks for 8,000 at least.',
  ),
  http1_header_timeout: limit(
    milliseconds,
    10_000,
    'HTTP/1.1: the head of a request must have come whole so many milliseconds after its begin, else 408.',
  ),
  http1_idle_timeout: limit(
    milliseconds,
    60_000,
    'HTTP/1.1: a connection without a request is closed after so many milliseconds.',
  ),
  http1_body_timeout: limit(milliseconds, 10_000, 'HTTP/1.1: milliseconds over which the rate of a body is taken.'),
  http1_body_rate: limit(
    count,
    250,
    'HTTP/1.1: bytes a second that a body must come with at least over that time, else 408.',
  ),
  http1_body_buffered: limit(
    size,
    64 * KB,
    'HTTP/1.1: bytes of a body that wait for the origin before no more are read.',
  ),
  http1_discarded_octets: limit(
    size,
    256 * KB,
    'HTTP/1.1: bytes of a body that are read and dropped after the response, so that the connection can stay.',
  ),
  http1_write_timeout: limit(
    milliseconds,
    30_000,
    'HTTP/1.1: a client must take 64 KB of what there is to send in so many milliseconds.',
  ),
  http1_requests: limit(
    count,
    10_000,
    'HTTP/1.1: requests of a connection; it is closed then, so that clients spread anew.',
  ),
  http1_pipelined: limit(count, 64, 'HTTP/1.1: requests that may wait behind the one that is answered.'),
  http1_linger_timeout: limit(
    milliseconds,
    2000,
    'HTTP/1.1: milliseconds that a closed connection waits for the end of the client, so that it gets to read the response.',
  ),
} as const;

const HTTP2 = {
  http2_max_concurrent_streams: limit(
    count,
    128,
    'HTTP/2: requests at one time of a session; those that were reset count until their handler is done. RFC 9113 asks for 100 at least.',
  ),
  http2_max_header_list_size: limit(
    size,
    32 * KB,
    'HTTP/2: bytes of the fields of a request, each with 32 more; more is answered by 431.',
  ),
  http2_max_header_count: limit(count, 128, 'HTTP/2: fields of a request; more is answered by 431.'),
  http2_max_header_block: limit(
    size,
    64 * KB,
    'HTTP/2: bytes of the fields of a request as they are sent, which are kept until all have come.',
  ),
  http2_max_continuations: limit(count, 8, 'HTTP/2: CONTINUATION frames of a request.'),
  http2_header_table_size: limit(
    bytes(0, 1 * MB),
    4 * KB,
    'HTTP/2: bytes of the table that fields are decoded with, for each session.',
  ),
  http2_stream_window: limit(
    bytes(1 * KB, 1024 * MB),
    256 * KB,
    'HTTP/2: bytes of the body of a request that may wait for the origin. Uploads reach so much in a round trip.',
  ),
  http2_session_window: limit(
    bytes(64 * KB, 1024 * MB),
    1 * MB,
    'HTTP/2: the same for all requests of a session together.',
  ),
  http2_stream_buffer: limit(
    size,
    128 * KB,
    'HTTP/2: bytes of a response that wait for the client before no more are read from the origin.',
  ),
  http2_session_buffer: limit(size, 1 * MB, 'HTTP/2: the same for all responses of a session together.'),
  http2_settings_burst: burst(50, 'SETTINGS frames'),
  http2_settings_rate: rate(2, 'SETTINGS frames'),
  http2_ping_burst: burst(500, 'PING frames'),
  http2_ping_rate: rate(50, 'PING frames'),
  http2_reset_burst: burst(500, 'RST_STREAM frames, of the client or provoked by it,'),
  http2_reset_rate: rate(30, 'RST_STREAM frames'),
  http2_empty_burst: burst(100, 'empty frames'),
  http2_empty_rate: rate(10, 'empty frames'),
  http2_window_update_burst: burst(2000, 'WINDOW_UPDATE frames beyond what the responses explain'),
  http2_window_update_rate: rate(200, 'WINDOW_UPDATE frames beyond that'),
  http2_priority_burst: burst(500, 'PRIORITY frames'),
  http2_priority_rate: rate(50, 'PRIORITY frames'),
  http2_preface_timeout: limit(
    milliseconds,
    10_000,
    'HTTP/2: the preface must have come so many milliseconds after the connection.',
  ),
  http2_settings_timeout: limit(
    milliseconds,
    30_000,
    'HTTP/2: our settings must be acknowledged within so many milliseconds.',
  ),
  http2_header_timeout: limit(
    milliseconds,
    15_000,
    'HTTP/2: a frame, and the fields of a request, must have come whole so many milliseconds after their begin.',
  ),
  http2_idle_timeout: limit(
    milliseconds,
    180_000,
    'HTTP/2: a session without a request is closed after so many milliseconds.',
  ),
  http2_stall_timeout: limit(
    milliseconds,
    30_000,
    'HTTP/2: milliseconds over which the rate of a body is taken, in either direction.',
  ),
  http2_min_rate: limit(
    count,
    240,
    'HTTP/2: bytes a second that a body must move on with at least over that time, while the client is who is waited for.',
  ),
  http2_linger_timeout: limit(
    milliseconds,
    2_000,
    'HTTP/2: milliseconds that a closed session waits for the end of the client, so that it gets to read why.',
  ),
} as const;

export const EDGE_LIMITS = { ...CONNECTIONS, ...HTTP1, ...HTTP2 } as const;
