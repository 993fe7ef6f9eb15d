/**
 * The records of imports in progress (core/journal/apply/import-entries.ts): before the last entry
 * those that are already written, and after it those that are not yet deleted. A row of `meta`
 * names them, and reads of the tables of records, aliases and targets leave them out. That row is
 * read in the transaction of the reader, so a reader has the records before an import or those
 * after it.
 */
import type { Database, GetOptions, RangeOptions, Transaction } from 'lmdb';
import { aliasOwnerParts, type Id, idAt, idKey, writeId } from './keys.ts';

/**
 * - `imported`: the records of the block are hidden, and the import is in progress.
 * - `replaced`: all others of the domain are hidden, and will be deleted.
 * - `withdrawn`: the records of the block are hidden, and will be deleted.
 */
type HiddenState = 'imported' | 'replaced' | 'withdrawn';

/** Consecutive ids of records. */
interface IdBlock {
  readonly firstId: Id;
  readonly count: number;
}

/** What an import hides. A domain has at most one range that is `imported`, and one `replaced`. */
export interface HiddenRange extends IdBlock {
  readonly domainId: Id;
  readonly state: HiddenState;
  /** Of a `replaced` range: ids that were written since, which are not hidden either. */
  readonly shown: readonly IdBlock[];
}

type Binary = Database<Buffer, Uint8Array>;

const HIDDEN = Buffer.from('hidden records');
/** As in the row; their numbers never change. */
const STATES: readonly HiddenState[] = ['imported', 'replaced', 'withdrawn'];
/** Domain, block and state; then the number of shown blocks and these. */
const RANGE_BYTES = 21;
const BLOCK_BYTES = 12;
const NONE: readonly HiddenRange[] = [];

const isSame = (a: HiddenRange, b: HiddenRange): boolean => a.domainId === b.domainId && a.firstId === b.firstId;

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
    return value === undefined ? NONE : decodeRanges(value);
  }

  /** The range of a domain with this state. */
  find(domainId: Id, state: HiddenState): HiddenRange | undefined {
    return this.read().find((range) => range.domainId === domainId && range.state === state);
  }

  /** Inside a write transaction. Replaces the range with the same block. */
  put(range: HiddenRange): void {
    this.mayExist = true;
    this.#write([...this.read().filter((other) => !isSame(other, range)), range]);
  }

  /** Inside a write transaction: shows what the range hides. */
  remove(range: HiddenRange): void {
    this.#write(this.read().filter((other) => !isSame(other, range)));
  }

  #write(ranges: readonly HiddenRange[]): void {
    if (ranges.length === 0) this.meta.remove(HIDDEN);
    else this.meta.put(HIDDEN, Buffer.concat(ranges.map(encodeRange)));
  }
}

function encodeRange({ domainId, state, shown, ...block }: HiddenRange): Buffer {
  const value = Buffer.allocUnsafe(RANGE_BYTES + 2 + BLOCK_BYTES * shown.length);
  writeId(domainId, value, 0);
  writeBlock(block, value, 8);
  value[20] = STATES.indexOf(state);
  value.writeUInt16BE(shown.length, RANGE_BYTES);
  for (const [i, other] of shown.entries()) writeBlock(other, value, RANGE_BYTES + 2 + BLOCK_BYTES * i);
  return value;
}

function writeBlock({ firstId, count }: IdBlock, value: Buffer, at: number): void {
  writeId(firstId, value, at);
  value.writeUInt32BE(count, at + 8);
}

function decodeRanges(value: Buffer): HiddenRange[] {
  const ranges: HiddenRange[] = [];
  for (let at = 0; at < value.length; ) {
    const [domainId, state] = [idAt(value, at), STATES[value[at + 20]]];
    const block = readBlock(value, at + 8);
    at += RANGE_BYTES;
    // The first version had one range without the number.
    const count = at < value.length ? value.readUInt16BE(at) : 0;
    const shown = Array.from({ length: count }, (_, i) => readBlock(value, at + 2 + BLOCK_BYTES * i));
    ranges.push({ domainId, state, ...block, shown });
    at += 2 + BLOCK_BYTES * count;
  }
  return ranges;
}

const readBlock = (value: Buffer, at: number): IdBlock => ({
  firstId: idAt(value, at),
  count: value.readUInt32BE(at + 8),
});

const isIn = ({ firstId, count }: IdBlock, id: Id): boolean => id >= firstId && id < firstId + count;

