/**
 * Storage of apps, in one LMDB file. A value is on disk once `set` resolves; LMDB keeps its last
 * commit after a crash. The id of an app is any text, so keys begin with its SHA-256. No app can
 * access keys of another app, and no id is part of a path.
 *
 * key: SHA-256 of the id, kind, and for KIND_VALUE the key of the app in UTF-8.
 */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { privateDatabase, syncFolder } from '../../../core/base/private-file.ts';
import { HostFault } from '../bridge/errors.ts';
import { LIMITS } from '../bridge/operations.ts';
import { PERMISSION_STATES, type PermissionState, type PermissionStore } from './permissions.ts';
import type { StorageService } from './services.ts';

export interface StorageEntry {
  readonly key: string;
  readonly value: string;
}

export interface StorageUsage {
  /** Of keys and values, in UTF-8. */
  readonly bytes: number;
  readonly keys: number;
}

export interface StorageChange {
  readonly appId: string;
  /** Undefined: the whole storage was cleared. */
  readonly key: string | undefined;
  /** Undefined: the key was deleted. */
  readonly value: string | undefined;
}

/** The limits of LIMITS, or smaller limits of a test. */
export type StorageLimits = Readonly<Record<'storageKey' | 'storageValue' | 'storageTotal' | 'storageKeys', number>>;

const FILE = 'storage.mdb';
const KIND_USAGE = 0;
const KIND_VALUE = 1;
const KIND_PERMISSIONS = 2;
const KIND_END = 3;
/** Initial size of the LMDB map, which grows in pages of 4 KB. */
const MAP_SIZE = 16 * 1024 * 1024;

