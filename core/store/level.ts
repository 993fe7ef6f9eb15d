/**
 * The feature level of a store: the highest level of the rows that were written to it. A program of
 * a lower level would ignore those rows, and later write next to them; it refuses the store.
 */
import type { Database } from 'lmdb';
import { TABLES, type Table } from './rows.ts';

type Binary = Database<Buffer, Uint8Array>;
type AnyTable = Table<unknown>;

/** The feature level of this program; core/journal/feature-level.ts has what each level adds. */
export const FEATURE_LEVEL = 8;
/** The level of what every version can read. */
export const FIRST_LEVEL = 1;

export const LEVEL_KEY = Buffer.from('level');

export function readStoreLevel(meta: Binary): number {
  return Number(meta.get(LEVEL_KEY)?.toString() ?? FIRST_LEVEL);
}

/** The level that a node needs to read a row. `value`: null for a deletion. */
export function rowLevel(table: AnyTable | undefined, key: Uint8Array, value: Uint8Array | null): number {
  return (value !== null && table?.levelOf?.(key, value)) || table?.level || FIRST_LEVEL;
}

/** Raises the level of the store to that of a row. Inside the write transaction of the row. */
export function raiseStoreLevel(meta: Binary, table: AnyTable, key: Uint8Array, value: Uint8Array): void {
  if (table.level === undefined && table.levelOf === undefined) return;
  const stored = readStoreLevel(meta);
  // This program writes no row above its own level.
  if (stored >= FEATURE_LEVEL) return;
  const needed = rowLevel(table, key, value);
  if (needed > stored) meta.put(LEVEL_KEY, Buffer.from(String(needed)));
}

/**
 * Raises the level to that of the tables that have rows: of stores without a level, and of rows
 * that were copied and not applied. Inside a write transaction.
 */
export function completeStoreLevel(meta: Binary, rows: ReadonlyMap<number, Binary>): void {
  const stored = readStoreLevel(meta);
  let level = stored;
  for (const { number, level: needed = FIRST_LEVEL } of TABLES.values())
    if (needed > level && rows.get(number)!.getKeysCount({ limit: 1 }) > 0) level = needed;
  if (level > stored || meta.get(LEVEL_KEY) === undefined) meta.put(LEVEL_KEY, Buffer.from(String(level)));
}
