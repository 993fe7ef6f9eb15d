/** Lists, creates, copies, deletes and verifies the backups of a target. */
import { createHash, type webcrypto } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { InvalidError, StateError } from '../../base/errors.ts';
import type { Config } from '../../config/index.ts';
import { readHead } from '../../journal/applied-head.ts';
import { readDiskSpace, reserveOf } from '../../os/disk-space.ts';
import { openEnvironment, STORE_FILE } from '../../store/environment.ts';
import { removeLeftovers } from '../../store/folder.ts';
import { prepareSnapshot, readSnapshotLines, SNAPSHOT_LINES, type SnapshotHead } from '../snapshot-file.ts';
import { decrypted, type Encryption, encrypted } from './encryption.ts';
import { BACKUP_FORMAT, type Backup, backupName, DATA, DESCRIPTION, ENCRYPTED, parseDescription } from './names.ts';
import { expiredBackups, type Retention } from './schedule.ts';
import {
  encodeSegment,
  type Position,
  parseSegment,
  positionAfter,
  readSegment,
  SEGMENTS,
  type Segment,
  segmentName,
  segmentsAfter,
} from './segments.ts';
import { readAll, type Target, writeAll } from './target.ts';

export interface BackupOptions {
  readonly config: Pick<Config, 'dataDir' | 'nodeName' | 'store' | 'protection'>;
  readonly target: Target;
  /** Null: not encrypted. */
  readonly encryption: Encryption | null;
  /** Id of the oldest secret key that rows may be encrypted with. */
  readonly secretKeyId: string;
  readonly version: string;
  /** Called with the bytes processed so far, and the total. */
  readonly onProgress?: (done: number, size: number) => void;
  /** Throws if the work must stop. */
  readonly check?: () => void;
}

/** Prefix of the folder in the data folder for the copy of the store; the process id follows. */
const FOLDER = 'backup.';
/** Prefix of the names of backups, which start with the year. */
const BY_YEAR = '2';

/** Oldest first. */
export async function listBackups(target: Target): Promise<Backup[]> {
  const files = await target.list(BY_YEAR);
  const sizes = new Map(files.map(({ name, size }) => [name, size]));
  const backups: Backup[] = [];
  for (const file of files) {
    if (!file.name.endsWith(DESCRIPTION) || file.size > 65_536) continue;
    const backup = parseDescription((await readAll(target, file)).toString());
    // Retention deletes the data first, so a description without data is not a backup.
    if (backup !== undefined && sizes.get(backup.file) === backup.size) backups.push(backup);
  }
  return backups.sort((a, b) => Date.parse(a.made) - Date.parse(b.made) || a.sequence - b.sequence);
}

export async function listSegments(target: Target): Promise<Segment[]> {
  return (await target.list(SEGMENTS)).map(parseSegment).filter((segment) => segment !== undefined);
}

/**
 * Creates a backup. It is listed once its data is complete in the target. Throws StateError
 * `disk_full` before anything is written if the disk has no room for the copy of the store.
 */
