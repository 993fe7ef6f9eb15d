/**
 * Counters of a thread's HTTP/1.1 connections, in memory that other threads may read. A listener
 * also receives the reasons for refused requests and closed connections. Its calls are throttled,
 * so an attack does not fill the log.
 */

import { LogThrottle } from '../../../core/base/log/throttle.ts';
import type { Client } from '../exchange/exchange.ts';

const TRAFFIC = [
  'connections',
  'connections_closed',
  /** Passed to the handler. */
  'requests',
  /** Requests that became tunnels. */
  'upgrades',
  /** Aborted by either side. */
  'aborted',
  /** The handler threw or rejected. */
  'failed',
] as const;
type Http1Traffic = (typeof TRAFFIC)[number];

export const HTTP1_REASONS = [
  'malformed', // 400: the parser, or the framing
  'authority', // 400: Host is missing, repeated or invalid
  'target', // 400: invalid path; 421: another scheme than that of the connection
  'target_too_long', // 414
  'header_too_large', // 431: bytes or fields
  'chunk_extensions', // 413
  'body_too_large', // 413: the length exceeds 2^53 - 1
  'method', // 501: unknown, or CONNECT
  'transfer_coding', // 501: other than chunked
  'expectation', // 417
  'version', // 505
  'slow_head', // 408
  'slow_body', // 408
  'slow_reader',
  'idle',
  'idle_tunnel',
  'idle_stream', // 408 or 504, unless the response has begun
  'requests_reached', // the last request of a connection
  'pipelining',
  'unread_body', // of unknown length, or longer than the limit for discarded bodies
] as const;
export type Http1Reason = (typeof HTTP1_REASONS)[number];

/** All columns, in order. */
export const HTTP1_COLUMNS: readonly (Http1Traffic | Http1Reason)[] = [...TRAFFIC, ...HTTP1_REASONS];

/** Bytes that the counters of a thread take. */
export const HTTP1_COUNTERS_BYTES = HTTP1_COLUMNS.length * Float64Array.BYTES_PER_ELEMENT;

const COLUMN = Object.fromEntries(HTTP1_COLUMNS.map((name, column) => [name, column])) as Readonly<
  Record<Http1Traffic | Http1Reason, number>
>;

/** Normal events: counted, but not reported. */
const ORDINARY: ReadonlySet<Http1Reason> = new Set<Http1Reason>(['idle', 'idle_tunnel', 'requests_reached']);

/** `count`: events since the last report, including this one. `client`: of this event. */
type ReasonListener = (reason: Http1Reason, count: number, client: Client) => void;

export class Http1Counters {
  /** One integer for each of HTTP1_COLUMNS. They only increase. Written by one thread. */
  readonly values: Float64Array;
  readonly #listener: ReasonListener | undefined;
  readonly #throttle = new LogThrottle();

  /** `memory`: HTTP1_COUNTERS_BYTES long, may be shared. Allocated if omitted. */
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

  /** A limit was exceeded, or a request was refused. */
  ended(reason: Http1Reason, client: Client): void {
    this.values[COLUMN[reason]]++;
    if (this.#listener === undefined || ORDINARY.has(reason)) return;
    const count = this.#throttle.due(reason);
    if (count > 0) this.#listener(reason, count, client);
  }
}

/** Why a request is refused, by status. */
export interface Refusal {
  readonly status: number;
  readonly reason: Http1Reason;
}

/** The response to a request that is not handled. */
export const refusal = (status: number, reason: Http1Reason): Refusal => ({ status, reason });

/** RFC 9112 section 2.2: not a request, or one that recipients could interpret differently. */
export const MALFORMED_REQUEST = refusal(400, 'malformed');
