/** Restores a backup into a data folder, and replays changes up to a point in time. */
import { existsSync, linkSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidError, StateError } from '../../base/errors.ts';
import { writeAt } from '../../base/file-pieces.ts';
import { openSecrets } from '../../base/secrets.ts';
import { type Config, secretKeyFile } from '../../config/index.ts';
import { readHead } from '../../journal/applied-head.ts';
import { type ReplayedEntry, replayEntries } from '../../journal/apply/replay.ts';
import { Signers } from '../../journal/apply/signers.ts';
import { EtcdLog } from '../../journal/etcd/shared-log.ts';
import { EtcdGateway } from '../../journal/etcd-client/gateway.ts';
import { openEnvironment } from '../../store/environment.ts';
import { makeFolder } from '../../store/folder.ts';
import { sequenceKey } from '../../store/keys.ts';
import { zoneSettings } from '../../zone/compile/settings.ts';
import { etcdSettings } from '../files.ts';
import { type Restored, restoreSnapshot } from '../snapshot-file.ts';
import { type Identities, listSegments, readBackup } from './backups.ts';
import { decrypted } from './encryption.ts';
import { FolderTarget } from './folder-target.ts';
import type { Backup } from './names.ts';
import { timeOf } from './schedule.ts';
import { decodeSegment, EntryChain, segmentsAfter } from './segments.ts';
import { readAll, type Target } from './target.ts';

interface RestoreOptions {
  readonly config: Config;
  readonly target: Target;
  readonly backup: Backup;
  readonly identities: Identities;
  /** Milliseconds since 1970; null: up to the last copied change. */
  readonly until: number | null;
  /** Whether to replay the changes that were copied after the backup. */
  readonly isForward: boolean;
  /** Data folders or stores whose journals continue from the backup. */
  readonly journals: readonly string[];
  /** Whether to replace existing data, which is kept in a file next to the new data. */
  readonly replaces: boolean;
  readonly onProgress?: (done: number, size: number) => void;
}

export interface RestoredBackup extends Pick<Restored, 'kept' | 'log'> {
  readonly backup: Backup;
  /**
   * Sequence and time (ISO 8601) of the last change in the restored data; null: no change was
   * replayed.
   */
  readonly sequence: number;
  readonly lastChange: string | null;
  /** Changes that were applied after the backup. */
  readonly applied: number;
}

const DOWNLOAD = 'backup.download';
/** Maximum entries and bytes of a transaction. */
const MAX_ENTRIES = 500;
const MAX_BYTES = 4 << 20;

/**
 * Milliseconds since 1970 of the last change in a backup, or of the backup if that is not known.
 */
const lastChangeOf = ({ lastChange, made }: Backup): number => Date.parse(lastChange ?? made);

/**
 * Chooses a backup by its name; else the latest, or the latest before `until`. A backup that was
 * made after `until` is also usable if its last change is not: clocks are set back, and differ
 * between nodes. Throws StateError `no_backup`.
 */
export function chooseBackup(all: readonly Backup[], name: string | undefined, until: number | null): Backup {
  const moment = until ?? Number.POSITIVE_INFINITY;
  const usable = all.filter((backup) => lastChangeOf(backup) <= moment);
  const found =
    name === undefined
      ? (usable.findLast((backup) => timeOf(backup) <= moment) ?? usable[0])
      : all.find((backup) => backup.name === name || backup.file === name);
  if (found !== undefined) return found;
  if (name !== undefined)
    throw new StateError('no_backup', `There is no backup ${name}; "waypost backup list" shows all.`);
  throw new StateError(
    'no_backup',
    all.length === 0
      ? 'There are no backups.'
      : `There is no backup before that time: the oldest has changes up to ${all[0].lastChange ?? all[0].made}.`,
  );
}

/** Throws InvalidError for a damaged backup, StateError `has_data` and `other_log`, ConfigError. */
export async function restoreBackup(options: RestoreOptions): Promise<RestoredBackup> {
  const { config, target, backup, replaces, until, onProgress = () => {} } = options;
  const { dataDir } = config;
  if (until !== null && until < lastChangeOf(backup))
    throw new StateError('too_early', `The backup ${backup.name} has changes after that time; use an older one.`);
  if (existsSync(join(dataDir, 'waypost.mdb')) && !replaces)
    throw new StateError(
      'has_data',
      `${dataDir} already contains data. Use --replace to replace it; the previous data is kept in a file in the same folder.`,
    );
  makeFolder(dataDir);
  const direct = target instanceof FolderTarget && backup.encrypted === null;
  const path = direct ? target.path(backup.file) : join(dataDir, DOWNLOAD);
  try {
    if (!direct) await download(options, path);
    const { kept, log } = await restoreSnapshot(config, path, replaces, onProgress);
    const replayed = await replayChanges(options, log);
    return { backup, kept, log, ...replayed };
  } finally {
    if (!direct) await rm(path, { force: true });
  }
}

