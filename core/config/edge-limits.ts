/**
 * The limits of the edge as settings: the maximum cost of a connection, session or request.
 * The keys are the fields of the limits in edge/, prefixed with the HTTP version. The comments in
 * edge/ explain the defaults.
 */
import { bytes, GB, integer, KB, MB } from './kinds.ts';
import { live, memoryShare, type Setting, setting } from './setting.ts';

const size = bytes(1 * KB, 64 * MB);
const count = integer(1, 1_000_000);
const milliseconds = integer(100, 86_400_000, 'milliseconds');

/** Two settings per kind of frame: the size of a burst, and the sustained rate per second. */
const burst = (standard: number, what: string): Setting<number> =>
  setting(count, standard, `HTTP/2: maximum burst of ${what} from a client. More end the session.`);
const rate = (standard: number, what: string): Setting<number> =>
  setting(count, standard, `HTTP/2: maximum sustained rate of ${what} from a client, per second.`);

/** Limits of connections, independent of HTTP. */
const CONNECTIONS = {
  max_connections: live(
    setting(
      count,
      50_000,
      'Maximum number of concurrent connections. Each takes about 40 KB with TLS. One site can have three times as many as it leaves for others.',
    ),
  ),
  max_connections_per_address: live(
    setting(
      count,
      1000,
      'Maximum number of concurrent connections from one client address (IPv6: from one /64). Many people can share an address.',
    ),
  ),
  max_requests_in_flight: live(
    setting(
      count,
      20_000,
      'Maximum number of requests of sites in flight, for all threads together. One site can have three times as many as it leaves for others; more get 503.',
    ),
  ),
  client_memory: live({
    ...setting(
      bytes(8 * MB, 1024 * GB),
      1 * GB,
      'Maximum memory for clients, for all threads together: connections, requests and data buffered for slow readers. Each thread gets an equal share. One client address (IPv6: one /64) can use no more of a share than it leaves for all others. Above that the edge stops reading from the client and refuses new HTTP/2 requests with REFUSED_STREAM, which clients retry. The visitors of one site can use three quarters.',
    ),
    standard: () => memoryShare(1 / 8, 16 * MB, 1 * GB),
    standardText: 'an eighth of the memory, at most 1GB',
    example: '"256MB"',
  }),
  max_certificates: setting(
    integer(16, 1_000_000),
    4000,
    'Maximum number of certificates that each thread keeps in memory, about 14 KB each. The least recently used are evicted. Loading an evicted certificate again takes about a quarter of a millisecond.',
  ),
  handshake_timeout: live(
    setting(
      milliseconds,
      10_000,
      'Timeout of the TLS handshake, in milliseconds. Without TLS: timeout for the first bytes of a request, which show the HTTP version.',
    ),
  ),
  drain_timeout: live(
    setting(milliseconds, 30_000, 'Timeout for requests in flight when the edge stops or reloads, in milliseconds.'),
  ),
  stream_idle_timeout: live(
    setting(
      milliseconds,
      300_000,
      'Idle timeout of a request, in milliseconds: the maximum time without data in either direction, including the wait for the origin. The client then gets 408 or 504, or the stream is closed if the response has begun.',
    ),
  ),
  tunnel_idle_timeout: live(
    setting(
      milliseconds,
      600_000,
      'Idle timeout of a WebSocket, of a stream of events (text/event-stream), and of a gRPC call, in milliseconds.',
    ),
  ),
  body_rate: live(
    setting(
      count,
      250,
      'Minimum rate of a request body in bytes per second, while the edge waits for it. Slower requests get 408.',
    ),
  ),
  body_window: live(setting(milliseconds, 180_000, 'Period over which that rate is measured, in milliseconds.')),
  body_pressed_window: live(
    setting(
      milliseconds,
      10_000,
      'The same period while half of the memory, connections or requests in flight of the site or the client network are in use, in milliseconds.',
    ),
  ),
  body_pause: live(
    setting(
      milliseconds,
      75_000,
      'Maximum time without a byte of a request body, in milliseconds. The client then gets 408.',
    ),
  ),
  linger_bytes: live(
    setting(
      bytes(64 * KB, 1024 * GB),
      64 * MB,
      'Maximum rest of a request body that is received and discarded after a response that came before its end, such as 413. Clients that read only when they have sent everything would otherwise lose the response.',
    ),
  ),
  linger_duration: live(setting(milliseconds, 30_000, 'Maximum time for that, in milliseconds.')),
  ticket_rotation: setting(
    integer(60, 604_800, 'seconds'),
    21_600,
    'Interval at which the key of TLS session tickets changes, and lifetime of a ticket, in seconds. It also applies to DNS over TLS. An attacker who gets a key can decrypt the TLS 1.2 sessions that used it.',
  ),
} as const;

