/**
 * What a thread's connections of HTTP/1.1 did: one number for each column, in memory that others
 * may read. A reason for which a request or a connection was ended is reported to a listener as
 * well, but seldom, so that an attack doesn't fill a log.
 */

import { LogThrottle } from '../../../core/base/log/throttle.ts';
import type { Client } from '../exchange/exchange.ts';

const TRAFFIC = [
  'connections',
  'connections_closed',
  /** Given to the handler. */
  'requests',
  /** Of them, those that became tunnels. */
  'upgrades',
  /** Ended before their time, by whichever side. */
  'aborted',
  /** Whose handler threw or rejected. */
  'failed',
] as const;
type Http1Traffic = (typeof TRAFFIC)[number];

export const HTTP1_REASONS = [
  'malformed', // 400: the parser, or the framing
  'authority', // 400: no Host, more than one, or none that could be
  'target', // 400: no path; 421: another scheme than the connection carries
  'target_too_long', // 414
  'header_too_large', // 431: bytes or fields
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
  'idle_stream', // 408 or 504, unless the response had begun
  'requests_reached', // the last of a connection
  'pipelining',
  'unread_body', // more than is dropped for the connection's sake
] as const;
export type Http1Reason = (typeof HTTP1_REASONS)[number];

/** All columns, in order. */
export const HTTP1_COLUMNS: readonly (Http1Traffic | Http1Reason)[] = [...TRAFFIC, ...HTTP1_REASONS];

/** Bytes that the counters of a thread take. */
export const HTTP1_COUNTERS_BYTES = HTTP1_COLUMNS.length * Float64Array.BYTES_PER_ELEMENT;

const COLUMN = Object.fromEntries(HTTP1_COLUMNS.map((name, column) => [name, column])) as Readonly<
  Record<Http1Traffic | Http1Reason, number>
>;

/** Nobody's fault: counted, not reported. */
const ORDINARY: ReadonlySet<Http1Reason> = new Set<Http1Reason>(['idle', 'idle_tunnel', 'requests_reached']);

/**
 * `count`: how often it happened since the last report, this time included. `client`: the one of
 * this time.
 */
type ReasonListener = (reason: Http1Reason, count: number, client: Client) => void;

export class Http1Counters {
  /** One for each of HTTP1_COLUMNS; whole numbers, that only grow. Written by one thread. */
  readonly values: Float64Array;
  readonly #listener: ReasonListener | undefined;
  readonly #throttle = new LogThrottle();

  /** `memory`: HTTP1_COUNTERS_BYTES, shared perhaps; own memory without it. */
  constructor(options: { memory?: ArrayBufferLike; onReason?: ReasonListener } = {}) {
    this.values = new Float64Array(options.memory ?? new ArrayBuffer(HTTP1_COUNTERS_BYTES), 0, HTTP1_COLUMNS.length);
    this.#listener = options.onReason;
  }

  get(name: Http1Traffic | Http1Reason): number {
    return this.values[COLUMN[name]];
  }

  count(name: Http1Traffic): void {
    this.values[COLUMN[name]]++;
  }

  /** A limit was met, or a request refused. */
  ended(reason: Http1Reason, client: Client): void {
    this.values[COLUMN[reason]]++;
    if (this.#listener === undefined || ORDINARY.has(reason)) return;
    const count = this.#throttle.due(reason);
    if (count > 0) this.#listener(reason, count, client);
  }
}
