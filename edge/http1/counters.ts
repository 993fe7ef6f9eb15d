/** What happened on the connections of a thread: numbers that only grow, and why a request or a connection was ended. */
export const HTTP1_REASONS = [
  'malformed', // 400: the parser, or the framing
  'authority', // 400: no Host, more than one, or none that could be
  'target', // 400: no path
  'target_too_long', // 414
  'header_too_large', // 431: octets or fields
  'chunk_extensions', // 413
  'body_too_large', // 413: a length that no number holds
  'method', // 501: not known, or CONNECT
  'transfer_coding', // 501: other than chunked
  'expectation', // 417
  'version', // 505
  'slow_head', // 408
  'slow_body', // 408
  'slow_reader',
  'idle',
  'idle_tunnel',
  'requests', // the last of a connection
  'pipelining',
  'unread_body', // more than is dropped for the connection's sake
] as const;
export type Http1Reason = (typeof HTTP1_REASONS)[number];

export class Http1Counters {
  /** Connections taken, in all. */
  connections = 0;
  /** Those open now. */
  open = 0;
  /** Requests given to the handler. */
  requests = 0;
  /** Of them, those that became tunnels. */
  upgrades = 0;
  /** Exchanges that ended before their time, by whichever side. */
  aborted = 0;
  /** Handlers that threw or rejected. */
  failed = 0;
  readonly reasons: Record<Http1Reason, number> = Object.fromEntries(
    HTTP1_REASONS.map((reason) => [reason, 0]),
  ) as Record<Http1Reason, number>;
}