/** Whether a range hides a record of its domain; `key` ends with the id of the record. */
export function isHidden(range: HiddenRange, key: Uint8Array): boolean {
  const id = idAt(key, key.length - 8);
  if (range.state !== 'replaced') return isIn(range, id);
  return !isIn(range, id) && !range.shown.some((block) => isIn(block, id));
}

/**
 * The range, showing this block as well. Null: the range would have too many blocks, and what it
 * hides should be deleted at once.
 */
export function withShown(range: HiddenRange, { firstId, count }: IdBlock): HiddenRange | null {
  if (isIn(range, firstId) || range.shown.some((block) => isIn(block, firstId))) return range;
  const last = range.shown.at(-1);
  if (last !== undefined && last.firstId + last.count === firstId)
    return { ...range, shown: [...range.shown.slice(0, -1), { firstId: last.firstId, count: last.count + count }] };
  return range.shown.length === MAX_SHOWN ? null : { ...range, shown: [...range.shown, { firstId, count }] };
}

/** Blocks that were written before what an import has replaced is deleted, some seconds later. */
const MAX_SHOWN = 1000;

/** Makes all reads of the tables leave out hidden rows, except `allRecords`. */
export function hideImports(
  meta: Binary,
  { records, targets, aliases }: Readonly<Record<'records' | 'targets' | 'aliases', Binary>>,
): { hidden: HiddenRows; allRecords: Binary['getRange'] } {
  const hidden = new HiddenRows(meta);
  const allRecords = hideRows(hidden, { table: records, domainOf: idAt, isByDomain: true });
  hideRows(hidden, { table: targets, domainOf: idAt, isByDomain: true });
  hideRows(hidden, { table: aliases, domainOf: (key) => aliasOwnerParts(key).domainId, isByDomain: false });
  return { hidden, allRecords };
}

interface LmdbIterable {
  iterate(...options: unknown[]): Iterator<unknown>;
}

/** A table of records, or of entries that are derived from them. All keys end with its id. */
interface RecordTable {
  readonly table: Binary;
  /** The domain of the record. */
  readonly domainOf: (key: Uint8Array) => Id;
  /** Whether keys begin with the domain. */
  readonly isByDomain: boolean;
}

/** Makes the reads of a table leave out hidden rows. Returns `getRange` with the hidden rows. */
function hideRows(hidden: HiddenRows, { table, domainOf, isByDomain }: RecordTable): Binary['getRange'] {
  const isVisibleIn = (ranges: readonly HiddenRange[], key: Uint8Array): boolean => {
    const domainId = domainOf(key);
    return !ranges.some((range) => range.domainId === domainId && isHidden(range, key));
  };
  const get = table.get.bind(table);
  table.get = (key: Uint8Array, options?: GetOptions) => {
    const ranges = hidden.read(options?.transaction);
    return ranges.length === 0 || isVisibleIn(ranges, key) ? get(key, options) : undefined;
  };
  const doesExist = table.doesExist.bind(table) as (key: Uint8Array) => boolean;
  table.doesExist = (key: Uint8Array) => {
    const ranges = hidden.read();
    return (ranges.length === 0 || isVisibleIn(ranges, key)) && doesExist(key);
  };
  const getRange = table.getRange.bind(table) as Binary['getRange'];
  table.getRange = (options: RangeOptions = {}) => {
    const entries = getRange(options);
    const native = entries as unknown as LmdbIterable;
    const { iterate } = native;
    // The options are read when the iteration starts: see scan.ts.
    native.iterate = (...how) => {
      const all = (options as { readonly onlyCount?: boolean }).onlyCount ? NONE : hidden.read(options.transaction);
      const ranges = isByDomain ? all.filter((range) => mayContain(options, range)) : all;
      if (ranges.length === 0) return iterate.apply(native, how);
      const unlimited = getRange({ ...options, limit: undefined }) as unknown as LmdbIterable;
      return visible(unlimited.iterate(...how), (key) => isVisibleIn(ranges, key), options.limit);
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
  isVisible: (key: Uint8Array) => boolean,
  limit = Number.POSITIVE_INFINITY,
): Iterator<unknown> {
  const keyOf = (entry: unknown): Uint8Array =>
    entry instanceof Uint8Array ? entry : (entry as { readonly key: Uint8Array }).key;
  let count = 0;
  return {
    next() {
      let result = entries.next();
      while (!result.done && !isVisible(keyOf(result.value))) result = entries.next();
      if (result.done || count++ < limit) return result;
      entries.return?.();
      return { done: true, value: undefined };
    },
    return: (value) => entries.return?.(value) ?? { done: true, value },
  };
}
