/**
 * What happened to the connections of a thread before HTTP, and what they became: one number for
 * each column, in memory that others may read. Limits that were met are reported to a listener as
 * well, but seldom.
 */

import { LogThrottle } from '../../../core/base/log/throttle.ts';
import type { Client } from '../../../core/net/address/client.ts';

export const SERVER_COLUMNS = [
  'accepted_tls',
  'accepted_clear',
  /** Of those accepted. */
  'closed',
  /** Not taken since there were too many: in all, or of one client. */
  'refused_total',
  'refused_address',
  'refused_memory',
  /** Closed at the ClientHello: the site has its share of the connections. */
  'refused_site',
  /** The process has too little memory or too few descriptors left. */
  'refused_overload',
  'handshakes_full',
  'handshakes_resumed',
  'tls_1_2',
  'tls_1_3',
  /** The version of HTTP was not clear in time. */
  'handshake_timeout',
  /** A server name that has no certificate. */
  'unrecognized_name',
  /** The client left, or spoke something else. */
  'handshake_failed',
  'http1',
  'http2',
  /** Still there when the time to drain was over. */
  'drain_cut',
  /**
   * Bytes that clients held more, and less, than a second before: their difference is what they
   * hold.
   */
  'memory_charged',
  'memory_released',
] as const;
export type ServerColumn = (typeof SERVER_COLUMNS)[number];

/** Limits that connections can meet. */
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

/**
 * `count`: how often it happened since the last report, this time included. `client`: the one of
 * this time.
 */
type LimitListener = (limit: ServerLimit, count: number, client: Client) => void;

/** Bytes that the counters of a thread take. */
export const SERVER_COUNTERS_BYTES = SERVER_COLUMNS.length * Float64Array.BYTES_PER_ELEMENT;

const COLUMN = Object.fromEntries(SERVER_COLUMNS.map((name, column) => [name, column])) as Readonly<
  Record<ServerColumn, number>
>;

export class ServerCounters {
  /** One for each of SERVER_COLUMNS; whole numbers, that only grow. Written by one thread. */
  readonly values: Float64Array;

  readonly #listener: LimitListener | undefined;
  readonly #throttle = new LogThrottle();

  /** `memory`: SERVER_COUNTERS_BYTES, shared perhaps; own memory without it. */
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

  /** A connection met a limit. `client` is not kept. */
  limited(limit: ServerLimit, client: Client): void {
    this.count(limit);
    if (this.#listener === undefined) return;
    const count = this.#throttle.due(limit);
    if (count > 0) this.#listener(limit, count, client);
  }
}
