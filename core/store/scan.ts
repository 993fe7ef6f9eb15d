/** Synchronous reads of short ranges of a table, and of rows that may be damaged. */
import type { Transaction } from 'lmdb';
import type { Logger } from '../base/log/index.ts';
import type { Binary } from './environment.ts';
import type { Table } from './rows/table.ts';

interface Range {
  start: Uint8Array | undefined;
  end: Uint8Array | undefined;
}

/**
 * The iterable of a range, created once per table. Creating it allocates a dozen closures, too many
 * for the few rows of a name.
 */
interface Walk {
  readonly range: Range;
  readonly entries: Iterable<{ key: Uint8Array; value: Buffer }>;
  busy: boolean;
}

const walks = new WeakMap<Binary, Walk>();

/**
 * Calls `visit` for each entry with start ≤ key < end, in order, until it returns false.
 * `transaction`: in which it reads; omitted: the current one.
 */
export function scan(
  table: Binary,
  start: Uint8Array,
  end: Uint8Array | undefined,
  visit: (key: Buffer, value: Buffer) => boolean | undefined,
  transaction?: Transaction,
): void {
  const walk = walkOf(table);
  // A scan inside another scan of the same table needs its own iterable.
  const isReused = !walk.busy && transaction === undefined;
  const entries = isReused ? walk.entries : table.getRange({ start, end, transaction });
  if (isReused) {
    walk.busy = true;
    walk.range.start = start;
    walk.range.end = end;
  }
  try {
    for (const { key, value } of entries) if (visit(key as Buffer, value) === false) break;
  } finally {
    if (isReused) walk.busy = false;
  }
}

function walkOf(table: Binary): Walk {
  let walk = walks.get(table);
  if (walk === undefined) {
    const range: Range = { start: undefined, end: undefined };
    walk = { range, entries: table.getRange(range), busy: false };
    walks.set(table, walk);
  }
  return walk;
}

export type OnDamaged = (table: string, key: Uint8Array, error: unknown) => void;

/**
 * Decodes a row that a disk or memory fault may have damaged. Full scans skip and report such rows,
 * so that one does not stop the scan. Undefined: the row is damaged; `onDamaged` was called.
 */
export function decodeReadable<Row>(
  table: Table<Row>,
  key: Uint8Array,
  value: Uint8Array,
  onDamaged: OnDamaged = () => {},
): Row | undefined {
  try {
    return table.decode(key, value);
  } catch (error) {
    onDamaged(table.name, key, error);
    return undefined;
  }
}

/** Logs each damaged row once. */
export function logDamaged(log: Logger): OnDamaged {
  const logged = new Set<string>();
  return (table, key, error) => {
    const id = `${table} ${Buffer.from(key).toString('hex')}`;
    if (logged.has(id)) return;
    logged.add(id);
    log.error('damaged row skipped', { table, key: id.slice(table.length + 1), reason: (error as Error).message });
  };
}
