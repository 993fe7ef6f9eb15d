/** Settings of the connections to origins: how long each part may take, and how many there may be. Those of a thread count for that thread alone. */
import { bytes, integer, text } from './kinds.ts';
import type { Setting } from './schema.ts';

const KB = 1024;
const milliseconds = integer(100, 86_400_000, 'milliseconds');
const count = integer(1, 1_000_000);

function duration(standard: number, doc: string): Setting<number> {
  return { kind: milliseconds, standard: () => standard, doc, secret: false };
}

function most(standard: number, doc: string): Setting<number> {
  return { kind: count, standard: () => standard, doc, secret: false };
}

const caFile: Setting<string | undefined> = {
  kind: text('the path of a file'),
  standard: () => undefined,
  standardText: 'the roots that Node brings',
  example: '"/etc/waypost/origin-roots.pem"',
  doc: 'File with certificates (PEM) that origins may be verified by, beside the usual roots: those of a company of its own. A relative path starts at the working directory.',
  secret: false,
};

export const ORIGIN_SETTINGS = {
  origin_connect_timeout: duration(
    5000,
    'A connection to an origin must stand after so many milliseconds, all its addresses tried: else 504.',
  ),
  origin_tls_timeout: duration(10_000, 'The same with its TLS handshake.'),
  origin_header_timeout: duration(
    60_000,
    'The head of a response must have come whole so many milliseconds after the request was sent: else 504.',
  ),
  origin_idle_timeout: duration(
    60_000,
    'Milliseconds for which an origin may send nothing of a body that has begun, or take nothing of an upload.',
  ),
  origin_body_rate: most(
    1024,
    'Bytes a second that the body of a request must bring, once it has a connection to the origin: else 408. Its beginning is waited for without one.',
  ),
  origin_body_window: duration(30_000, 'Milliseconds over which that rate is measured.'),
  origin_keep_alive: duration(
    60_000,
    'A connection to an origin without a request is closed after so many milliseconds, or when the origin said to (Keep-Alive).',
  ),
  origin_connections: most(
    512,
    'Connections to one origin at one time, of each thread; one client network holds at most half of them. Further requests wait.',
  ),
  origin_waiting: most(1024, 'Requests that may wait for a connection to one origin, in each thread: more get 503.'),
  origin_total_connections: most(
    8192,
    'Connections to all origins at one time, of each thread. Past it, those without a request are closed, the longest unused first.',
  ),
  origin_max_header_bytes: {
    kind: bytes(1 * KB, 1024 * KB),
    standard: () => 64 * KB,
    doc: 'Bytes of the head of a response, and of its trailers: more is answered by 502.',
    secret: false,
  } satisfies Setting<number>,
  origin_ca_file: caFile,
} as const;