const HTTP1 = {
  http1_header_octets: setting(
    size,
    32 * KB,
    'HTTP/1.1: maximum size of the request line and the header fields. Larger requests get 431.',
  ),
  http1_header_fields: setting(
    count,
    128,
    'HTTP/1.1: maximum number of header fields of a request. Requests with more get 431. A browser sends about 20.',
  ),
  http1_target_length: setting(
    bytes(1 * KB, 1 * MB),
    8 * KB,
    'HTTP/1.1: maximum length of the request target (path and query). Longer targets get 414. RFC 9112 recommends at least 8,000 bytes.',
  ),
  http1_header_timeout: setting(
    milliseconds,
    10_000,
    'HTTP/1.1: timeout for receiving the request header after its first byte, in milliseconds. The client then gets 408.',
  ),
  http1_idle_timeout: setting(milliseconds, 60_000, 'HTTP/1.1: idle timeout of a connection, in milliseconds.'),
  http1_body_buffered: setting(
    size,
    64 * KB,
    'HTTP/1.1: maximum part of a request body that is buffered for the origin. Reading from the client pauses above it.',
  ),
  http1_discarded_octets: setting(
    size,
    256 * KB,
    'HTTP/1.1: maximum rest of a request body that is discarded after the response, so that the connection can be reused. With a longer rest, the response closes the connection.',
  ),
  http1_write_timeout: setting(
    milliseconds,
    30_000,
    'HTTP/1.1: timeout for a client to receive 64 KB of pending data, in milliseconds.',
  ),
  http1_requests: setting(
    count,
    10_000,
    'HTTP/1.1: maximum number of requests on a connection. It is then closed, so that clients are distributed over the threads again.',
  ),
  http1_pipelined: setting(count, 64, 'HTTP/1.1: maximum number of pipelined requests that wait for the current one.'),
  http1_linger_timeout: setting(
    milliseconds,
    5000,
    'HTTP/1.1: how long a closing connection waits for the client to send more or to close its side, in milliseconds, so that the client can read the response.',
  ),
} as const;

const HTTP2 = {
  http2_max_concurrent_streams: setting(
    count,
    128,
    'HTTP/2: maximum number of concurrent requests of a session. A reset request counts until its handler has finished. RFC 9113 recommends at least 100.',
  ),
  http2_max_header_list_size: setting(
    size,
    32 * KB,
    'HTTP/2: maximum size of the decoded header fields of a request, plus 32 bytes per field. Larger requests get 431.',
  ),
  http2_max_header_count: setting(
    count,
    128,
    'HTTP/2: maximum number of header fields of a request. Requests with more get 431.',
  ),
  http2_max_header_block: setting(
    size,
    64 * KB,
    'HTTP/2: maximum size of the encoded header block of a request, which is buffered until it is complete.',
  ),
  http2_max_continuations: setting(count, 8, 'HTTP/2: maximum number of CONTINUATION frames of a request.'),
  http2_header_table_size: setting(bytes(0, 1 * MB), 4 * KB, 'HTTP/2: size of the HPACK decoding table of a session.'),
  http2_stream_window: setting(
    bytes(1 * KB, 1024 * MB),
    256 * KB,
    'HTTP/2: flow-control window of a request: the maximum part of its body that is buffered for the origin, and the maximum upload per round trip.',
  ),
  http2_session_window: setting(
    bytes(64 * KB, 1024 * MB),
    1 * MB,
    'HTTP/2: flow-control window of a session, for all its requests together.',
  ),
  http2_stream_buffer: setting(
    size,
    128 * KB,
    'HTTP/2: maximum part of a response that is buffered for the client. Reading from the origin pauses above it.',
  ),
  http2_session_buffer: setting(
    size,
    1 * MB,
    'HTTP/2: maximum data buffered for the client, for all responses of a session together.',
  ),
  http2_settings_burst: burst(50, 'SETTINGS frames'),
  http2_settings_rate: rate(2, 'SETTINGS frames'),
  http2_ping_burst: burst(500, 'PING frames'),
  http2_ping_rate: rate(50, 'PING frames'),
  http2_reset_burst: burst(500, 'RST_STREAM frames, sent or provoked, and of refused requests (400, 421, 431, 501)'),
  http2_reset_rate: rate(30, 'RST_STREAM frames and refused requests'),
  http2_empty_burst: burst(100, 'empty frames'),
  http2_empty_rate: rate(10, 'empty frames'),
  http2_window_update_burst: burst(2000, 'WINDOW_UPDATE frames in excess of the response data'),
  http2_window_update_rate: rate(200, 'WINDOW_UPDATE frames in excess of the response data'),
  http2_priority_burst: burst(500, 'PRIORITY frames'),
  http2_priority_rate: rate(50, 'PRIORITY frames'),
  http2_preface_timeout: setting(
    milliseconds,
    10_000,
    'HTTP/2: timeout for the client preface after the connection, in milliseconds.',
  ),
  http2_settings_timeout: setting(
    milliseconds,
    30_000,
    'HTTP/2: timeout for the acknowledgement of our SETTINGS, in milliseconds.',
  ),
  http2_header_timeout: setting(
    milliseconds,
    15_000,
    'HTTP/2: timeout for receiving a frame, or the header of a request, after its first byte, in milliseconds.',
  ),
  http2_idle_timeout: setting(
    milliseconds,
    180_000,
    'HTTP/2: idle timeout of a session without requests, in milliseconds.',
  ),
  http2_stall_timeout: setting(
    milliseconds,
    30_000,
    'HTTP/2: period over which the rate of a response is measured, in milliseconds.',
  ),
  http2_min_rate: setting(
    count,
    240,
    'HTTP/2: minimum rate of a response over that period, in bytes per second, while the transfer waits for the client.',
  ),
  http2_linger_timeout: setting(
    milliseconds,
    5000,
    'HTTP/2: how long a closing session waits for the client to close its side, and a complete response for the rest of its request, in milliseconds, so that the client can read it.',
  ),
} as const;

export const EDGE_LIMITS = { ...CONNECTIONS, ...HTTP1, ...HTTP2 } as const;
