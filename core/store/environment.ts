/**
 * The LMDB environment: a single file with all tables. Transactions are atomic, and a commit is
 * synced before it is reported (no overlapping sync). The map grows automatically. Each reading
 * thread opens the environment once and holds one reader slot.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { isDiskFull } from '../base/disk-full.ts';
import { ConfigError } from '../base/errors.ts';
import { privateDatabase } from '../base/private-file.ts';
import { reserveSpace } from '../os/disk-space.ts';
import { makeFolder } from './folder.ts';
import { type HiddenRows, hideImports } from './hidden-rows.ts';
import { completeStoreLevel, FEATURE_LEVEL, readStoreLevel } from './level.ts';
import { records, TABLES } from './rows.ts';

export type Binary = Database<Buffer, Uint8Array>;

export interface Environment {
  readonly root: RootDatabase<Buffer, Uint8Array>;
  /** Tables of rows, by table number. */
  readonly rows: ReadonlyMap<number, Binary>;
  /** The table of records, which is also in `rows`. Ranges leave out hidden rows. */
  readonly records: Binary;
  /** Records of imports in progress. */
  readonly hidden: HiddenRows;
  /** Ranges of `records` with the hidden rows. */
  readonly allRecords: Binary['getRange'];
  readonly lookups: Binary;
  /** nameKey ─► node (see answers.ts). Derived. */
  readonly answers: Binary;
  /** Owners of records by the target of these records (see keys.ts). Derived. */
  readonly targets: Binary;
  /** Owners of ALIAS records by target (see keys.ts). Derived. */
  readonly aliases: Binary;
  /** domain id ─► serial, revision, record count, bytes of its rows. Derived. */
  readonly zones: Binary;
  /** account id ─► numbers of domains and records, bytes. Derived. */
  readonly usage: Binary;
  /** The orders in which domains are listed (see domain-orders.ts). Derived. */
  readonly orders: Binary;
  /** domain id ─► the data that the edge needs per connection (see sites.ts). Derived. */
  readonly sites: Binary;
  /** domain id, NSEC3 hash ─► entry (see nsec3-entries.ts). Derived. */
  readonly nsec3: Binary;
  /** domain id, sequence ─► the values before a change (see history.ts). Derived. */
  readonly history: Binary;
  readonly journal: Binary;
  readonly meta: Binary;
  close(): Promise<void>;
}

export const MAX_READERS = 1024;
const MAX_TABLES = 96;
export const STORE_FILE = 'waypost.mdb';
/**
 * The format of keys and rows: the schema version of the store. It is increased, with a migration
 * (core/store/migrate), when the encoding of rows changes. Format 1, of Waypost 0.1, had no format
 * key, and its ids were 16 hexadecimal digits.
 */
export const STORE_FORMAT = Buffer.from('2');
const FIRST_FORMAT = Buffer.from('1');
export const FORMAT_KEY = Buffer.from('format');

/**
 * Raw bytes as values. Values are read into the pool of Node.js. From 65 bytes on, lmdb would
 * allocate a buffer for each value, which costs three times as much, and more garbage collection.
 */
const BYTES = {
  encode: (value: Buffer): Buffer => value,
  decode(shared: Buffer): Buffer {
    // lmdb sets only the `length` of its shared buffer to that of the value. Methods of Buffer
    // ignore it.
    const { length } = shared;
    const value = Buffer.allocUnsafe(length);
    value.set(Uint8Array.prototype.subarray.call(shared, 0, length));
    return value;
  },
};
export const BINARY = { keyEncoding: 'binary', encoding: 'binary', encoder: BYTES, cache: false } as const;

/** What this program cannot read of a store. */
interface Refused {
  readonly refused: 'format' | 'level';
  readonly found: number;
}

/**
 * Opens or creates the store in `directory`. `mapSize`: initial size of the map, in bytes. Throws
 * ConfigError for a store of another format, or with rows that only a newer version reads.
 */
