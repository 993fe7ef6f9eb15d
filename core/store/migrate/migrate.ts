/**
 * Brings a store of an earlier version into the format of this one, at the start. The rows are
 * converted into a new file, which takes the place of the old one when it is whole, so a start that
 * is killed begins again with nothing lost. The old file stays, for the way back.
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

/** The folder of a conversion that is not whole. */
const PART = 'migrating';
/** The folder of one that is. */
const READY = 'migrated';
/** The old store. */
export const BEFORE_MIGRATION = 'waypost-0.1.mdb';
/** Rows of a transaction. */
const BATCH = 10_000;
const PROGRESS_EVERY = 100_000;
/** The position in the log, and the settings of zones: their serials rise if these differ. */
const KEPT_META = ['head', 'served with'];

export interface MigrateOptions {
  readonly directory: string;
  readonly mapSize: number;
  /** Opened only if there is something to convert, since it makes a key file. */
  readonly secrets: () => Secrets;
  readonly log: Logger;
}

/** The data folder is locked. Resolves when the store has this format. Throws ConfigError. */
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
  const part = join(directory, PART);
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
        for (const key of KEPT_META) {
          const value = source.meta(key);
          if (value !== undefined) meta.put(Buffer.from(key), value);
        }
      });
      if (done % PROGRESS_EVERY === 0) log.info('converting the store of Waypost 0.1', { rows: done });
    }
    await root.flushed;
  } finally {
    await environment.close();
    await source.close();
  }
  // What it holds was stored under the old ids.
  rmSync(join(directory, 'cache'), { recursive: true, force: true });
  renameSync(part, join(directory, READY));
  syncFolder(directory);
  await finishSwap(directory, log);
}

/** Puts a whole conversion into the place of the store; what a kill has left half done, too. */
async function finishSwap(directory: string, log: Logger): Promise<void> {
  const ready = join(directory, READY);
  if (!existsSync(ready)) return;
  const file = join(directory, STORE_FILE);
  const before = join(directory, BEFORE_MIGRATION);
  // After a kill the earlier version may have run again, and its store may have more by now.
  const [whole, current] = [await readStoreInfo(join(ready, STORE_FILE)), await readStoreInfo(file)];
  if (whole !== null && (current === null || current.sequence <= whole.sequence)) {
    // It is the old one as long as the new one is not moved.
    if (current !== null) renameSync(file, before);
    rmSync(`${file}-lock`, { force: true });
    syncFolder(directory);
    renameSync(join(ready, STORE_FILE), file);
    syncFolder(directory);
    log.info('converted the store of Waypost 0.1', { before });
  }
  rmSync(ready, { recursive: true, force: true });
}
