/** The jobs of the backup thread. */
import { StateError } from '../../base/errors.ts';
import type { Config } from '../../config/index.ts';
import {
  type BackupOptions,
  type CopiedChanges,
  copyChanges,
  type Deleted,
  deleteExpired,
  listBackups,
  listSegments,
  makeBackup,
} from './backups.ts';
import type { Encryption } from './encryption.ts';
import { nameOwnHistory, requireOwnHistory } from './history.ts';
import { type Backup, secretKeysOf } from './names.ts';
import { openTarget } from './open-target.ts';
import { positionAfter, segmentsAfter } from './segments.ts';

export interface Job {
  readonly kind: 'look' | 'backup' | 'changes';
  readonly config: Pick<Config, 'dataDir' | 'nodeName' | 'store' | 'protection' | 'backup' | 'etcd'>;
  readonly encryption: Encryption | null;
  readonly secretKeyId: string;
  readonly version: string;
  /** A single Int32; not 0: the job must stop. */
  readonly stop: SharedArrayBuffer;
}

export interface JobResult {
  /** The latest backup; null: none. */
  readonly latest: Backup | null;
  readonly count: number;
  /** The number of backups that need each secret key, by its id. */
  readonly secretKeys: Readonly<Record<string, number>>;
  /** Bytes of all backups. */
  readonly size: number;
  /** Highest sequence that a restore can reach. */
  readonly position: number;
  readonly made: Backup | null;
  readonly deleted: Deleted | null;
  /** Null: nothing was copied, or the journal does not reach back to the last copy. */
  readonly copied: CopiedChanges | null;
}

/** Errors lose their code on the way to the main thread. */
export interface Refusal {
  /** The message of StateError `other_history`. */
  readonly refusal: string;
}

/** Rejects with errors of the target. */
export async function runJob({
  kind,
  config,
  encryption,
  secretKeyId,
  version,
  stop,
}: Job): Promise<JobResult | Refusal> {
  const target = await openTarget(config.backup);
  const stopped = new Int32Array(stop);
  const check = (): void => {
    if (Atomics.load(stopped, 0) !== 0) throw new Error('the service is stopping');
  };
  const options = { config, target, encryption, secretKeyId, version, check } satisfies BackupOptions;
  try {
    await requireOwnHistory(options);
  } catch (error) {
    if (error instanceof StateError && error.code === 'other_history') return { refusal: error.message };
    throw error;
  }
  let made: Backup | null = null;
  let deleted: Deleted | null = null;
  let copied: CopiedChanges | null = null;
  if (kind === 'backup') {
    // Until the new backup is complete, a restore needs the previous one and the changes since.
    if (config.backup.journalInterval > 0) await copyChanges(options);
    made = await makeBackup(options);
    await nameOwnHistory(options, made);
    check();
    deleted = await deleteExpired(target, config.backup);
  } else if (kind === 'changes') {
    copied = await copyChanges(options);
    if (copied !== null && copied.segments > 0) await nameOwnHistory(options, copied.position);
  }
  const all = await listBackups(target);
  const latest = all.at(-1) ?? null;
  const position =
    latest === null ? 0 : positionAfter(segmentsAfter(await listSegments(target), latest), latest).sequence;
  const size = all.reduce((sum, backup) => sum + backup.size, 0);
  const secretKeys: Record<string, number> = {};
  for (const id of all.flatMap(secretKeysOf)) secretKeys[id] = (secretKeys[id] ?? 0) + 1;
  return { latest, count: all.length, secretKeys, size, position, made, deleted, copied };
}
