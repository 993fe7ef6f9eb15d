/**
 * The LMDB environment: one file that holds every table. A commit is synced before it is reported
 * (no overlapping sync), all of a transaction lands or none of it. The map grows by itself; each
 * thread that reads opens the environment once and holds one reader.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { isDiskFull } from '../base/disk-full.ts';
import { ConfigError } from '../base/errors.ts';
import { privateDatabase } from '../base/private-file.ts';
import { reserveSpace } from '../os/reserve-space.ts';
import { makeFolder } from './folder.ts';
import { records, TABLES } from './rows.ts';

export type Binary = Database<Buffer, Uint8Array>;

export interface Environment {
  readonly root: RootDatabase<Buffer, Uint8Array>;
  /** The rows, by table number. */
  readonly rows: ReadonlyMap<number, Binary>;
  /** The table of records, which is among `rows`, too. */
  readonly records: Binary;
  readonly lookups: Binary;
  /** nameKey ─► node (see answers.ts). Derived. */
  readonly answers: Binary;
  /** Which names point at which (see keys.ts). Derived. */
  readonly targets: Binary;
  /** Which names hold an ALIAS that leads to which (see keys.ts). Derived. */
  readonly aliases: Binary;
  /** domain id ─► serial, revision, record count, bytes of its rows. Derived. */
  readonly zones: Binary;
  /** account id ─► how many domains, records and bytes it has. Derived. */
  readonly usage: Binary;
  /** domain id ─► what the edge reads when a client comes (see sites.ts). Derived. */
  readonly sites: Binary;
  /** domain id, NSEC3 hash ─► entry (see nsec3-entries.ts). Derived. */
  readonly nsec3: Binary;
  /** domain id, sequence ─► what the change replaced (see history.ts). Derived. */
  readonly history: Binary;
  readonly journal: Binary;
  readonly meta: Binary;
  close(): Promise<void>;
}

export const MAX_READERS = 1024;
const MAX_TABLES = 64;
export const STORE_FILE = 'waypost.mdb';
/**
 * The format of keys and rows, which is the schema version of the store. Increased together with a
 * migration (core/store/migrate) when rows are stored in another way. Format 1, of Waypost 0.1, had
 * no mark, and its ids were 16 hexadecimal digits.
 */
export const STORE_FORMAT = Buffer.from('2');
const FIRST_FORMAT = Buffer.from('1');
export const FORMAT_KEY = Buffer.from('format');

/**
 * Values as they are. Read into node's pool: what lmdb would give a buffer of its own, from 65
 * bytes on, costs three times as much to make, and the collector's work.
 */
const BYTES = {
  encode: (value: Buffer): Buffer => value,
  decode(shared: Buffer): Buffer {
    // Its length is set to that of the value, which its methods don't know of.
    const { length } = shared;
    const value = Buffer.allocUnsafe(length);
    value.set(Uint8Array.prototype.subarray.call(shared, 0, length));
    return value;
  },
};
export const BINARY = { keyEncoding: 'binary', encoding: 'binary', encoder: BYTES, cache: false } as const;

/**
 * Opens or creates the store in `directory`. `mapSize` is only where the map starts, in bytes.
 * Throws ConfigError for a store of another format.
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
  // In one transaction: each would be synced by itself when the store is made.
  const environment = root.transactionSync(() => {
    const meta = table('meta');
    if (isEmpty(meta)) meta.put(FORMAT_KEY, STORE_FORMAT);
    // Format 1 had no mark.
    const format = meta.get(FORMAT_KEY) ?? FIRST_FORMAT;
    if (!format.equals(STORE_FORMAT)) return Number(format.toString());
    const rows = new Map([...TABLES.values()].map(({ number, name }) => [number, table(name)]));
    return {
      root,
      rows,
      records: rows.get(records.number)!,
      lookups: table('lookups'),
      answers: table('answers'),
      targets: table('targets'),
      aliases: table('aliases'),
      zones: table('zones'),
      usage: table('usage'),
      sites: table('sites'),
      nsec3: table('nsec3'),
      history: table('history'),
      journal: table('journal'),
      meta,
      close: () => root.close(),
    };
  });
  if (typeof environment !== 'number') return environment;
  void root.close();
  if (environment < Number(STORE_FORMAT.toString()))
    throw new ConfigError(
      'other_format',
      `The store in ${directory} was written by an earlier version of Waypost. Start the daemon: it converts the store, and keeps the old one.`,
    );
  throw new ConfigError(
    'other_format',
    `The store in ${directory} has format ${environment}, of a newer version of Waypost; this version reads format ${STORE_FORMAT.toString()}. Install that version again; its command "waypost downgrade-check" says how to go back. On a node of a cluster, you can move ${join(directory, STORE_FILE)} away: the node gets the data from the others.`,
  );
}

export interface ReadOnlyStore {
  readonly root: RootDatabase<Buffer, Uint8Array>;
  /** Undefined: the store does not have it. */
  table(name: string): Binary | undefined;
}

/** Opens the file of a store of any format, to look at it; a daemon may use it meanwhile. */
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
 * Before the daemon opens a database for the first time, and no other process: its lock file is
 * written through memory, and on a full disk a hole in it would end the process. Throws ConfigError
 * `no_space`.
 */
export function reserveLockFile(path: string): void {
  const lock = `${path}-lock`;
  try {
    reserveSpace(lock, LOCK_BYTES);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    // Of an earlier version: the part that its threads have used has blocks.
    if ((statSync(lock, { throwIfNoEntry: false })?.blocks ?? 0) > 0) return;
    throw new ConfigError('no_space', `The disk is full: ${lock} needs ${LOCK_BYTES} bytes. Free some space.`, {
      cause: error,
    });
  }
}
