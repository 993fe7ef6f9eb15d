/**
 * The reads that all others consist of: of entries by table number and key, and of rows of any
 * table. They read the last committed state, or a draft (core/journal/draft/draft.ts).
 */
import type { Binary, Environment } from './environment.ts';
import { afterPrefix } from './keys.ts';
import type { Table } from './rows.ts';
import { scan } from './scan.ts';

export interface Entry {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** The basic reads. `table`: number of a table of rows, LOOKUPS or TARGETS. */
export interface RawReader {
  get(table: number, key: Uint8Array): Buffer | undefined;
  /** Entries with start ≤ key < end in key order, at most `limit`. */
  range(table: number, start: Uint8Array, end: Uint8Array | undefined, limit?: number): Entry[];
}

export const LOOKUPS = 0;
/** The table of targets, derived from the records. */
export const TARGETS = 255;

/** Reads of rows of any table. */
export class RowReader {
  protected readonly raw: RawReader;

  constructor(raw: RawReader) {
    this.raw = raw;
  }

  row<Row>(table: Table<Row>, key: Uint8Array): Row | undefined {
    const value = this.raw.get(table.number, key);
    return value === undefined ? undefined : table.decode(key, value);
  }

  protected rowsIn<Row>(table: Table<Row>, start: Uint8Array, end: Uint8Array | undefined, limit?: number): Row[] {
    return this.raw.range(table.number, start, end, limit).map((entry) => table.decode(entry.key, entry.value));
  }

  /** Returns the row that a lookup refers to. */
  rowAt<Row>(table: Table<Row>, lookup: Uint8Array): Row | undefined {
    const key = this.raw.get(LOOKUPS, lookup);
    return key && this.row(table, key);
  }

  /**
   * Returns the rows of all lookups with a prefix, in the order of the lookups. `after`: skips
   * lookups up to the prefix followed by it; null: none.
   */
  rowsAt<Row>(table: Table<Row>, prefix: Buffer, after: Uint8Array | null, limit?: number): Row[] {
    const start = startAfter(prefix, after);
    return this.raw
      .range(LOOKUPS, start, afterPrefix(prefix), limit)
      .flatMap((entry) => this.row(table, entry.value) ?? []);
  }
}

/** The key after `prefix` and `after`; `after` null: the prefix. */
export function startAfter(prefix: Buffer, after: Uint8Array | null): Buffer {
  return after === null ? prefix : Buffer.concat([prefix, after, Uint8Array.of(0)]);
}

/** One reader for each environment, since every write creates a draft. */
const rawReaders = new WeakMap<Environment, RawReader>();

export function rawReader(environment: Environment): RawReader {
  let reader = rawReaders.get(environment);
  if (reader === undefined) {
    reader = newRawReader(environment);
    rawReaders.set(environment, reader);
  }
  return reader;
}

/** The table of rows with this number, or LOOKUPS or TARGETS. */
export function tableOf(environment: Environment, number: number): Binary {
  if (number === LOOKUPS) return environment.lookups;
  return number === TARGETS ? environment.targets : environment.rows.get(number)!;
}

function newRawReader(environment: Environment): RawReader {
  return {
    get: (number, key) => tableOf(environment, number).get(key),
    range(number, start, end, limit) {
      const entries: Entry[] = [];
      if (limit !== 0)
        scan(tableOf(environment, number), start, end, (key, value) => entries.push({ key, value }) !== limit);
      return entries;
    },
  };
}
