/**
 * A snapshot file: two lines of text, then a consistent copy of a node's store, then the packages
 * that its rows reference. The first line has the version of the format and the SHA-256 of the
 * second. The second line describes the store and has the hashes of both parts.
 */
import { createHash } from 'node:crypto';
import { existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, mkdtemp, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigError, InvalidError, StateError } from '../base/errors.ts';
import { readChunks, writeAt } from '../base/file-pieces.ts';
import { syncFolder } from '../base/private-file.ts';
import type { Config } from '../config/index.ts';
import { readHead } from '../journal/applied-head.ts';
import { decodeEntry } from '../journal/entry-codec.ts';
import { EtcdLog } from '../journal/etcd/shared-log.ts';
import { EtcdGateway } from '../journal/etcd-client/gateway.ts';
import { type Environment, openEnvironment } from '../store/environment.ts';
import { sequenceKey } from '../store/keys.ts';
import { lockDirectory } from '../store/lock.ts';
import { neededBlobs } from '../store/package-reads.ts';
import { type IdCounter, idCounters } from '../store/rows.ts';
import { StoreReader } from '../store/store-reader.ts';
import { transact } from '../store/transact.ts';
import { BLOBS, BlobStore } from './blobs/store.ts';
import { etcdSettings } from './files.ts';
import { installSnapshot, PART, READY, STORE } from './received-snapshot.ts';
import { type BlobsHead, checkBlobs, damaged, readBlobs, writeBlobs } from './snapshot-blobs.ts';

type SnapshotConfig = Pick<Config, 'etcd' | 'peer' | 'nodeName' | 'dataDir' | 'store'>;
/** Called with the bytes processed so far, and the total. */
type OnProgress = (done: number, size: number) => void;

export interface SnapshotHead {
  readonly node: string;
  /** Version of Waypost that wrote it. */
  readonly version: string;
  /** ISO 8601. */
  readonly made: string;
  /** Sequence and hash (hexadecimal) of the last entry in it. */
  readonly sequence: number;
  readonly hash: string;
  /** Bytes of the store, and their SHA-256 in hexadecimal. */
  readonly size: number;
  readonly sha256: string;
  readonly blobs: BlobsHead;
}

const MAGIC = 'waypost-snapshot';
const FORMAT = 3;
/** Bytes of both lines; the second line is padded with blanks. */
const LINES = 2048;
export const SNAPSHOT_LINES = LINES;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function encodeLines(head: SnapshotHead): Buffer {
  const first = `${MAGIC} ${FORMAT} ${sha256('')}\n`;
  const line = JSON.stringify(head).padEnd(LINES - first.length - 1);
  return Buffer.from(`${MAGIC} ${FORMAT} ${sha256(line)}\n${line}\n`);
}

interface WrittenSnapshot {
  readonly head: SnapshotHead;
  /** Number of referenced packages that this node does not have. */
  readonly missing: number;
}

/** A snapshot whose parts are in a folder. */
interface PreparedSnapshot extends WrittenSnapshot {
  /** Time of the last change, in milliseconds since 1970; null: not in the journal. */
  readonly lastChange: number | null;
  /** Bytes of the complete file. */
  readonly size: number;
  /** The bytes of the file that `restoreSnapshot` reads. */
  readonly stream: () => AsyncIterable<Buffer>;
}

interface PrepareOptions {
  readonly config: Pick<SnapshotConfig, 'dataDir' | 'nodeName' | 'store'>;
  /** Empty, and removed by the caller. */
  readonly folder: string;
  readonly version: string;
  readonly onProgress?: OnProgress;
}

/**
 * Copies the store of this node into a folder, consistently even while its daemon runs. Throws
 * StateError `no_data`.
 */
export async function prepareSnapshot({
  config,
  folder,
  version,
  onProgress = () => {},
}: PrepareOptions): Promise<PreparedSnapshot> {
  const { dataDir, nodeName, store } = config;
  if (!existsSync(join(dataDir, STORE)))
    throw new StateError('no_data', `${dataDir} contains no data; set the data folder with WAYPOST_DATA_DIR.`);
  const made = new Date().toISOString();
  const environment = openEnvironment(dataDir, store.mapSize);
  try {
    await environment.root.backup(join(folder, STORE), true);
  } finally {
    await environment.close();
  }
  const { sequence, hash, needed, lastChange } = await readCopy(folder, store.mapSize);
  const [path, blobsPath] = [join(folder, STORE), join(folder, BLOBS)];
  const [source, blobFile] = [await open(path, 'r'), await open(blobsPath, 'wx+', 0o600)];
  try {
    const { size } = await source.stat();
    const own = join(dataDir, BLOBS);
    const all = size + sizeOf(own, needed);
    const head: SnapshotHead = {
      node: nodeName,
      version,
      made,
      sequence,
      hash: hash.toString('hex'),
      size,
      sha256: await hashFile(source, (done) => onProgress(done, all)),
      blobs: await writeBlobs(own, needed, blobFile, 0, progressFrom(size, all, onProgress)),
    };
    return {
      head,
      lastChange,
      missing: needed.size - head.blobs.count,
      size: LINES + size + head.blobs.size,
      async *stream() {
        yield encodeLines(head);
        for (const part of [path, blobsPath]) {
          const file = await open(part, 'r');
          try {
            yield* readChunks(file, 0);
          } finally {
            await file.close();
          }
        }
      },
    };
  } finally {
    await source.close();
    await blobFile.close();
  }
}

