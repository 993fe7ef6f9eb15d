/**
 * Counters of the threads, readable by the main thread. Each thread has a slice of shared memory
 * and is its only writer. It uses plain stores, so a request sends no message. The values are
 * doubles, like those of the nameserver (core/nameserver/counters.ts).
 */
import { HTTP1_COLUMNS, HTTP1_COUNTERS_BYTES } from '../http1/counters.ts';
import { HTTP2_COLUMNS, HTTP2_COUNTERS_BYTES } from '../http2/counters.ts';
import { SERVER_COLUMNS, SERVER_COUNTERS_BYTES, type ServerColumn } from './counters.ts';

/** A thread's counters, in one buffer per group. */
export interface Slice {
  readonly server: SharedArrayBuffer;
  readonly http1: SharedArrayBuffer;
  readonly http2: SharedArrayBuffer;
  /** Counters of the application: a double for each column of `PoolOptions.columns`. */
  readonly application: SharedArrayBuffer;
}

/** One group of counters: the values of running threads, and the sum over ended threads. */
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

  /** Sum over all threads. Throws RangeError for an unknown name. */
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
  /** Threads restarted after a failure. */
  restarts = 0;
  readonly #applicationBytes: number;

  /** `columns`: names of the counters of the application. */
  constructor(columns: readonly string[] = []) {
    this.application = new Part(columns);
    this.#applicationBytes = columns.length * Float64Array.BYTES_PER_ELEMENT;
  }

  /** Allocates a slice for a thread. `close`: to be called when the thread has ended. */
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
      // A thread that ended did not count the end of its last connections.
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

  /** Bytes that clients hold, at most one second old. */
  get clientMemory(): number {
    return this.server.sum('memory_charged') - this.server.sum('memory_released');
  }

  /** Open connections. */
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
