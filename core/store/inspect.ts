/**
 * Opens the store for reading, even while a daemon runs. Writes only its reader slot in the lock
 * file, which is freed at the end.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Binary,
  type Environment,
  FORMAT_KEY,
  MAX_READERS,
  openReadOnly,
  STORE_FILE,
  STORE_FORMAT,
} from './environment.ts';
import { hideImports } from './hidden-rows.ts';
import { records, TABLES } from './rows.ts';
import { StoreReader } from './store-reader.ts';

export interface StoreFigures {
  /** The format of the store, and the format of this version. */
  readonly format: string;
  readonly ownFormat: string;
  /** Bytes of the file, of the mapped address space, and of pages in use. */
  readonly fileBytes: number;
  readonly mapBytes: number;
  readonly usedBytes: number;
  readonly readers: number;
  readonly maxReaders: number;
  /** Entries of each table. */
  readonly tables: Readonly<Record<string, number>>;
}

export interface InspectedStore {
  readonly figures: StoreFigures;
  /** Null: the store has another format. */
  readonly reader: StoreReader | null;
  close(): Promise<void>;
}

interface Stats {
  readonly pageSize: number;
  readonly entryCount: number;
  readonly root?: Omit<Stats, 'root'>;
  readonly free?: { readonly leafPageCount?: number };
  readonly mapSize?: number;
  readonly lastPageNumber?: number;
  readonly numReaders?: number;
  readonly maxReaders?: number;
}

const DERIVED = [
  ...['lookups', 'answers', 'targets', 'aliases', 'zones', 'usage', 'domain_orders', 'sites', 'nsec3', 'history'],
  ...['journal', 'meta'],
] as const;

export const storeFiles = (folder: string): { data: string; lock: string } => ({
  data: join(folder, STORE_FILE),
  lock: join(folder, `${STORE_FILE}-lock`),
});

/** Null: there is no store yet. Throws errors of LMDB and of the file system. */
export function inspectStore(folder: string): InspectedStore | null {
  const { data, lock } = storeFiles(folder);
  // LMDB would create a missing lock file.
  if ([data, lock].some((path) => statSync(path, { throwIfNoEntry: false }) === undefined)) return null;
  const { root, table } = openReadOnly(data);
  const derived = Object.fromEntries(DERIVED.map((name) => [name, table(name)]));
  const rows = new Map([...TABLES.values()].map(({ number, name }) => [number, table(name)]));
  const { meta, targets, aliases } = derived;
  const recordTable = rows.get(records.number);
  if (meta !== undefined && targets !== undefined && aliases !== undefined && recordTable !== undefined)
    hideImports(meta, { records: recordTable, targets, aliases });
  const stats = root.getStats() as unknown as Stats;
  const count = (database: Binary | undefined): number =>
    database === undefined ? 0 : ((database.getStats() as unknown as Stats).entryCount ?? 0);
  const names = new Map([...TABLES.values()].map(({ number, name }) => [number, name]));
  const format = derived.meta?.get(FORMAT_KEY)?.toString('latin1') ?? 'none';
  const ownFormat = STORE_FORMAT.toString('latin1');
  const pageSize = stats.pageSize ?? stats.root?.pageSize ?? 4096;
  const fileBytes = statSync(data).size;
  const figures: StoreFigures = {
    format,
    ownFormat,
    fileBytes,
    mapBytes: stats.mapSize ?? 0,
    usedBytes: ((stats.lastPageNumber ?? 0) + 1) * pageSize,
    readers: stats.numReaders ?? 0,
    maxReaders: stats.maxReaders ?? MAX_READERS,
    tables: Object.fromEntries([
      ...[...rows].map(([number, database]) => [names.get(number) ?? String(number), count(database)]),
      ...Object.entries(derived).map(([name, database]) => [name, count(database)]),
    ]),
  };
  const isWhole = [...rows.values(), ...Object.values(derived)].every((database) => database !== undefined);
  const environment = { root, rows, records: recordTable, ...derived, close: () => root.close() };
  return {
    figures,
    reader: format === ownFormat && isWhole ? new StoreReader(environment as unknown as Environment) : null,
    close: () => root.close(),
  };
}
