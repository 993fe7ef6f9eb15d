/**
 * Writes that are visible before they are stored: a table, or a whole store, with an overlay. A
 * draft (draft/draft.ts) keeps its own writes in overlays. A rehearsal (apply/applier.ts) applies
 * entries to a store with an overlay, and the writes never reach the disk. An aborted transaction
 * is no alternative: LMDB then discards its list of free pages and reads it again in the next
 * transaction. That has failed in practice.
 */
import { lowerBound } from '../base/lower-bound.ts';
import { latin1 } from '../dns/wire/latin1.ts';
import type { Binary, Environment } from '../store/environment.ts';
import { records } from '../store/rows.ts';

/** Maximum key length of LMDB with pages of 4 KB. */
const MAX_KEY = 1978;
/** From this number of new keys on, all keys are sorted again. */
const MANY = 64;

type RangeOptions = NonNullable<Parameters<Binary['getRange']>[0]>;
type Read = Pick<Binary, 'get' | 'doesExist' | 'getKeys' | 'getRange'>;
/** A key in Latin-1, which has the order of the bytes, and the value; null: deleted. */
type Write = readonly [id: string, value: Buffer | null];

/** It has only the methods of a table that drafts and applying entries use. */
export class OverlaidTable {
  readonly #values = new Map<string, Buffer | null>();
  /** Keys that are not in `#sorted` yet. */
  #fresh: string[] = [];
  #sorted: string[] = [];

  constructor(public stored: Read) {}

  get(key: Uint8Array): Buffer | undefined {
    const written = this.#values.size === 0 ? undefined : this.#values.get(latin1(key));
    return written === undefined ? this.stored.get(key) : (written ?? undefined);
  }

  doesExist(key: Uint8Array): boolean {
    const written = this.#values.size === 0 ? undefined : this.#values.get(latin1(key));
    return written === undefined ? this.stored.doesExist(key) : written !== null;
  }

  put(key: Uint8Array, value: Buffer): void {
    if (key.length === 0 || key.length > MAX_KEY) throw new Error(`a key of ${key.length} bytes is too long to store`);
    this.write(latin1(key), value);
  }

  remove(key: Uint8Array): void {
    this.write(latin1(key), null);
  }

  /** The written value of a key in Latin-1. Null: deleted; undefined: not written. */
  written(id: string): Buffer | null | undefined {
    return this.#values.get(id);
  }

  /** Like `put` or `remove`, with a key in Latin-1. */
  write(id: string, value: Buffer | null): void {
    if (!this.#values.has(id)) this.#fresh.push(id);
    this.#values.set(id, value);
  }

  *getKeys(options: RangeOptions): Iterable<Uint8Array> {
    for (const { key } of this.getRange(options)) yield key;
  }

  /** The options are read when the iteration starts. */
  getRange(options: RangeOptions): Iterable<{ key: Uint8Array; value: Buffer }> {
    return { [Symbol.iterator]: () => this.#iterate(options) };
  }

  *#iterate(options: RangeOptions): Iterator<{ key: Uint8Array; value: Buffer }> {
    const { limit = Number.POSITIVE_INFINITY } = options;
    const reverse = options.reverse === true;
    const start = latin1(options.start as Uint8Array);
    const end = options.end === undefined ? undefined : latin1(options.end as Uint8Array);
    const isInside = (id: string): boolean => end === undefined || (reverse ? id > end : id < end);
    // A reverse range includes its start. The smallest key above a key has a zero byte appended.
    const first = reverse ? this.#before(`${start}\0`) : this.#from(start);
    if (first === undefined || !isInside(first[0])) return yield* this.stored.getRange(options);
    let written: Write | undefined = first;
    const stored = this.stored.getRange({ start: options.start, end: options.end, reverse })[Symbol.iterator]();
    try {
      let next = stored.next();
      for (let count = 0; count < limit; ) {
        const id = next.done ? undefined : latin1(next.value.key as Uint8Array);
        if (id === undefined && written === undefined) break;
        const isWritten =
          written !== undefined && (id === undefined || (reverse ? written[0] >= id : written[0] <= id));
        const value = isWritten ? written![1] : next.value!.value;
        const key = isWritten ? Buffer.from(written![0], 'latin1') : (next.value!.key as Uint8Array);
        if (!isWritten || written![0] === id) next = stored.next();
        if (isWritten) {
          written = reverse ? this.#before(written![0]) : this.#from(`${written![0]}\0`);
          if (written !== undefined && !isInside(written[0])) written = undefined;
        }
        if (value === null) continue;
        count++;
        yield { key, value };
      }
    } finally {
      // Also runs if the iteration is left early. LMDB cannot reuse freed pages while it is open.
      stored.return?.();
    }
  }

  /** The first write whose key is not less than `start`. */
  #from(start: string): Write | undefined {
    const ids = this.#ids();
    return this.#at(ids[lowerBound(ids, start)]);
  }

  /** The last write whose key is less than `end`. */
  #before(end: string): Write | undefined {
    const ids = this.#ids();
    return this.#at(ids[lowerBound(ids, end) - 1]);
  }

  #at(id: string | undefined): Write | undefined {
    return id === undefined ? undefined : [id, this.#values.get(id)!];
  }

  /** A few new keys are inserted one by one; many are sorted together with the others. */
  #ids(): readonly string[] {
    if (this.#fresh.length > MANY) this.#sorted = [...this.#sorted, ...this.#fresh].sort(byCodeUnit);
    else for (const id of this.#fresh) this.#sorted.splice(lowerBound(this.#sorted, id), 0, id);
    this.#fresh = [];
    return this.#sorted;
  }
}

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A store with an overlay of writes, which are visible only in `environment`. */
export interface OverlaidStore {
  /** Its `root` belongs to the store and must not be used. */
  readonly environment: Environment;
  /** Replaces the store below the overlay with a store that has the same data. */
  rebase(store: Environment): void;
}

const OVERLAID = [
  'lookups',
  'answers',
  'targets',
  'aliases',
  'zones',
  'usage',
  'orders',
  'sites',
  'nsec3',
  'history',
  'journal',
  'meta',
] as const satisfies readonly (keyof Environment)[];

export function withOverlay(store: Environment): OverlaidStore {
  const rebases: ((store: Environment) => void)[] = [];
  const addOverlay = (tableOf: (store: Environment) => Binary): Binary => {
    const table = new OverlaidTable(tableOf(store));
    rebases.push((lower) => {
      table.stored = tableOf(lower);
    });
    return table as unknown as Binary;
  };
  const rows = new Map(
    [...store.rows.keys()].map((number) => [number, addOverlay(({ rows: lower }) => lower.get(number)!)]),
  );
  const tables = Object.fromEntries(OVERLAID.map((name) => [name, addOverlay((lower) => lower[name])]));
  return {
    environment: { ...store, rows, records: rows.get(records.number)!, ...tables },
    rebase(lower) {
      for (const rebase of rebases) rebase(lower);
    },
  };
}
