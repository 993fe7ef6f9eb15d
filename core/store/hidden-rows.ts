/**
 * The records of imports in progress (core/journal/apply/import-entries.ts): before the last entry
 * those that are already written, and after it those that are not yet deleted. A row of `meta`
 * names them, and ranges of the table of records leave them out. That row is read in the
 * transaction of the reader, so a reader has the records before an import or those after it.
 */
import type { Database, RangeOptions, Transaction } from 'lmdb';
import { type Id, idAt, idKey, writeId } from './keys.ts';

/**
 * - `imported`: the records of the block are hidden, and the import is in progress.
 * - `replaced`: all other records of the domain are hidden, and will be deleted.
 * - `withdrawn`: the records of the block are hidden, and will be deleted.
 */
type HiddenState = 'imported' | 'replaced' | 'withdrawn';

/** A block of consecutive ids of records of a domain. A domain has at most one. */
export interface HiddenRange {
  readonly domainId: Id;
  readonly firstId: Id;
  readonly count: number;
  readonly state: HiddenState;
}

type Binary = Database<Buffer, Uint8Array>;

const HIDDEN = Buffer.from('hidden records');
/** As in the row; their numbers never change. */
const STATES: readonly HiddenState[] = ['imported', 'replaced', 'withdrawn'];
const ITEM_BYTES = 21;
const NONE: readonly HiddenRange[] = [];

export class HiddenRows {
  /**
   * Whether the current transaction may have hidden rows. Only the thread that writes knows, and
   * sets it; a transaction of a reader may be older.
   */
  mayExist = true;

  constructor(private readonly meta: Pick<Binary, 'get' | 'put' | 'remove'>) {}

  /** All ranges, which are few: a node has one import in progress. */
  read(transaction?: Transaction): readonly HiddenRange[] {
    if (!this.mayExist && transaction === undefined) return NONE;
    const value = this.meta.get(HIDDEN, { transaction });
    if (value === undefined) return NONE;
    const ranges: HiddenRange[] = [];
    for (let at = 0; at < value.length; at += ITEM_BYTES)
      ranges.push({
        domainId: idAt(value, at),
        firstId: idAt(value, at + 8),
        count: value.readUInt32BE(at + 16),
        state: STATES[value[at + 20]],
      });
    return ranges;
  }

  /** The range of a domain; undefined: none of its records are hidden. */
  of(domainId: Id): HiddenRange | undefined {
    return this.read().find((range) => range.domainId === domainId);
  }

  /** Inside a write transaction. Replaces the range of the domain. */
  put(range: HiddenRange): void {
    this.mayExist = true;
    this.#write([...this.read().filter(({ domainId }) => domainId !== range.domainId), range]);
  }

  /** Inside a write transaction: shows all records of the domain. */
  remove(domainId: Id): void {
    this.#write(this.read().filter((range) => range.domainId !== domainId));
  }

  #write(ranges: readonly HiddenRange[]): void {
    if (ranges.length === 0) {
      this.meta.remove(HIDDEN);
      return;
    }
    const value = Buffer.allocUnsafe(ITEM_BYTES * ranges.length);
    for (const [i, { domainId, firstId, count, state }] of ranges.entries()) {
      const at = i * ITEM_BYTES;
      writeId(domainId, value, at);
      writeId(firstId, value, at + 8);
      value.writeUInt32BE(count, at + 16);
      value[at + 20] = STATES.indexOf(state);
    }
    this.meta.put(HIDDEN, value);
  }
}

/** Whether a record of the domain with this key is hidden. */
export function isHidden({ firstId, count, state }: HiddenRange, key: Uint8Array): boolean {
  const id = idAt(key, key.length - 8);
  return (id >= firstId && id < firstId + count) !== (state === 'replaced');
}

interface LmdbIterable {
  iterate(...options: unknown[]): Iterator<unknown>;
}

/**
 * Makes the ranges of the table of records leave out hidden rows. Returns `getRange` with the
 * hidden rows.
 */
export function hideRows(records: Binary, hidden: HiddenRows): Binary['getRange'] {
  const getRange = records.getRange.bind(records) as Binary['getRange'];
  records.getRange = (options: RangeOptions = {}) => {
    const entries = getRange(options);
    const native = entries as unknown as LmdbIterable;
    const { iterate } = native;
    // The options are read when the iteration starts: see scan.ts.
    native.iterate = (...how) => {
      const all = (options as { readonly onlyCount?: boolean }).onlyCount ? NONE : hidden.read(options.transaction);
      const ranges = all.length === 0 ? all : all.filter((range) => mayContain(options, range));
      if (ranges.length === 0) return iterate.apply(native, how);
      const unlimited = getRange({ ...options, limit: undefined }) as unknown as LmdbIterable;
      return visible(unlimited.iterate(...how), ranges, options.limit);
    };
    return entries;
  };
  return getRange;
}

function mayContain({ start, end, reverse }: RangeOptions, { domainId }: HiddenRange): boolean {
  const [first, last] = (reverse ? [end, start] : [start, end]) as (Uint8Array | undefined)[];
  return (
    (first === undefined || Buffer.compare(first, idKey(domainId + 1)) < 0) &&
    (last === undefined || Buffer.compare(last, idKey(domainId)) >= 0)
  );
}

function visible(
  entries: Iterator<unknown>,
  ranges: readonly HiddenRange[],
  limit = Number.POSITIVE_INFINITY,
): Iterator<unknown> {
  const isVisible = (entry: unknown): boolean => {
    const key = entry instanceof Uint8Array ? entry : (entry as { readonly key: Uint8Array }).key;
    const domainId = idAt(key);
    return !ranges.some((range) => range.domainId === domainId && isHidden(range, key));
  };
  let count = 0;
  return {
    next() {
      let result = entries.next();
      while (!result.done && !isVisible(result.value)) result = entries.next();
      if (result.done || count++ < limit) return result;
      entries.return?.();
      return { done: true, value: undefined };
    },
    return: (value) => entries.return?.(value) ?? { done: true, value },
  };
}
