/**
 * Counters of a thread's sessions: one number for each column, in memory that other threads may
 * read. Endings are also reported to a listener, at a limited rate, so an attack does not fill a
 * log.
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
  /** Requests answered by the session itself, without a handler. */
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

/** Bytes of the counters of a thread. */
export const HTTP2_COUNTERS_BYTES = HTTP2_COLUMNS.length * Float64Array.BYTES_PER_ELEMENT;

/** Endings in normal operation, which are counted but not reported. */
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
 * `count`: occurrences since the last report, including this one. `client`: the client of this
 * occurrence.
 */
type EndingListener = (name: string, count: number, client: Client) => void;

export class Http2Counters {
  /** One value for each of HTTP2_COLUMNS: integers that only grow. Written by one thread. */
  readonly values: Float64Array;
  readonly #listener: EndingListener | undefined;
  readonly #throttle = new LogThrottle();

  /** `memory`: HTTP2_COUNTERS_BYTES, possibly shared; omitted: private memory. */
  constructor(options: { memory?: ArrayBufferLike; onEnding?: EndingListener } = {}) {
    this.values = new Float64Array(options.memory ?? new ArrayBuffer(HTTP2_COUNTERS_BYTES), 0, HTTP2_COLUMNS.length);
    this.#listener = options.onEnding;
  }

  /** Throws RangeError for a name that HTTP2_COLUMNS does not contain. */
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