async function hashFile(file: FileHandle, onProgress: (done: number) => void): Promise<string> {
  const hash = createHash('sha256');
  let done = 0;
  for await (const piece of readChunks(file, 0)) {
    hash.update(piece);
    done += piece.length;
    onProgress(done);
  }
  return hash.digest('hex');
}

/**
 * Writes the store of this node and its packages to a new file. The daemon may run meanwhile.
 * Throws StateError `no_data`, `file_exists`.
 */
export async function writeSnapshot(
  config: SnapshotConfig,
  path: string,
  version: string,
  onProgress: OnProgress,
): Promise<WrittenSnapshot> {
  const exists = new StateError('file_exists', `${path} already exists; use another name, or delete it.`);
  if (existsSync(path)) throw exists;
  // A unique name: similar names may belong to the user, or to a concurrent snapshot.
  const folder = await mkdtemp(`${path}.`);
  const part = join(folder, PART);
  let target: FileHandle | undefined;
  try {
    const { head, missing, stream } = await prepareSnapshot({ config, folder, version, onProgress });
    target = await open(part, 'wx', 0o600);
    let size = 0;
    for await (const piece of stream()) {
      await writeAt(target, piece, size);
      size += piece.length;
    }
    await target.sync();
    try {
      linkSync(part, path);
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? exists : error;
    }
    syncFolder(dirname(path));
    return { head, missing };
  } finally {
    await target?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Total bytes of the named files that exist. */
function sizeOf(folder: string, names: Iterable<string>): number {
  let size = 0;
  for (const name of names) size += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  return size;
}

/** Converts counts of further bytes to calls of `onProgress`. */
function progressFrom(done: number, size: number, onProgress: OnProgress): (count: number) => void {
  let sum = done;
  return (count) => {
    sum += count;
    onProgress(sum, size);
  };
}

/**
 * Reads the head of a copy, the time of its last change, and the packages that its rows reference.
 * The live store may already reference others.
 */
async function readCopy(folder: string, mapSize: number) {
  const copied = openEnvironment(folder, mapSize);
  try {
    const head = readHead(copied);
    const last = copied.journal.get(sequenceKey(head.sequence));
    const lastChange = last === undefined ? null : decodeEntry(last).time;
    return { ...head, lastChange, needed: await neededBlobs(new StoreReader(copied)) };
  } finally {
    await copied.close();
  }
}

/**
 * Copies the bytes [from, end) of one file to position `to` of another. Resolves with their SHA-256
 * in hexadecimal.
 */
async function copy(
  source: FileHandle,
  from: number,
  end: number,
  target: FileHandle,
  to: number,
  onProgress: (done: number) => void,
): Promise<string> {
  const hash = createHash('sha256');
  let done = 0;
  for await (const piece of readChunks(source, from, end)) {
    hash.update(piece);
    await writeAt(target, piece, to + done);
    done += piece.length;
    onProgress(done);
  }
  return hash.digest('hex');
}

export interface Restored {
  readonly head: SnapshotHead;
  /** Path of the previous store; null: there was none. */
  readonly kept: string | null;
  /**
   * `none`: no etcd is configured; `empty`: etcd has no log yet; `goes on`: the log continues from
   * the snapshot.
   */
  readonly log: 'none' | 'empty' | 'goes on';
}

/**
 * Replaces the store of this node by a snapshot. The daemon must not run. `force`: also replaces an
 * existing store, which is kept next to the new one. Checks everything before it replaces anything.
 * Throws InvalidError for an invalid snapshot, StateError `has_data` and `other_log`, ConfigError,
 * EtcdUnavailable, EtcdRefused.
 */
export async function restoreSnapshot(
  config: SnapshotConfig,
  path: string,
  force: boolean,
  onProgress: OnProgress,
): Promise<Restored> {
  const { dataDir } = config;
  const lock = lockDirectory(dataDir);
  let source: FileHandle | undefined;
  let target: FileHandle | undefined;
  const part = join(dataDir, PART);
  try {
    source = await open(path, 'r');
    const { head, start } = await readLines(source, path);
    const hasStore = existsSync(join(dataDir, STORE));
    if (hasStore && !force)
      throw new StateError(
        'has_data',
        `${dataDir} already contains data. Use --force to replace it with the snapshot; the previous data is kept in a file in the same folder.`,
      );
    const log = await logFor(config, head);
    target = await open(part, 'w', 0o600);
    const { size, blobs } = head;
    const [end, all] = [start + size, size + blobs.size];
    const found = await copy(source, start, end, target, 0, (done) => onProgress(done, all));
    if (found !== head.sha256) throw damaged(path);
    await checkBlobs(source, end, blobs, path);
    if (blobs.count > 0)
      await readBlobs(
        source,
        end,
        blobs,
        path,
        new BlobStore(join(dataDir, BLOBS)),
        progressFrom(size, all, onProgress),
      );
    await target.sync();
    renameSync(part, join(dataDir, READY));
    const counters = hasStore && log !== 'goes on' ? await readCounters(config) : [];
    const kept = `${STORE}.replaced-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`;
    installSnapshot(dataDir, kept);
    if (counters.length > 0) await raiseCounters(config, counters);
    syncFolder(dataDir);
    return { head, kept: hasStore ? join(dataDir, kept) : null, log };
  } finally {
    await source?.close();
    await target?.close();
    rmSync(part, { force: true });
    lock.release();
  }
}

/** Reads the lines before the store, and the offset at which it starts. */
async function readLines(file: FileHandle, path: string): Promise<{ head: SnapshotHead; start: number }> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(LINES), 0, LINES, 0);
  const { head, start } = readSnapshotLines(buffer.subarray(0, bytesRead), path);
  const { size } = await file.stat();
  const expected = start + head.size + head.blobs.size;
  if (size !== expected)
    throw new InvalidError(
      'truncated_snapshot',
      `${path} has ${size} of ${expected} bytes: the copy is incomplete. Copy it again, or use another snapshot.`,
    );
  return { head, start };
}

