/** The main thread's part of the cache: shared data of all threads, and purges. */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { isDiskFull } from '../../../core/base/disk-full.ts';
import { makeFolder } from '../../../core/store/folder.ts';
import type { Cache, CachePurge, DiskHandle } from './cache-store.ts';
import { DiskIndex } from './disk-index.ts';
import { shareNodeFlights } from './node-flights.ts';
import { appendPurge, type LogHead, readPurgeLog, syncPurgeLog, writePurgeLog } from './purge-log.ts';
import { Purges } from './purges.ts';
import { fileOf, listSegments } from './segment-files.ts';
import { SegmentTable } from './segment-table.ts';
import { Signals, shareSignals } from './signals.ts';

/**
 * Sequences reserved for a process: more than it can use, so that sequences of the next process are
 * greater.
 */
const SESSION_SEQUENCES = 2 ** 36;
const MAX_SESSIONS = 2 ** 17;
/** Growth of the log in bytes after which it is rewritten. */
const MAX_LOG_GROWTH = 16 * 1024 * 1024;
/** Maximum number of remembered purge ids. */
const MAX_IDS = 10_000;

export interface CacheOptions {
  /** Folder of the disk cache; created if it is missing. */
  readonly folder: string;
  /** Memory of all threads together, in bytes. */
  readonly memory: number;
  readonly threads: number;
  /** Size of the disk cache in bytes; 0: none. */
  readonly disk: number;
  /** Objects with more bytes are stored on disk only. */
  readonly memoryObject: number;
  /** Objects with more bytes are not stored. */
  readonly largestObject: number;
  /**
   * Reports to the operator that the disk cache is not used, or starts empty because its state is
   * unreliable.
   */
  onTrouble?(message: string): void;
}

/**
 * Never rejects because of the folder's contents. Unreliable data is deleted, and a failing disk is
 * not used.
 */
export async function openCache(options: CacheOptions): Promise<Cache> {
  const { folder, threads } = options;
  const opened = await openDisk(options).catch((error: Error) => {
    options.onTrouble?.(`the cache runs without its disk: ${error.message}`);
    return undefined;
  });
  const memory = Math.max(1024 * 1024, Math.floor(options.memory / threads));
  const signals = shareSignals((opened?.head.session ?? 0) * SESSION_SEQUENCES);
  const sender = new Signals(signals);
  const purges = opened?.purges ?? new Purges();
  const ids = new Set<string>(opened?.ids ?? []);
  let log = opened;
  let bytes = 0;

  const write = (sequence: number, purge: CachePurge, id: string | undefined): void => {
    if (log === undefined) return;
    try {
      bytes += appendPurge(folder, sequence, purge, id);
      if (bytes < MAX_LOG_GROWTH) return;
      writePurgeLog(folder, log.head, purges, [...ids]);
      bytes = 0;
    } catch (error) {
      // A purge that is not in the log would be undone by a restart. Without a log, the disk cache
      // starts empty.
      log = undefined;
      void rm(`${folder}/purges.log`, { force: true }).catch(() => {});
      options.onTrouble?.(
        `cannot record a purge; the disk cache starts empty at the next start: ${(error as Error).message}`,
      );
    }
  };

  return {
    handle: {
      seeds: [randomBytes(4).readInt32LE(), randomBytes(4).readInt32LE()],
      signals,
      flights: opened !== undefined && threads > 1 ? shareNodeFlights() : null,
      disk: opened?.handle ?? null,
      memory,
      memoryObject: Math.min(options.memoryObject, Math.floor(memory / 8)),
      largestObject:
        opened === undefined ? options.memoryObject : Math.min(options.largestObject, Math.floor(options.disk / 4)),
    },
    bound({ memoryShare, diskExcess, isDiskPaused }) {
      sender.memoryShare = memoryShare;
      if (opened === undefined) return;
      const { segments, limit } = opened.handle;
      const table = new SegmentTable(segments, limit);
      table.isPaused = isDiskPaused;
      table.withhold(isDiskPaused ? Math.max(0, limit - Math.max(0, table.bytes - diskExcess)) : 0);
      for (const number of table.evictOldest()) void rm(fileOf(folder, number), { force: true }).catch(() => {});
    },
    async purge({ prefetch, ...purge }, id) {
      if (id !== undefined && ids.has(id)) return;
      if (id !== undefined) rememberId(ids, id);
      const sequence = sender.purge(purge);
      purges.add(purge, sequence);
      write(sequence, purge, id);
      // Sent again after the log entry: a thread that starts meanwhile receives the purge from the
      // log or as this signal. Prefetched responses get a mark after this sequence.
      sender.purge(prefetch === true ? { ...purge, prefetch } : purge);
      if (log !== undefined) await syncPurgeLog(folder).catch(() => {});
    },
  };
}

function rememberId(ids: Set<string>, id: string): void {
  ids.add(id);
  for (const oldestId of ids) {
    if (ids.size <= MAX_IDS) return;
    ids.delete(oldestId);
  }
}

interface OpenedDisk {
  readonly handle: DiskHandle;
  readonly head: LogHead;
  readonly ids: readonly string[];
  readonly purges: Purges;
}

async function openDisk(options: CacheOptions): Promise<OpenedDisk | undefined> {
  const { folder, disk: limit } = options;
  if (limit === 0) return undefined;
  makeFolder(folder);
  const loggedPurges = new Purges();
  const log = readPurgeLog(folder, loggedPurges);
  const isUsable = log !== undefined && log.head.session + 1 < MAX_SESSIONS;
  let existing = await listSegments(folder);
  if (!isUsable) {
    if (existing.length > 0) options.onTrouble?.('the disk cache starts empty: its purge log is damaged or missing');
    for (const { number } of existing) await rm(fileOf(folder, number), { force: true });
    existing = [];
  }
  const purges = isUsable ? loggedPurges : new Purges();
  const head = {
    secret: isUsable ? log.head.secret : randomBytes(4).readUInt32LE(),
    session: isUsable ? log.head.session + 1 : 0,
    floor: isUsable ? log.head.floor : 0,
  };
  const ids = isUsable ? log.ids.slice(-MAX_IDS) : [];
  await makeRoom(folder, existing, () => writePurgeLog(folder, head, purges, ids));
  const segments = SegmentTable.share(existing);
  const handle = { folder, limit, secret: head.secret, index: DiskIndex.share(limit), segments };
  for (const number of new SegmentTable(segments, limit).evictOldest())
    await rm(fileOf(folder, number), { force: true });
  return { handle, head, purges, ids };
}

/** On a full disk, deletes the oldest segments until the state of the cache can be written. */
async function makeRoom(folder: string, segments: { readonly number: number }[], write: () => void): Promise<void> {
  for (;;)
    try {
      write();
      return;
    } catch (error) {
      const oldest = isDiskFull(error) ? segments.shift() : undefined;
      if (oldest === undefined) throw error;
      await rm(fileOf(folder, oldest.number), { force: true });
    }
}