/** A write pending for the next commit. */
interface Write {
  readonly run: () => StorageChange | undefined;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class AppStorage implements StorageService, PermissionStore {
  readonly #database: RootDatabase<Buffer, Uint8Array>;
  readonly #listeners = new Set<(change: StorageChange) => void>();
  #writes: Write[] = [];
  #isClosed = false;

  /** Opens or creates the storage in `folder`. Throws errors of the file system and LMDB. */
  constructor(
    folder: string,
    private readonly limits: StorageLimits = LIMITS,
  ) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#database = open<Buffer, Uint8Array>({
      noSubdir: true,
      mapSize: MAP_SIZE,
      // Every commit is synced to disk.
      overlappingSync: false,
      keyEncoding: 'binary',
      encoding: 'binary',
      cache: false,
      ...privateDatabase(join(folder, FILE)),
    });
    // Makes the name of the file durable.
    syncFolder(folder);
  }

  /** Null: there is no such key. Reads pending writes, too. */
  get(appId: string, key: string): string | null {
    this.#commit();
    return this.#read(appId, key) ?? null;
  }

  /**
   * Resolves once the value is on disk. Writes in the same turn of the event loop share one
   * commit. Rejects with HostFault `invalid_argument` and `quota_exceeded`.
   */
  set(appId: string, key: string, value: string): Promise<void> {
    return this.#enqueue(() => this.#put(appId, key, value));
  }

  /** Like `set`, but returns once the value is on disk. For synchronous background calls. */
  setNow(appId: string, key: string, value: string): void {
    this.#commit();
    this.#transact([() => this.#put(appId, key, value)]);
  }

  /** Deletes a key, on behalf of the user of the simulator: apps cannot delete keys. */
  delete(appId: string, key: string): Promise<void> {
    return this.#enqueue(() => this.#remove(appId, key));
  }

  /** Deletes all values of the app. Keeps the user's decisions on its permissions. */
  clear(appId: string): Promise<void> {
    return this.#enqueue(() => {
      for (const row of this.#rows(appId, KIND_USAGE, KIND_PERMISSIONS)) this.#database.removeSync(row);
      return { appId, key: undefined, value: undefined };
    });
  }

  /** Deletes all rows of an uninstalled app. */
  uninstall(appId: string): Promise<void> {
    return this.#enqueue(() => {
      for (const row of this.#rows(appId, KIND_USAGE, KIND_END)) this.#database.removeSync(row);
      return { appId, key: undefined, value: undefined };
    });
  }

  /** Sorted by the UTF-8 of the keys. */
  list(appId: string): StorageEntry[] {
    this.#commit();
    const start = rowKey(appId, KIND_VALUE);
    return this.#rows(appId, KIND_VALUE, KIND_PERMISSIONS).map((row) => ({
      key: Buffer.from(row.subarray(start.length)).toString('utf8'),
      value: this.#database.get(row)?.toString('utf8') ?? '',
    }));
  }

  usage(appId: string): StorageUsage {
    this.#commit();
    return this.#usage(appId);
  }

  /** Calls `listener` once a change is on disk. Returns a function that removes it. */
  onChange(listener: (change: StorageChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Stores the user's decisions on the app's permissions. */
  load(appId: string): Readonly<Record<string, PermissionState>> {
    const row = this.#database.get(rowKey(appId, KIND_PERMISSIONS));
    if (row === undefined) return {};
    const states: Record<string, PermissionState> = JSON.parse(row.toString('utf8'));
    return Object.fromEntries(Object.entries(states).filter(([, state]) => PERMISSION_STATES.includes(state)));
  }

  save(appId: string, states: Readonly<Record<string, PermissionState>>): void {
    this.#commit();
    this.#database.transactionSync(() => {
      this.#database.putSync(rowKey(appId, KIND_PERMISSIONS), Buffer.from(JSON.stringify(states)));
    });
  }

  /** Resolves once all writes are on disk. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#commit();
    this.#isClosed = true;
    await this.#database.close();
  }

  #enqueue(run: Write['run']): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new Error('The storage is closed.');
      if (this.#writes.length === 0) setImmediate(() => this.#commit());
      this.#writes.push({ run, resolve, reject });
    });
  }

  /** Commits the pending writes, each with its own outcome. */
  #commit(): void {
    const writes = this.#writes;
    if (writes.length === 0) return;
    this.#writes = [];
    const outcomes: (() => void)[] = [];
    try {
      this.#transact(
        writes.map(({ run, resolve, reject }) => () => {
          try {
            const change = run();
            outcomes.push(resolve);
            return change;
          } catch (error) {
            if (!(error instanceof HostFault)) throw error;
            outcomes.push(() => reject(error));
            return undefined;
          }
        }),
      );
    } catch (error) {
      // The transaction was rolled back.
      for (const { reject } of writes) reject(error);
      return;
    }
    for (const settle of outcomes) settle();
  }

  #transact(runs: readonly Write['run'][]): void {
    const changes = this.#database.transactionSync(() => runs.map((run) => run()));
    for (const change of changes) if (change !== undefined) this.#announce(change);
  }

  #announce(change: StorageChange): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(change);
      } catch {
        // An error of a listener does not undo the write.
      }
    }
  }

  /** Within a transaction. */
  #put(appId: string, key: string, value: string): StorageChange {
    if (!key.isWellFormed() || !value.isWellFormed())
      throw new HostFault('invalid_argument', 'The key or the value has half of a surrogate pair.');
    const { storageKey, storageValue, storageTotal, storageKeys } = this.limits;
    const keyBytes = Buffer.byteLength(key);
    const valueBytes = Buffer.byteLength(value);
    if (keyBytes > storageKey) throw new HostFault('invalid_argument', `The key is longer than ${storageKey} bytes.`);
    if (valueBytes > storageValue)
      throw new HostFault('quota_exceeded', `The value is longer than ${storageValue} bytes.`);
    const row = rowKey(appId, KIND_VALUE, key);
    const previous = this.#database.get(row);
    const { bytes, keys } = this.#usage(appId);
    const usage = {
      bytes: bytes + valueBytes + (previous === undefined ? keyBytes : -previous.length),
      keys: keys + (previous === undefined ? 1 : 0),
    };
    if (usage.keys > storageKeys)
      throw new HostFault('quota_exceeded', `The storage of the app has ${storageKeys} keys already.`);
    if (usage.bytes > storageTotal)
      throw new HostFault('quota_exceeded', `The storage of the app is full: ${storageTotal} bytes.`);
    this.#database.putSync(row, Buffer.from(value));
    this.#putUsage(appId, usage);
    return { appId, key, value };
  }

  /** Within a transaction. */
  #remove(appId: string, key: string): StorageChange | undefined {
    if (this.#read(appId, key) === undefined) return undefined;
    const row = rowKey(appId, KIND_VALUE, key);
    const previous = this.#database.get(row)?.length ?? 0;
    const { bytes, keys } = this.#usage(appId);
    this.#database.removeSync(row);
    this.#putUsage(appId, { bytes: bytes - previous - Buffer.byteLength(key), keys: keys - 1 });
    return { appId, key, value: undefined };
  }

  #read(appId: string, key: string): string | undefined {
    // A malformed key has no row; its UTF-8 would equal that of another key.
    if (!key.isWellFormed() || Buffer.byteLength(key) > this.limits.storageKey) return undefined;
    return this.#database.get(rowKey(appId, KIND_VALUE, key))?.toString('utf8');
  }

  #usage(appId: string): StorageUsage {
    const row = this.#database.get(rowKey(appId, KIND_USAGE));
    return row === undefined ? { bytes: 0, keys: 0 } : { bytes: row.readUInt32LE(0), keys: row.readUInt32LE(4) };
  }

  #putUsage(appId: string, { bytes, keys }: StorageUsage): void {
    const row = Buffer.alloc(8);
    row.writeUInt32LE(bytes, 0);
    row.writeUInt32LE(keys, 4);
    this.#database.putSync(rowKey(appId, KIND_USAGE), row);
  }

  /** Range of keys from one kind, inclusive, to another, exclusive. */
  #rows(appId: string, from: number, before: number): Uint8Array[] {
    return [...this.#database.getKeys({ start: rowKey(appId, from), end: rowKey(appId, before) })];
  }
}

function rowKey(appId: string, kind: number, key = ''): Buffer {
  // UTF-16 is unique for all texts, even those with lone surrogates.
  const hash = createHash('sha256').update(Buffer.from(appId, 'utf16le')).digest();
  return Buffer.concat([hash, Buffer.of(kind), Buffer.from(key)]);
}
