/**
 * The records of an import that is in progress, in small transactions
 * (core/journal/apply/staged-import.ts): before its commit those that are already written, and
 * after it those that are not yet deleted. A row of `meta` names them, and the table of records
 * leaves them out. That row is read in the transaction of the reader, so a reader has the records
 * before an import or those after it.
 */
import type { Database, RangeOptions, Transaction } from 'lmdb';
import { type Id, idAt, idKey, writeId } from './keys.ts';

/** Consecutive ids of records of a domain. */
export interface HiddenRange {
  readonly domainId: Id;
  readonly firstId: Id;
  readonly count: number;
  /** All other records of the domain are hidden, not these. */
  readonly isRest: boolean;
}

type Binary = Database<Buffer, Uint8Array>;

const HIDDEN = Buffer.from('hidden records');

export class HiddenRows {
  /**
   * Whether the current transaction may have hidden rows. Only the thread that writes knows, and
   * sets it; a transaction of a reader may be older.
   */
  mayExist = true;

  constructor(private readonly meta: Binary) {}

  read(transaction?: Transaction): HiddenRange | null {
    if (!this.mayExist && transaction === undefined) return null;
    const value = this.meta.get(HIDDEN, { transaction });
    return value === undefined
      ? null
      : { domainId: idAt(value), firstId: idAt(value, 8), count: value.readUInt32BE(16), isRest: value[20] === 1 };
  }

  /** Inside a write transaction. Null: no rows are hidden. */
  write(range: HiddenRange | null): void {
    if (range === null) {
      this.meta.remove(HIDDEN);
      return;
    }
    const value = Buffer.allocUnsafe(21);
    writeId(range.domainId, value, 0);
    writeId(range.firstId, value, 8);
    value.writeUInt32BE(range.count, 16);
    value[20] = range.isRest ? 1 : 0;
    this.meta.put(HIDDEN, value);
  }
}

/** Whether the record of the domain with this key is hidden. */
export function isHidden({ firstId, count, isRest }: HiddenRange, key: Uint8Array): boolean {
  const id = idAt(key, key.length - 8);
  return (id >= firstId && id < firstId + count) !== isRest;
}

interface LmdbIterable {
  iterate(...options: unknown[]): Iterator<unknown>;
}

/** Makes the ranges of the table of records leave out hidden rows. */
export function hideRows(records: Binary, hidden: HiddenRows): void {
  const getRange = records.getRange.bind(records);
  records.getRange = (options: RangeOptions = {}) => {
    const entries = getRange(options);
    const native = entries as unknown as LmdbIterable;
    const { iterate } = native;
    // The options are read when the iteration starts: see scan.ts.
    native.iterate = (...how) => {
      const range = (options as { readonly onlyCount?: boolean }).onlyCount ? null : hidden.read(options.transaction);
      if (range === null || !mayContain(options, range)) return iterate.apply(native, how);
      const all = getRange({ ...options, limit: undefined }) as unknown as LmdbIterable;
      return visible(all.iterate(...how), range, options.limit);
    };
    return entries;
  };
}

function mayContain({ start, end, reverse }: RangeOptions, { domainId }: HiddenRange): boolean {
  const [first, last] = (reverse ? [end, start] : [start, end]) as (Uint8Array | undefined)[];
  return (
    (first === undefined || Buffer.compare(first, idKey(domainId + 1)) < 0) &&
    (last === undefined || Buffer.compare(last, idKey(domainId)) >= 0)
  );
}

function visible(entries: Iterator<unknown>, range: HiddenRange, limit = Number.POSITIVE_INFINITY): Iterator<unknown> {
  const domain = idKey(range.domainId);
  const isVisible = (entry: unknown): boolean => {
    const key = entry instanceof Uint8Array ? entry : (entry as { readonly key: Uint8Array }).key;
    return !isHidden(range, key) || domain.compare(key, 0, 8) !== 0;
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
