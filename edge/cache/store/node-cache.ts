/** The cache of the node, as main opens it: what threads share, and the purges. */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { makeFolder } from '../../../core/store/folder.ts';
import type { Cache, CachePurge, DiskHandle } from './cache-store.ts';
import { DiskIndex } from './disk-index.ts';
import { appendPurge, type LogHead, readPurgeLog, syncPurgeLog, writePurgeLog } from './purge-log.ts';
import { Purges } from './purges.ts';
import { fileOf, listSegments } from './segment-files.ts';
import { SegmentTable } from './segment-table.ts';
import { Signals, shareSignals } from './signals.ts';

/** Sequences of a process: more than it will ever need, so that those of the next one are greater. */
const SESSION = 2 ** 36;
const SESSIONS = 2 ** 17;
/** The log is made anew when it has so many bytes more than it had. */
const LOG_GROWTH = 16 * 1024 * 1024;
/** Purges whose ids are remembered. */
const IDS = 10_000;

export interface CacheOptions {
  /** For the disk; made where it is missing. */
  readonly folder: string;
  /** Bytes of memory, of all threads together. */
  readonly memory: number;
  readonly threads: number;
  /** Bytes of the disk; 0: there is none. */
  readonly disk: number;
  /** Objects with more bytes are kept on disk only. */
  readonly memoryObject: number;
  /** Objects with more are not kept. */
  readonly largestObject: number;
  /** What the operator should know: the disk cannot be used, or began empty since its state could not be trusted. */
  onTrouble?(message: string): void;
}

/** Never rejects for what is in the folder: what cannot be trusted is removed, and a disk that fails is not used. */
export async function openCache(options: CacheOptions): Promise<Cache> {
  const { folder, threads } = options;
  const opened = await openDisk(options).catch((error: Error) => {
    options.onTrouble?.(`The cache runs without its disk: ${error.message}`);
    return undefined;
  });
  const memory = Math.max(1024 * 1024, Math.floor(options.memory / threads));
  const signals = shareSignals((opened?.head.session ?? 0) * SESSION);
  const speaker = new Signals(signals);
  const purges = opened?.purges ?? new Purges();
  const ids = new Set<string>(opened?.ids ?? []);
  let log = opened;
  let bytes = 0;

  const write = (sequence: number, purge: CachePurge, id: string | undefined): void => {
    if (log === undefined) return;
    try {
      bytes += appendPurge(folder, sequence, purge, id);
      if (bytes < LOG_GROWTH) return;
      writePurgeLog(folder, log.head, purges, [...ids]);
      bytes = 0;
    } catch (error) {
      // What cannot be noted would come back after a restart: without the log there is nothing to come back.
      log = undefined;
      void rm(`${folder}/purges.log`, { force: true }).catch(() => {});
      options.onTrouble?.(
        `Cannot record a purge; the disk cache starts empty at the next start: ${(error as Error).message}`,
      );
    }
  };

  return {
    handle: {
      seeds: [randomBytes(4).readInt32LE(), randomBytes(4).readInt32LE()],
      signals,
      disk: opened?.handle ?? null,
      memory,
      memoryObject: Math.min(options.memoryObject, Math.floor(memory / 8)),
      largestObject:
        opened === undefined ? options.memoryObject : Math.min(options.largestObject, Math.floor(options.disk / 4)),
    },
    async purge(purge, id) {
      if (id !== undefined && ids.has(id)) return;
      if (id !== undefined) remember(ids, id);
      const sequence = speaker.purge(purge);
      purges.add(purge, sequence);
      write(sequence, purge, id);
      // Said again now that it stands in the log: a thread that begins meanwhile has it from the one or the other.
      speaker.purge(purge);
      if (log !== undefined) await syncPurgeLog(folder).catch(() => {});
    },
  };
}

function remember(ids: Set<string>, id: string): void {
  ids.add(id);
  for (const eldest of ids) {
    if (ids.size <= IDS) return;
    ids.delete(eldest);
  }
}

interface Opened {
  readonly handle: DiskHandle;
  readonly head: LogHead;
  readonly ids: readonly string[];
  readonly purges: Purges;
}

async function openDisk(options: CacheOptions): Promise<Opened | undefined> {
  const { folder, disk: limit } = options;
  if (limit === 0) return undefined;
  makeFolder(folder);
  const noted = new Purges();
  const log = readPurgeLog(folder, noted);
  const isGood = log !== undefined && log.head.session + 1 < SESSIONS;
  let found = await listSegments(folder);
  if (!isGood) {
    if (found.length > 0) options.onTrouble?.('The disk cache starts empty: its purge log is damaged or missing.');
    for (const { number } of found) await rm(fileOf(folder, number), { force: true });
    found = [];
  }
  const purges = isGood ? noted : new Purges();
  const head = {
    secret: isGood ? log.head.secret : randomBytes(4).readUInt32LE(),
    session: isGood ? log.head.session + 1 : 0,
    floor: isGood ? log.head.floor : 0,
  };
  const ids = isGood ? log.ids.slice(-IDS) : [];
  writePurgeLog(folder, head, purges, ids);
  const segments = SegmentTable.share(found);
  const handle = { folder, limit, secret: head.secret, index: DiskIndex.share(limit), segments };
  for (const number of new SegmentTable(segments, limit).giveUp()) await rm(fileOf(folder, number), { force: true });
  return { handle, head, purges, ids };
}
