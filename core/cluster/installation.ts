/**
 * The history of changes that this installation continues. A restored copy begins another one, and
 * the original may still run: so the copy does not write to the backups of the original, and sends
 * nothing to others until an administrator resumes deliveries.
 */
import { randomBytes } from 'node:crypto';
import type { Logger } from '../base/log/index.ts';
import type { Tasks } from '../base/tasks.ts';
import type { Config } from '../config/index.ts';
import { write } from '../journal/draft/draft.ts';
import type { Journal } from '../journal/journal.ts';
import { type Environment, openEnvironment } from '../store/environment.ts';
import { type InstallationRow, installations, type RestoreSource } from '../store/rows.ts';
import { StoreReader } from '../store/store-reader.ts';
import { transact } from '../store/transact.ts';

/** The author of the entries. */
const SERVICE = 'installation';
/** Milliseconds between two looks while deliveries are paused. */
const LOOK_MS = 1000;

const newHistory = (): string => randomBytes(8).toString('hex');

/**
 * To be called for restored data whose history no other node continues. The daemon must not run. It
 * adds the row to the journal at its start, for the other nodes.
 */
export async function markRestored(
  { dataDir, store }: Pick<Config, 'dataDir' | 'store'>,
  { from, sequence }: Omit<RestoreSource, 'at'>,
): Promise<void> {
  const environment = openEnvironment(dataDir, store.mapSize);
  const row: InstallationRow = {
    history: newHistory(),
    restored: { from, sequence, at: Math.floor(Date.now() / 1000) },
    isPaused: true,
    isLocal: true,
  };
  try {
    const table = environment.rows.get(installations.number)!;
    await transact(environment.root, () => table.put(installations.key(row), installations.encode(row)));
  } finally {
    await environment.close();
  }
}

/** Gives this installation an id of its history, unless it has one. */
export async function identifyHistory(environment: Environment, journal: Journal): Promise<void> {
  if (new StoreReader(environment).installation() !== undefined) return;
  await write(environment, journal, SERVICE, (draft) => {
    if (draft.installation() === undefined)
      draft.put(installations, { history: newHistory(), restored: null, isPaused: false, isLocal: false });
  });
}

interface InstallationOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly tasks: Tasks;
  readonly log: Logger;
  /** Called once deliveries are not paused: at `start`, or when they are resumed. */
  readonly onDelivering: () => void;
}

export interface Installation {
  /** Problems for the operator; empty if there are none. */
  warnings(): string[];
  start(): void;
  stop(): Promise<void>;
}

/** Adds the row of a restore to the journal, and waits until deliveries are resumed. */
export function openInstallation({
  environment,
  journal,
  tasks,
  log,
  onDelivering,
}: InstallationOptions): Installation {
  const reader = new StoreReader(environment);
  let isWaiting = reader.areDeliveriesPaused();
  const isLocal = (): boolean => reader.installation()?.isLocal === true;
  const task = tasks.add({
    name: 'installation',
    owner: 'node',
    due: () => (isWaiting || isLocal() ? LOOK_MS : Number.POSITIVE_INFINITY),
    log,
    async run() {
      if (isLocal())
        await write(environment, journal, SERVICE, (draft) => {
          const row = draft.installation();
          if (row?.isLocal === true) draft.put(installations, { ...row, isLocal: false });
        });
      if (!isWaiting || reader.areDeliveriesPaused()) return;
      isWaiting = false;
      log.info('deliveries are resumed');
      onDelivering();
    },
  });
  return {
    warnings() {
      const { restored = null, isPaused = false } = reader.installation() ?? {};
      if (!isPaused) return [];
      const source = restored?.from ?? 'another copy';
      return [`deliveries are paused after the restore of ${source}; "waypost deliveries resume" resumes them`];
    },
    start() {
      if (isWaiting)
        log.warn('webhooks, request logs and NOTIFY are paused after a restore', { next: 'waypost deliveries resume' });
      else onDelivering();
      task.start();
    },
    stop: () => task.stop(),
  };
}