async function download(
  { target, backup, identities, onProgress = () => {} }: RestoreOptions,
  path: string,
): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    let done = 0;
    for await (const piece of readBackup(target, backup, identities)) {
      await writeAt(file, piece, done);
      done += piece.length;
      onProgress(done, backup.size);
    }
  } finally {
    await file.close();
  }
}

async function replayChanges(
  options: RestoreOptions,
  log: Restored['log'],
): Promise<Pick<RestoredBackup, 'sequence' | 'lastChange' | 'applied'>> {
  const { config, until, backup, isForward, journals } = options;
  const environment = openEnvironment(config.dataDir, config.store.mapSize);
  const signers = new Signers(openSecrets(secretKeyFile(config)));
  const settings = zoneSettings(config);
  const chain = new EntryChain(readHead(environment));
  let pending: ReplayedEntry[] = [];
  let bytes = 0;
  let applied = 0;
  let time: number | null = null;
  const flush = async (): Promise<void> => {
    if (pending.length === 0) return;
    await replayEntries(environment, settings, signers, pending, chain.hash);
    applied += pending.length;
    pending = [];
    bytes = 0;
  };
  try {
    const sources: AsyncIterable<Buffer>[] = [];
    if (isForward || until !== null) sources.push(entriesOfSegments(options, chain));
    for (const path of journals) sources.push(entriesOfStore(path, config, chain));
    // Without `until`, the daemon continues with the log in etcd.
    if (until !== null && log === 'goes on') sources.push(entriesOfEtcd(config, chain));
    for (const source of sources) {
      for await (const encoded of source) {
        const isAfter = until !== null && encoded.readUIntBE(7, 6) > until;
        if (isAfter) break;
        const entry = chain.next(encoded);
        if (entry === null) continue;
        pending.push({ entry, bytes: encoded });
        time = entry.time;
        bytes += encoded.length;
        if (pending.length >= MAX_ENTRIES || bytes >= MAX_BYTES) await flush();
      }
      await flush();
    }
    return {
      sequence: chain.sequence,
      lastChange: time === null ? null : new Date(time).toISOString(),
      applied,
    };
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    throw new InvalidError(
      error.code,
      `${error.message} The data folder has everything up to change ${backup.sequence + applied}.`,
    );
  } finally {
    await signers.close();
    await environment.close();
  }
}

async function* entriesOfSegments(
  { target, identities, until, backup }: RestoreOptions,
  chain: EntryChain,
): AsyncGenerator<Buffer> {
  const from = { sequence: chain.sequence, hash: backup.hash };
  for (const segment of segmentsAfter(await listSegments(target), from, until ?? undefined)) {
    const stored = await readAll(target, segment);
    const plain = segment.isEncrypted ? await plainOf(stored, identities, segment.name) : stored;
    yield* decodeSegment(plain, segment.name);
  }
}

async function plainOf(stored: Buffer, identities: Identities, name: string): Promise<Buffer> {
  async function* source(): AsyncGenerator<Uint8Array> {
    yield stored;
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of decrypted(source(), identities, name)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Entries of the journal in another store: a data folder, or a file such as waypost.mdb. */
async function* entriesOfStore(
  path: string,
  { dataDir, store }: Pick<Config, 'dataDir' | 'store'>,
  chain: EntryChain,
): AsyncGenerator<Buffer> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.isDirectory() && !existsSync(join(path, 'waypost.mdb'))))
    throw new StateError('no_journal', `${path} is neither a data folder nor a file of a store.`);
  const linked = found.isDirectory() ? null : mkdtempSync(join(dataDir, `journal-${process.pid}-`));
  if (linked !== null) linkSync(path, join(linked, 'waypost.mdb'));
  const environment = openEnvironment(linked ?? path, store.mapSize);
  try {
    const head = readHead(environment).sequence;
    const next = chain.sequence + 1;
    if (head < next) return;
    if (environment.journal.get(sequenceKey(next)) === undefined)
      throw new StateError(
        'journal_too_short',
        `The journal in ${path} reaches from its last change ${head} not back to change ${next}: changes in between are missing. Use a newer backup.`,
      );
    for (const { value } of environment.journal.getRange({ start: sequenceKey(next) })) yield value;
  } finally {
    await environment.close();
    if (linked !== null) rmSync(linked, { recursive: true, force: true });
  }
}

/** Entries of the log in etcd. */
async function* entriesOfEtcd(config: Config, chain: EntryChain): AsyncGenerator<Buffer> {
  const gateway = new EtcdGateway(etcdSettings(config));
  try {
    const log = new EtcdLog(gateway, config.etcd.prefix);
    for (let from = chain.sequence + 1; ; ) {
      const { groups, head } = await log.read(from);
      for (const { first, entries } of groups) {
        for (const entry of entries) yield entry;
        from = first + entries.length;
      }
      if (groups.length === 0 || head === null || from > head.sequence) return;
    }
  } finally {
    await gateway.close();
  }
}
