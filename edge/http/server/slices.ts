/**
 * What the threads count, where main can read it: a slice of shared memory for each thread, written
 * by it alone with plain stores, so that nothing is sent for a request. Doubles, as the
 * nameserver's (core/nameserver/counters.ts).
 */
import { HTTP1_COLUMNS, HTTP1_COUNTERS_BYTES } from '../http1/counters.ts';
import { HTTP2_COLUMNS, HTTP2_COUNTERS_BYTES } from '../http2/counters.ts';
import { SERVER_COLUMNS, SERVER_COUNTERS_BYTES, type ServerColumn } from './counters.ts';

/** A thread's counters, each in a buffer of its own. */
export interface Slice {
  readonly server: SharedArrayBuffer;
  readonly http1: SharedArrayBuffer;
  readonly http2: SharedArrayBuffer;
  /** Of the application: doubles, one for each of the columns that the pool was given for it. */
  readonly application: SharedArrayBuffer;
}

/** One part of all slices: the threads that run, and the sum of those that have ended. */
class Part<Name extends string> {
  readonly #columns: ReadonlyMap<string, number>;
  readonly #live = new Set<Float64Array>();
  readonly #ended: Float64Array;

  constructor(names: readonly Name[]) {
    this.#columns = new Map(names.map((name, column) => [name, column]));
    this.#ended = new Float64Array(names.length);
  }

  open(memory: SharedArrayBuffer): Float64Array {
    const values = new Float64Array(memory);
    this.#live.add(values);
    return values;
  }

  close(values: Float64Array): void {
    if (!this.#live.delete(values)) return;
    for (let column = 0; column < values.length; column++) this.#ended[column] += values[column];
  }

  /** Of all threads. Throws RangeError for a name that is none. */
  sum(name: Name): number {
    const column = this.#columns.get(name);
    if (column === undefined) throw new RangeError(`There is no counter ${name}.`);
    let sum = this.#ended[column];
    for (const values of this.#live) sum += values[column];
    return sum;
  }
}

export class EdgeCounters {
  readonly server = new Part(SERVER_COLUMNS);
  readonly http1 = new Part(HTTP1_COLUMNS);
  readonly http2 = new Part(HTTP2_COLUMNS);
  readonly application: Part<string>;
  /** Threads that died and were started again. */
  restarts = 0;
  readonly #applicationBytes: number;

  /** `columns`: what the application counts. */
  constructor(columns: readonly string[] = []) {
    this.application = new Part(columns);
    this.#applicationBytes = columns.length * Float64Array.BYTES_PER_ELEMENT;
  }

  /** A slice for a thread. `close` is for when it has ended. */
  open(): { slice: Slice; close: () => void } {
    const slice: Slice = {
      server: new SharedArrayBuffer(SERVER_COUNTERS_BYTES),
      http1: new SharedArrayBuffer(HTTP1_COUNTERS_BYTES),
      http2: new SharedArrayBuffer(HTTP2_COUNTERS_BYTES),
      application: new SharedArrayBuffer(this.#applicationBytes),
    };
    const server = this.server.open(slice.server);
    const http1 = this.http1.open(slice.http1);
    const http2 = this.http2.open(slice.http2);
    const application = this.application.open(slice.application);
    const close = (): void => {
      // Connections that ended with their thread were not counted by it.
      at(server, SERVER_COLUMNS, 'closed', opened(server));
      at(server, SERVER_COLUMNS, 'memory_released', server[SERVER_COLUMNS.indexOf('memory_charged')]);
      at(http1, HTTP1_COLUMNS, 'connections_closed', http1[HTTP1_COLUMNS.indexOf('connections')]);
      this.server.close(server);
      this.http1.close(http1);
      this.http2.close(http2);
      this.application.close(application);
    };
    return { slice, close };
  }

  /** Bytes that clients hold, as of the last second. */
  get clientMemory(): number {
    return this.server.sum('memory_charged') - this.server.sum('memory_released');
  }

  /** Connections now. */
  get connections(): number {
    return this.server.sum('accepted_tls') + this.server.sum('accepted_clear') - this.server.sum('closed');
  }
}

function opened(server: Float64Array): number {
  const of = (name: ServerColumn): number => server[SERVER_COLUMNS.indexOf(name)];
  return of('accepted_tls') + of('accepted_clear');
}

function at<Name extends string>(values: Float64Array, names: readonly Name[], name: Name, value: number): void {
  values[names.indexOf(name)] = value;
}
