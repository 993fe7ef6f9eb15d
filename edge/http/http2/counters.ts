/**
 * What a thread's sessions did: one number for each column, in memory that others may read. A
 * reason for which something ended is reported to a listener as well, but seldom, so that an attack
 * doesn't fill a log.
 */

import { LogThrottle } from '../../../core/base/log/throttle.ts';
import type { Client } from '../exchange/exchange.ts';
import { type Ending, SESSION_ENDING, STREAM_ENDING } from './endings.ts';

const TRAFFIC = [
  'sessions',
  'streams',
  'frames_received',
  'frames_sent',
  'bytes_received',
  'bytes_sent',
  /** Answered by the session itself, without a handler. */
  'bad_requests',
  'header_lists_too_large',
] as const;

/** All columns, in order. Names of endings begin with `session_` or `stream_`. */
export const HTTP2_COLUMNS: readonly string[] = [
  ...TRAFFIC,
  ...[...Object.values(SESSION_ENDING), ...Object.values(STREAM_ENDING)].map((ending) => ending.name),
];

export const TRAFFIC_COLUMN = Object.fromEntries(TRAFFIC.map((name, column) => [name, column])) as Readonly<
  Record<(typeof TRAFFIC)[number], number>
>;

const COLUMN_OF: ReadonlyMap<string, number> = new Map(HTTP2_COLUMNS.map((name, column) => [name, column]));

/** Bytes that the counters of a thread take. */
export const HTTP2_COUNTERS_BYTES = HTTP2_COLUMNS.length * Float64Array.BYTES_PER_ELEMENT;

/** What most endings mean that are nobody's fault; they are counted, not reported. */
const ORDINARY: ReadonlySet<string> = new Set(
  [
    SESSION_ENDING.closed,
    SESSION_ENDING.broken,
    SESSION_ENDING.idle,
    SESSION_ENDING.drained,
    SESSION_ENDING.destroyed,
    STREAM_ENDING.cancelled,
    STREAM_ENDING.early,
    STREAM_ENDING.idleTunnel,
    STREAM_ENDING.aborted,
  ].map((ending) => ending.name),
);

/**
 * `count`: how often it happened since the last report, this time included. `client`: the one of
 * this time.
 */
type EndingListener = (name: string, count: number, client: Client) => void;

export class Http2Counters {
  /** One for each of HTTP2_COLUMNS; whole numbers, that only grow. Written by one thread. */
  readonly values: Float64Array;
  readonly #listener: EndingListener | undefined;
  readonly #throttle = new LogThrottle();

  /** `memory`: HTTP2_COUNTERS_BYTES, shared perhaps; own memory without it. */
  constructor(options: { memory?: ArrayBufferLike; onEnding?: EndingListener } = {}) {
    this.values = new Float64Array(options.memory ?? new ArrayBuffer(HTTP2_COUNTERS_BYTES), 0, HTTP2_COLUMNS.length);
    this.#listener = options.onEnding;
  }

  /** By name, as in HTTP2_COLUMNS. Throws RangeError when there is none. */
  get(name: string): number {
    const column = COLUMN_OF.get(name);
    if (column === undefined) throw new RangeError(`There is no counter ${name}.`);
    return this.values[column];
  }

  ended(ending: Ending, client: Client): void {
    this.values[COLUMN_OF.get(ending.name) as number]++;
    if (this.#listener === undefined || ORDINARY.has(ending.name)) return;
    const count = this.#throttle.due(ending.name);
    if (count > 0) this.#listener(ending.name, count, client);
  }
}