export function openEnvironment(directory: string, mapSize = 1 << 30): Environment {
  makeFolder(directory);
  const root = open<Buffer, Uint8Array>({
    noSubdir: true,
    maxDbs: MAX_TABLES,
    maxReaders: MAX_READERS,
    mapSize,
    overlappingSync: false,
    ...BINARY,
    ...privateDatabase(join(directory, STORE_FILE)),
  });
  const table = (name: string): Binary => root.openDB({ name, ...BINARY });
  // A single transaction, so that a new store is synced once and not for each table.
  const environment = root.transactionSync((): Environment | Refused => {
    const meta = table('meta');
    if (isEmpty(meta)) meta.put(FORMAT_KEY, STORE_FORMAT);
    // Format 1 had no format key.
    const format = meta.get(FORMAT_KEY) ?? FIRST_FORMAT;
    if (!format.equals(STORE_FORMAT)) return { refused: 'format', found: Number(format.toString()) };
    const level = readStoreLevel(meta);
    if (level > FEATURE_LEVEL) return { refused: 'level', found: level };
    // A compact copy has no free pages. If its first transaction frees many, such as one that
    // clears the answers, an assertion of LMDB ends the process (mdb_page_alloc, key.mv_size > 0).
    // This small change makes that transaction the second.
    if (freePages(root) === 0) meta.put(FORMAT_KEY, STORE_FORMAT);
    const rows = new Map([...TABLES.values()].map(({ number, name }) => [number, table(name)]));
    completeStoreLevel(meta, rows);
    const targets = table('targets');
    const aliases = table('aliases');
    const { hidden, allRecords } = hideImports(meta, { records: rows.get(records.number)!, targets, aliases });
    return {
      root,
      rows,
      records: rows.get(records.number)!,
      hidden,
      allRecords,
      lookups: table('lookups'),
      answers: table('answers'),
      targets,
      aliases,
      zones: table('zones'),
      usage: table('usage'),
      orders: table('domain_orders'),
      sites: table('sites'),
      nsec3: table('nsec3'),
      history: table('history'),
      journal: table('journal'),
      meta,
      close: () => root.close(),
    };
  });
  if (!('refused' in environment)) return environment;
  void root.close();
  const goBack = `Install that version again; its command "waypost downgrade-check" says how to go back. On a node of a cluster, you can move ${join(directory, STORE_FILE)} away: the node gets the data from the others.`;
  const { refused, found } = environment;
  if (refused === 'level')
    throw new ConfigError(
      'newer_store',
      `The store in ${directory} has data of feature level ${found}, of a newer version of Waypost; this version reads level ${FEATURE_LEVEL}. ${goBack}`,
    );
  if (found < Number(STORE_FORMAT.toString()))
    throw new ConfigError(
      'other_format',
      `The store in ${directory} was written by an earlier version of Waypost. Start the daemon: it converts the store, and keeps the old one.`,
    );
  throw new ConfigError(
    'other_format',
    `The store in ${directory} has format ${found}, of a newer version of Waypost; this version reads format ${STORE_FORMAT.toString()}. ${goBack}`,
  );
}

/** Number of entries in the list of free pages. */
function freePages(root: RootDatabase<Buffer, Uint8Array>): number {
  const { free } = root.getStats() as { free: { entryCount: number } };
  return free.entryCount;
}

export interface ReadOnlyStore {
  readonly root: RootDatabase<Buffer, Uint8Array>;
  /** Undefined: the store has no such table. */
  table(name: string): Binary | undefined;
}

/** Opens a store of any format for reading. A daemon may use it at the same time. */
export function openReadOnly(path: string): ReadOnlyStore {
  const root = open<Buffer, Uint8Array>({
    noSubdir: true,
    readOnly: true,
    maxDbs: MAX_TABLES,
    maxReaders: MAX_READERS,
    ...BINARY,
    ...privateDatabase(path),
  });
  return { root, table: (name) => root.openDB({ name, ...BINARY }) as Binary | undefined };
}

export function isEmpty(table: Binary): boolean {
  for (const _ of table.getKeys({ limit: 1 })) return false;
  return true;
}

/** Bytes of a lock file of LMDB with MAX_READERS, in whole pages. */
const LOCK_BYTES = 68 << 10;

/**
 * Reserves disk blocks for the lock file. Must run before any process opens the database: LMDB
 * writes the lock file through a memory map, where a hole on a full disk would end the process.
 * Throws ConfigError `no_space`.
 */
export function reserveLockFile(path: string): void {
  const lock = `${path}-lock`;
  try {
    reserveSpace(lock, LOCK_BYTES);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    // An existing lock file of an earlier version has blocks for the part in use.
    if ((statSync(lock, { throwIfNoEntry: false })?.blocks ?? 0) > 0) return;
    throw new ConfigError('no_space', `The disk is full: ${lock} needs ${LOCK_BYTES} bytes. Free some space.`, {
      cause: error,
    });
  }
}
