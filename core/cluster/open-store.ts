/**
 * Opens the store of this node: its lock, its environment, up-to-date answers, and the index in
 * memory, which is filled later.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../base/errors.ts';
import type { Logger } from '../base/log/index.ts';
import type { Registry } from '../base/metrics/index.ts';
import { openSecrets, type Secrets } from '../base/secrets.ts';
import type { Stops } from '../base/stops.ts';
import type { Tasks } from '../base/tasks.ts';
import { type Config, secretKeyFile } from '../config/index.ts';
import { Signers } from '../journal/apply/signers.ts';
import { answersAreCurrent, rebuildAnswers, settingsOfAnswers, spaceForRebuild } from '../journal/upkeep/rebuild.ts';
import { finishImport } from '../journal/upkeep/unfinished-import.ts';
import { diskSpace } from '../os/disk-space.ts';
import { type Environment, openEnvironment, reserveLockFile, STORE_FILE } from '../store/environment.ts';
import { fillIndex, openIndex } from '../store/index/build.ts';
import type { IndexWriter } from '../store/index/writer.ts';
import { watchLargest } from '../store/largest.ts';
import { lockDirectory } from '../store/lock.ts';
import { indexMetrics, storeMetrics, tablesOf } from '../store/metrics.ts';
import { migrateStore } from '../store/migrate/migrate.ts';
import { logDamaged } from '../store/scan.ts';
import { StoreReader } from '../store/store-reader.ts';
import { zoneSettings as settingsOf, type ZoneSettings } from '../zone/compile/settings.ts';
import { installSnapshot } from './received-snapshot.ts';

interface OpenStoreOptions {
  readonly config: Config;
  readonly metrics: Registry;
  readonly tasks: Tasks;
  readonly log: Logger;
  /** Receives the hooks that close the store and release its lock. */
  readonly stops: Stops;
}

interface OpenStore {
  readonly environment: Environment;
  readonly index: IndexWriter;
  readonly zoneSettings: ZoneSettings;
  /** Opened here, since its key file is created in the folder of the store. */
  readonly secrets: Secrets;
  readonly signers: Signers;
  /** Starts to fill the index and to measure the store. Call it when the nameserver answers. */
  startReading(): void;
}

/** Replaces the store first if a snapshot was fetched from another node. Throws ConfigError. */
export async function openStore({ config, metrics, tasks, log, stops }: OpenStoreOptions): Promise<OpenStore> {
  const { dataDir, store, dns } = config;
  const lock = lockDirectory(dataDir);
  stops.add(() => lock.release());
  if (installSnapshot(dataDir)) log.info('the store of another node has replaced the local one');
  const file = join(dataDir, STORE_FILE);
  reserveLock(dataDir, file);
  await migrateStore({
    directory: dataDir,
    mapSize: store.mapSize,
    log,
    secrets: () => openSecrets(secretKeyFile(config)),
  });
  // A conversion creates a new lock file.
  reserveLock(dataDir, file);
  const environment = openEnvironment(dataDir, store.mapSize);
  stops.add(() => environment.close());
  const secrets = openSecrets(secretKeyFile(config));
  const signers = stops.own(new Signers(secrets, { inThreads: true }));
  const zoneSettings = await compileAnswers(environment, { dataDir, zoneSettings: settingsOf(config), signers, log });
  storeMetrics(metrics, { root: environment.root, tables: tablesOf(environment) });
  const index = openIndex(environment, dns.indexMemory);
  indexMetrics(metrics, index);
  const largest = watchLargest({ metrics, tasks, log }, new StoreReader(environment));
  stops.add(() => largest.stop());
  const stopping = new AbortController();
  let filled = Promise.resolve();
  stops.add(() => {
    stopping.abort();
    return filled;
  });
  return {
    environment,
    index,
    zoneSettings,
    secrets,
    signers,
    startReading() {
      filled = fillAndLog(index, environment, { directory: dataDir, log, signal: stopping.signal });
      largest.start();
    },
  };
}

interface FillOptions {
  readonly directory: string;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

async function fillAndLog(index: IndexWriter, environment: Environment, options: FillOptions): Promise<void> {
  const { log, directory, signal } = options;
  const started = performance.now();
  try {
    await fillIndex(index, environment, { directory, signal, onDamaged: logDamaged(log) });
    const milliseconds = Math.round(performance.now() - started);
    log.info('index filled: answers now come from memory', { milliseconds, ...index.stats });
  } catch (error) {
    if (!signal.aborted)
      log.error('cannot fill the index: answers come from the store until a restart', {
        reason: (error as Error).message,
      });
  }
}

/** Compiles all answers again while no daemon runs. Throws ConfigError. */
export async function rebuildStore(config: Config): Promise<{ zones: number; answers: number }> {
  const { dataDir, store } = config;
  const lock = lockDirectory(dataDir);
  const environment = openEnvironment(dataDir, store.mapSize);
  try {
    const settings = settingsOf(config);
    const signers = new Signers(openSecrets(secretKeyFile(config)));
    // Records that will be deleted get no rows of targets.
    await finishImport(environment, settings, signers);
    return await rebuildAnswers(environment, settings, undefined, signers);
  } finally {
    await environment.close();
    lock.release();
  }
}

/**
 * Reserves the lock file. On a full disk it deletes the disk cache of the edge first. Throws
 * ConfigError `no_space`.
 */
function reserveLock(dataDir: string, file: string): void {
  try {
    reserveLockFile(file);
  } catch {
    rmSync(join(dataDir, 'cache'), { recursive: true, force: true });
    reserveLockFile(file);
  }
}

interface CompileOptions {
  readonly dataDir: string;
  readonly zoneSettings: ZoneSettings;
  readonly signers: Signers;
  readonly log: Logger;
}

/**
 * Recompiles the answers if the compiler or the settings of the apex have changed since they were
 * stored. Returns the settings with which the node serves: on a full disk the previous ones, if
 * this version compiled the answers. Throws ConfigError `no_space`.
 */
async function compileAnswers(
  environment: Environment,
  { dataDir, zoneSettings, signers, log }: CompileOptions,
): Promise<ZoneSettings> {
  const finished = await finishImport(environment, zoneSettings, signers);
  if (finished !== null)
    log.info('finished the import, deletion or restore of zones that a crash had interrupted', finished);
  if (answersAreCurrent(environment, zoneSettings)) return zoneSettings;
  const needed = spaceForRebuild(environment);
  const free = diskSpace(dataDir)?.free ?? Number.POSITIVE_INFINITY;
  if (free < needed) {
    const previous = settingsOfAnswers(environment);
    if (previous === null)
      throw new ConfigError(
        'no_space',
        `All answers of ${dataDir} must be compiled again, since the version has changed. That needs ${needed} bytes of disk space; ${free} are free. Free some space, or start the previous version.`,
      );
    log.warn('the disk is full: serving with the previous settings until a restart', { folder: dataDir, needed, free });
    return previous;
  }
  const onProgress = (count: number): void => log.info('compiling all answers', { zones: count });
  const { zones, answers } = await rebuildAnswers(environment, zoneSettings, onProgress, signers);
  if (zones > 0)
    log.info('compiled all answers: the compiler or the settings of the apex have changed', { zones, answers });
  return zoneSettings;
}
