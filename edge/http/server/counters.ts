/**
 * Counters of a thread's connections before HTTP, and of their protocols, in memory that other
 * threads may read. A listener also receives exceeded limits. Its calls are throttled.
 */

import { LogThrottle } from '../../../core/base/log/throttle.ts';
import type { Client } from '../../../core/net/address/client.ts';

export const SERVER_COLUMNS = [
  'accepted_tls',
  'accepted_clear',
  /** Accepted connections that were closed. */
  'closed',
  /** Rejected: too many connections in total, or of one client. */
  'refused_total',
  'refused_address',
  'refused_memory',
  /** Closed at the ClientHello: the site has reached its limit of connections. */
  'refused_site',
  /** The process has too little memory or too few descriptors left. */
  'refused_overload',
  'handshakes_full',
  'handshakes_resumed',
  'tls_1_2',
  'tls_1_3',
  /** The version of HTTP was not known in time. */
  'handshake_timeout',
  /** No certificate for the server name. */
  'unrecognized_name',
  /** The client disconnected, or the handshake was invalid. */
  'handshake_failed',
  /** The connection of a load balancer did not begin with a header of the PROXY protocol. */
  'bad_proxy_header',
  'http1',
  'http2',
  /** Still open when the drain timeout expired. */
  'drain_cut',
  /**
   * Increases and decreases of the bytes that clients hold, sampled once a second. Their difference
   * is the current value.
   */
  'memory_charged',
  'memory_released',
] as const;
export type ServerColumn = (typeof SERVER_COLUMNS)[number];

/** Limits that connections can exceed. */
type ServerLimit = Extract<
  ServerColumn,
  | 'refused_total'
  | 'refused_address'
  | 'refused_memory'
  | 'refused_site'
  | 'refused_overload'
  | 'handshake_timeout'
  | 'drain_cut'
>;

/** `count`: events since the last report, including this one. `client`: of this event. */
type LimitListener = (limit: ServerLimit, count: number, client: Client) => void;

/** Bytes that the counters of a thread take. */
export const SERVER_COUNTERS_BYTES = SERVER_COLUMNS.length * Float64Array.BYTES_PER_ELEMENT;

const COLUMN = Object.fromEntries(SERVER_COLUMNS.map((name, column) => [name, column])) as Readonly<
  Record<ServerColumn, number>
>;

export class ServerCounters {
  /** One integer for each of SERVER_COLUMNS. They only increase. Written by one thread. */
  readonly values: Float64Array;

  readonly #listener: LimitListener | undefined;
  readonly #throttle = new LogThrottle();

  /** `memory`: SERVER_COUNTERS_BYTES long, may be shared. Allocated if omitted. */
  constructor(options: { memory?: ArrayBufferLike; onLimit?: LimitListener } = {}) {
    this.values = new Float64Array(options.memory ?? new ArrayBuffer(SERVER_COUNTERS_BYTES), 0, SERVER_COLUMNS.length);
    this.#listener = options.onLimit;
  }

  get(name: ServerColumn): number {
    return this.values[COLUMN[name]];
  }

  count(name: ServerColumn, by = 1): void {
    this.values[COLUMN[name]] += by;
  }

  /** A connection exceeded a limit. `client` is not stored. */
  limited(limit: ServerLimit, client: Client): void {
    this.count(limit);
    if (this.#listener === undefined) return;
    const count = this.#throttle.due(limit);
    if (count > 0) this.#listener(limit, count, client);
  }
}