/** `buffer`: the first SNAPSHOT_LINES bytes of a snapshot. Throws InvalidError. */
export function readSnapshotLines(buffer: Buffer, path: string): { head: SnapshotHead; start: number } {
  const [first, line] = buffer.toString('latin1').split('\n', 2);
  const [magic, format, check] = first.split(' ');
  if (magic !== MAGIC)
    throw new InvalidError(
      'not_a_snapshot',
      `${path} is not a snapshot. Use a file that "waypost cluster snapshot" has created.`,
    );
  if (Number(format) > FORMAT)
    throw new InvalidError(
      'newer_snapshot',
      `${path} was written by a newer version of Waypost; restore it with that version.`,
    );
  if (/^[12]$/.test(format))
    throw new InvalidError(
      'older_snapshot',
      `${path} was written by an earlier version of Waypost, which alone can restore it. Restore it with that version, then start this version on its data folder: the first start converts the store.`,
    );
  const end = Buffer.byteLength(`${first}\n${line}\n`, 'latin1');
  const text = buffer.toString('utf8', first.length + 1, end - 1);
  if (line === undefined || Number(format) !== FORMAT || sha256(text) !== check)
    throw new InvalidError('damaged_snapshot', `${path} has a damaged header; use another snapshot.`);
  return { head: JSON.parse(text) as SnapshotHead, start: end };
}

/** The id counters of the previous store; empty if it cannot be read. */
async function readCounters({ dataDir, store }: SnapshotConfig): Promise<IdCounter[]> {
  let environment: Environment;
  try {
    environment = openEnvironment(dataDir, store.mapSize);
  } catch (error) {
    if (error instanceof ConfigError) return [];
    throw error;
  }
  try {
    return Array.from(environment.rows.get(idCounters.number)!.getRange({}), ({ key, value }) =>
      idCounters.decode(key as Buffer, value),
    );
  } finally {
    await environment.close();
  }
}

/**
 * A restored snapshot starts a new history. It must not reuse ids that the previous store assigned
 * after the snapshot: clients may still hold them.
 */
async function raiseCounters({ dataDir, store }: SnapshotConfig, counters: readonly IdCounter[]): Promise<void> {
  const environment = openEnvironment(dataDir, store.mapSize);
  try {
    const table = environment.rows.get(idCounters.number)!;
    await transact(environment.root, () => {
      for (const counter of counters) {
        const key = idCounters.key(counter);
        const restored = table.get(key);
        if (restored === undefined || idCounters.decode(key, restored).next < counter.next)
          table.put(key, idCounters.encode(counter));
      }
    });
  } finally {
    await environment.close();
  }
}

/**
 * Throws StateError if the log does not continue from the snapshot: the node could not follow it.
 */
async function logFor(config: SnapshotConfig, { sequence, hash }: SnapshotHead): Promise<Restored['log']> {
  const { endpoints, prefix } = config.etcd;
  if (endpoints.length === 0) return 'none';
  const gateway = new EtcdGateway(etcdSettings(config));
  try {
    const log = new EtcdLog(gateway, prefix);
    if ((await log.read(sequence + 1)).head === null) return 'empty';
    if (await log.contains({ sequence, hash: Buffer.from(hash, 'hex') })) return 'goes on';
    throw new StateError(
      'other_log',
      `The log in etcd below ${prefix} does not continue after change ${sequence}, the last change of the snapshot. If the other nodes work, this node needs no snapshot: move its store (${join(config.dataDir, STORE)}) away and start it. To reset the whole cluster to the snapshot, stop all nodes, set another etcd.prefix or delete its keys (etcdctl del --prefix ${prefix}), and restore again.`,
    );
  } finally {
    await gateway.close();
  }
}