export async function makeBackup(options: BackupOptions): Promise<Backup> {
  const { config, target, encryption, secretKeyId, version } = options;
  const started = performance.now();
  const folder = join(config.dataDir, FOLDER + process.pid);
  if (!existsSync(join(config.dataDir, STORE_FILE)))
    throw new StateError('no_data', `${config.dataDir} contains no data; set the data folder with WAYPOST_DATA_DIR.`);
  removeLeftovers(config.dataDir);
  await checkSpace(config, target);
  await mkdir(folder, { mode: 0o700 });
  try {
    const { head, size, stream, lastChange } = await prepareSnapshot({ config, folder, version });
    const { made, sequence, hash, node } = head;
    const name = backupName(new Date(made), sequence, node);
    const file = `${name}${DATA}${encryption === null ? '' : ENCRYPTED}`;
    const sum = createHash('sha256');
    const plain = withProgress(stream(), size, options);
    const stored = encryption === null ? plain : encrypted(plain, encryption.recipients);
    const bytes = await target.write(file, withHash(stored, sum), size);
    const backup: Backup = {
      name,
      format: BACKUP_FORMAT,
      version,
      node,
      made,
      ...(lastChange === null ? {} : { lastChange: new Date(lastChange).toISOString() }),
      sequence,
      hash,
      file,
      size: bytes,
      sha256: sum.digest('hex'),
      encrypted: encryption?.about ?? null,
      secretKeyId,
      took: Math.round(performance.now() - started),
    };
    await writeAll(target, `${name}${DESCRIPTION}`, Buffer.from(`${JSON.stringify(backup, null, 2)}\n`));
    return backup;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * LMDB must never run into a full disk. Throws StateError `disk_full` if the disk of a folder has
 * no room for `size` bytes and the reserve.
 */
export async function checkRoom(folder: string, size: number, reserveSetting: number | undefined): Promise<void> {
  const space = readDiskSpace(folder);
  const reserve = reserveOf(space, reserveSetting);
  if (space.free - size >= reserve) return;
  throw new StateError(
    'disk_full',
    `The disk of ${folder} has ${megabytes(space.free)} MB free. Up to ${megabytes(size)} MB are needed, and ${megabytes(reserve)} MB must stay free (protection.disk_reserve). Free some space.`,
  );
}

/** The copy needs at most the size of the store. */
async function checkSpace({ dataDir, protection }: BackupOptions['config'], target: Target): Promise<void> {
  const size = statSync(join(dataDir, STORE_FILE), { throwIfNoEntry: false })?.size ?? 0;
  await checkRoom(dataDir, size, protection.diskReserve);
  const free = await target.freeBytes();
  if (free !== null && free < size)
    throw new StateError(
      'disk_full',
      `${target.description} has ${megabytes(free)} MB free, and a backup needs up to ${megabytes(size)} MB. Free some space, or keep fewer backups (backup.keep_*).`,
    );
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1e6);

async function* withProgress(
  source: AsyncIterable<Uint8Array>,
  size: number,
  { onProgress, check }: Pick<BackupOptions, 'onProgress' | 'check'>,
): AsyncGenerator<Uint8Array> {
  let done = 0;
  for await (const piece of source) {
    check?.();
    done += piece.length;
    onProgress?.(done, size);
    yield piece;
  }
}

async function* withHash(
  source: AsyncIterable<Uint8Array>,
  sum: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of source) {
    sum.update(piece);
    yield piece;
  }
}

export interface CopiedChanges {
  readonly position: Position;
  readonly segments: number;
}

/**
 * Copies the changes since the latest backup that were not copied yet. Null: a new backup is
 * needed, since there is none or the journal does not reach back to it.
 */
export async function copyChanges(options: BackupOptions): Promise<CopiedChanges | null> {
  const { config, target, encryption, check } = options;
  const latest = (await listBackups(target)).at(-1);
  if (latest === undefined) return null;
  let position = positionAfter(segmentsAfter(await listSegments(target), latest), latest);
  const environment = openEnvironment(config.dataDir, config.store.mapSize);
  try {
    // A restore has started a history that ends earlier.
    if (readHead(environment).sequence < position.sequence) return null;
    for (let segments = 0; ; segments++) {
      check?.();
      environment.root.resetReadTxn();
      const found = readSegment(environment, position);
      if (found === null) return null;
      if (found.entries.length === 0) {
        const isComplete = position.sequence === readHead(environment).sequence;
        return isComplete ? { position, segments } : null;
      }
      const name = segmentName(found.entries, encryption !== null);
      const plain = encodeSegment(found.entries);
      const size = found.entries.reduce((sum, { length }) => sum + length, 0);
      await target.write(name, encryption === null ? plain : encrypted(plain, encryption.recipients), size);
      position = found.position;
    }
  } finally {
    await environment.close();
  }
}

export interface Deleted {
  readonly backups: number;
  readonly segments: number;
}

/** Deletes expired backups, and copied changes that no remaining backup needs. */
export async function deleteExpired(target: Target, retention: Retention, now = Date.now()): Promise<Deleted> {
  const all = await listBackups(target);
  const expired = expiredBackups(all, retention, now);
  for (const { file, name } of expired) {
    // Data first: an interruption here leaves a description that is not listed.
    await target.delete(file);
    await target.delete(`${name}${DESCRIPTION}`);
  }
  const kept = all.filter((backup) => !expired.includes(backup));
  await deleteAbandoned(target, all, now);
  let segments = 0;
  if (kept.length > 0) {
    const [oldest] = kept;
    const since = Math.min(...kept.map(({ sequence }) => sequence));
    for (const { name, last, lastTime } of await listSegments(target)) {
      if (last > since && lastTime >= Date.parse(oldest.made) - CLOCKS_MS) continue;
      await target.delete(name);
      segments++;
    }
  }
  await target.cleanUp();
  return { backups: expired.length, segments };
}

/** Milliseconds by which the clocks of nodes may differ. */
const CLOCKS_MS = 24 * 3_600_000;
/** Milliseconds after which data without a description belongs to a backup that failed. */
const ABANDONED_MS = 2 * 24 * 3_600_000;

/** Deletes data whose description was never written. */
async function deleteAbandoned(target: Target, all: readonly Backup[], now: number): Promise<void> {
  const described = new Set(all.map(({ file }) => file));
  for (const { name } of await target.list(BY_YEAR)) {
    if (described.has(name) || !(name.endsWith(DATA) || name.endsWith(DATA + ENCRYPTED))) continue;
    const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-/.exec(name) ?? [];
    const made = Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`);
    if (now - made > ABANDONED_MS) await target.delete(name);
  }
}

export type Identities = readonly (string | webcrypto.CryptoKey)[];

/**
 * The decrypted data. At the end it throws InvalidError if the SHA-256 of the stored bytes is
 * wrong.
 */
export async function* readBackup(target: Target, backup: Backup, identities: Identities): AsyncGenerator<Uint8Array> {
  const { file, size, sha256 } = backup;
  const sum = createHash('sha256');
  const stored = withHash(target.read(file, size), sum);
  if (backup.encrypted === null) yield* stored;
  else yield* decrypted(stored, identities, file, backup.encrypted.keyId);
  if (sum.digest('hex') !== sha256)
    throw new InvalidError('damaged_backup', `${file} in ${target.description} is damaged; use another backup.`);
}

/**
 * Reads all of a backup and checks every checksum. Resolves with the head of its snapshot. Throws
 * InvalidError.
 */
export async function verifyBackup(
  target: Target,
  backup: Backup,
  identities: Identities,
  onProgress: (done: number) => void = () => {},
): Promise<SnapshotHead> {
  const damaged = new InvalidError(
    'damaged_backup',
    `${backup.file} in ${target.description} is damaged; use another backup.`,
  );
  let lines = Buffer.alloc(0);
  let head: SnapshotHead | undefined;
  const [store, blobs] = [createHash('sha256'), createHash('sha256')];
  let at = 0;
  const add = (piece: Uint8Array, size: number): void => {
    const left = Math.max(0, size - at);
    store.update(piece.subarray(0, left));
    blobs.update(piece.subarray(left));
    at += piece.length;
  };
  for await (const piece of readBackup(target, backup, identities)) {
    onProgress(piece.length);
    if (head !== undefined) add(piece, head.size);
    else {
      lines = Buffer.concat([lines, piece]);
      if (lines.length < SNAPSHOT_LINES) continue;
      head = readSnapshotLines(lines.subarray(0, SNAPSHOT_LINES), backup.file).head;
      add(lines.subarray(SNAPSHOT_LINES), head.size);
    }
    await setImmediate();
  }
  const isWhole =
    head !== undefined &&
    at === head.size + head.blobs.size &&
    head.sequence === backup.sequence &&
    head.hash === backup.hash &&
    store.digest('hex') === head.sha256 &&
    blobs.digest('hex') === head.blobs.sha256;
  if (head === undefined || !isWhole) throw damaged;
  return head;
}
