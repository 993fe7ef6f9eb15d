/**
 * Migrates a store of an earlier version when the daemon starts. Rows are converted into a new
 * file, which replaces the old one when it is complete. A killed start restarts the conversion
 * without loss. The old file is kept for a downgrade.
 */
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../base/errors.ts';
import type { Logger } from '../../base/log/index.ts';
import { syncFolder } from '../../base/private-file.ts';
import type { Secrets } from '../../base/secrets.ts';
import { readDiskSpace } from '../../os/disk-space.ts';
import { openEnvironment, STORE_FILE } from '../environment.ts';
import { transact } from '../transact.ts';
import { Format1, openFormat1, type Put } from './format-1.ts';
import { readStoreInfo } from './store-info.ts';

/** Folder of an incomplete conversion. */
const PARTIAL_FOLDER = 'migrating';
/** Folder of a complete conversion. */
const COMPLETE_FOLDER = 'migrated';
/** The old store. */
export const BEFORE_MIGRATION = 'waypost-0.1.mdb';
/** Rows in each transaction. */
const BATCH = 10_000;
const PROGRESS_ROWS = 100_000;
/**
 * Copied keys of the table `meta`: the position in the log, and the settings of served zones.
 * Serials increase if these settings differ.
 */
const COPIED_META = ['head', 'served with'];

export interface MigrateOptions {
  readonly directory: string;
  readonly mapSize: number;
  /** Called only if a store is converted, since it creates a key file. */
  readonly secrets: () => Secrets;
  readonly log: Logger;
}

/**
 * Converts the store if necessary. The caller holds the lock of the data folder. Throws
 * ConfigError.
 */
export async function migrateStore({ directory, mapSize, secrets, log }: MigrateOptions): Promise<void> {
  const file = join(directory, STORE_FILE);
  await finishSwap(directory, log);
  if (!existsSync(file)) return;
  const source = await openFormat1(file);
  if (source === null) return;
  const { size } = statSync(file);
  const { free } = readDiskSpace(directory);
  if (free < 2 * size) {
    await source.close();
    throw new ConfigError(
      'no_space',
      `The store in ${directory} is of Waypost 0.1. To convert it needs ${2 * size} bytes of free disk space; ${free} are free. Free some space, then start again.`,
    );
  }
  log.info('converting the store of Waypost 0.1', { records: source.count('records'), bytes: size });
  const part = join(directory, PARTIAL_FOLDER);
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { mode: 0o700 });
  const environment = openEnvironment(part, mapSize);
  try {
    const { root, rows, lookups, meta } = environment;
    const put: Put = (table, key, value) => {
      rows.get(table.number)!.put(key, value);
      for (const lookup of table.lookups(key, value)) lookups.put(lookup, key);
    };
    const steps = new Format1(source, secrets(), put, environment.zones).convert()[Symbol.iterator]();
    let done = 0;
    for (let isDone = false; !isDone; ) {
      await transact(root, () => {
        for (let i = 0; i < BATCH && !isDone; i++) {
          isDone = steps.next().done === true;
          done++;
        }
        if (!isDone) return;
        for (const key of COPIED_META) {
          const value = source.meta(key);
          if (value !== undefined) meta.put(Buffer.from(key), value);
        }
      });
      if (done % PROGRESS_ROWS === 0) log.info('converting the store of Waypost 0.1', { rows: done });
    }
    await root.flushed;
  } finally {
    await environment.close();
    await source.close();
  }
  // Cached responses are stored under old ids.
  rmSync(join(directory, 'cache'), { recursive: true, force: true });
  renameSync(part, join(directory, COMPLETE_FOLDER));
  syncFolder(directory);
  await finishSwap(directory, log);
}

/**
 * Replaces the store by a complete conversion. Also completes a replacement that was interrupted.
 */
async function finishSwap(directory: string, log: Logger): Promise<void> {
  const ready = join(directory, COMPLETE_FOLDER);
  if (!existsSync(ready)) return;
  const file = join(directory, STORE_FILE);
  const before = join(directory, BEFORE_MIGRATION);
  // After a kill, the earlier version may have run again and may have stored newer data.
  const [whole, current] = [await readStoreInfo(join(ready, STORE_FILE)), await readStoreInfo(file)];
  if (whole !== null && (current === null || current.sequence <= whole.sequence)) {
    // The new file is not moved yet, so `file` is the old store.
    if (current !== null) renameSync(file, before);
    rmSync(`${file}-lock`, { force: true });
    syncFolder(directory);
    renameSync(join(ready, STORE_FILE), file);
    syncFolder(directory);
    log.info('converted the store of Waypost 0.1', { before });
  }
  rmSync(ready, { recursive: true, force: true });
}
