/** Settings of the connections to origins: timeouts and limits. */
import { bytes, integer, KB, text } from './kinds.ts';
import { fileOf, optional, reloadable, type Setting, setting } from './setting.ts';

const milliseconds = integer(100, 86_400_000, 'milliseconds');
const count = integer(1, 1_000_000);

function duration(standard: number, doc: string): Setting<number> {
  return setting(milliseconds, standard, doc);
}

function most(standard: number, doc: string): Setting<number> {
  return setting(count, standard, doc);
}

const caFile = fileOf(
  optional(
    text('the path of a file'),
    'the root certificates of Node.js',
    '"/etc/waypost/origin-roots.pem"',
    'File with root certificates (PEM) that verify origins in addition to those of Node.js, for private authorities. A relative path starts at the working directory.',
  ),
);

export const ORIGIN_SETTINGS = reloadable({
  origin_connect_timeout: duration(
    5000,
    'Timeout for connecting to an origin, over all its addresses, in milliseconds. The client then gets 504.',
  ),
  origin_tls_timeout: duration(
    10_000,
    'Timeout for the TLS handshake with an origin, including the time to connect, in milliseconds.',
  ),
  origin_header_timeout: duration(
    60_000,
    'Timeout for receiving the response header after the request was sent, in milliseconds. The client then gets 504.',
  ),
  origin_idle_timeout: duration(
    60_000,
    'Timeout of a transfer without progress, in milliseconds: an origin that sends no further part of the response body, or accepts no further part of an upload.',
  ),
  origin_body_rate: most(
    1024,
    'Minimum rate of a request body in bytes per second, once the request has a connection to the origin. A slower client gets 408. The first part of the body is awaited without a connection.',
  ),
  origin_body_window: duration(
    30_000,
    'Period over which that rate is measured while half of the connections to the origin are in use, in milliseconds. Otherwise body_window and body_pause apply.',
  ),
  origin_keep_alive: duration(
    60_000,
    'Idle timeout of a connection to an origin, in milliseconds. An origin can shorten it with the Keep-Alive field.',
  ),
  origin_connections: most(
    512,
    'Maximum number of concurrent connections to one origin, for each thread. One client network can hold at most half of them. Further requests are queued.',
  ),
  origin_waiting: most(
    1024,
    'Maximum number of requests queued for a connection to one origin, in each thread. Further requests get 503.',
  ),
  origin_total_connections: most(
    8192,
    'Maximum number of connections to all origins, for each thread. Above it, idle connections are closed, the longest idle first.',
  ),
  origin_max_header_bytes: setting(
    bytes(1 * KB, 1024 * KB),
    64 * KB,
    'Maximum size of a response header, and of the trailers. If an origin exceeds it, the client gets 502.',
  ),
  origin_ca_file: caFile,
} as const);
