/**
 * Appends entries to the segment of this thread: all that waits goes out in one write, and can be found when that is done. Nothing is synced: what a loss of power takes
 * is a miss, by its checksum. Each thread has a segment of its own, so that no two write to one file.
 */
import { close, open, writev } from 'node:fs';
import type { StoredHead } from './cache-store.ts';
import type { DiskIndex } from './disk-index.ts';
import { type DiskReader, WITH_HEAD } from './disk-reader.ts';
import {
  type DiskPlace,
  type EntryFrame,
  type HeadTexts,
  headLength,
  isAlone,
  MAX_VARIANTS,
  pieceSums,
  type Sibling,
  saltOf,
  seal,
  writeHead,
} from './entry.ts';
import { hashSelecting } from './key-hash.ts';
import { fileOf, type SegmentFiles } from './segment-files.ts';
import type { SegmentTable } from './segment-table.ts';

/** Bytes that may wait for the disk; what comes then is not written. */
const MOST_WAITING = 32 * 1024 * 1024;
/** Bytes of one write. */
const BATCH = 1024 * 1024;
/** After a write that failed the disk is left alone for so long. */
const PAUSE_MS = 10_000;
/** What a segment begins with: a file of entries. */
export const FILE_HEAD = Buffer.from('WPSEG-1\n');
const ZEROS = Buffer.alloc(8);

/** An entry on its way to the disk. */
export interface DiskJob {
  readonly a: number;
  readonly b: number;
  readonly head: StoredHead;
  readonly texts: HeadTexts;
  readonly mark: number;
  readonly bodyLength: number;
  readonly codings: EntryFrame['codings'];
  /** Body and codings; or, where they lie on disk already, their place and sums. */
  readonly data: readonly Uint8Array[] | Pick<EntryFrame, 'data' | 'pieces'>;
  /** Of a tombstone: the segment of what it is for. It must not be given up before that. */
  readonly behind?: number;
}

export interface DiskWriterOptions {
  readonly folder: string;
  readonly secret: number;
  readonly segmentBytes: number;
  readonly index: DiskIndex;
  readonly segments: SegmentTable;
  readonly files: SegmentFiles;
  readonly reader: DiskReader;
  /** The sequence of the last removal of its URL, or one like it: an entry with a smaller mark must not be found. */
  removedAt(a: number): number;
  /** It can be found, in place of another one. */
  onReplaced(job: DiskJob): void;
}

/** A tombstone has this status: entries of its URL with a smaller mark are void. */
export const TOMBSTONE = 0;

interface Placed {
  readonly job: DiskJob;
  readonly place: DiskPlace;
  readonly siblings: readonly Sibling[];
}

export class DiskWriter {
  unwritten = 0;
  readonly #options: DiskWriterOptions;
  #queue: DiskJob[] = [];
  #waiting = 0;
  #running: Promise<void> | undefined;
  #segment = 0;
  #fd = -1;
  #position = 0;
  #pausedUntil = 0;
  #batch: Placed[] = [];
  #buffers: Uint8Array[] = [];
  #batchBytes = 0;

  constructor(options: DiskWriterOptions) {
    this.#options = options;
  }

  /** False: too much waits, or the disk has failed. */
  put(job: DiskJob): boolean {
    const bytes = 500 + job.texts.text.length + dataLength(job);
    if (this.#waiting + bytes > MOST_WAITING || performance.now() < this.#pausedUntil) {
      this.unwritten++;
      return false;
    }
    this.#waiting += bytes;
    this.#queue.push(job);
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return true;
  }

  async flush(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async close(): Promise<void> {
    await this.flush();
    this.#leaveSegment();
  }

  async #run(): Promise<void> {
    // Those that come in this turn of the loop go out together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) {
      const jobs = this.#queue;
      this.#queue = [];
      for (const job of jobs) {
        try {
          if (performance.now() < this.#pausedUntil) this.unwritten++;
          else await this.#place(job);
          if (this.#batchBytes >= BATCH || this.#batch.length >= 500) await this.#write();
        } catch {
          this.#fail();
        }
      }
      await this.#write().catch(() => this.#fail());
      for (const job of jobs) this.#waiting -= 500 + job.texts.text.length + dataLength(job);
    }
  }

  /** Adds it to the batch. */
  async #place(job: DiskJob): Promise<void> {
    const { segments, segmentBytes } = this.#options;
    const siblings = await this.siblings(job);
    const size = dataLength(job);
    const pieces = Array.isArray(job.data) ? pieceSums(job.data) : (job.data as Pick<EntryFrame, 'pieces'>).pieces;
    const length = headLength(job.texts, job.codings.length, pieces.length, siblings.length);
    const total = (length + size + 7) & ~7;
    if (total > segmentBytes - FILE_HEAD.length) {
      this.unwritten++;
      return;
    }
    const isBehind = (job.behind ?? 0) > this.#segment;
    const isFull = this.#position + this.#batchBytes + total > segmentBytes;
    if (this.#fd < 0 || isFull || isBehind || !segments.isLive(this.#segment)) {
      await this.#write();
      await this.#openSegment();
    }
    const offset = this.#position + this.#batchBytes;
    const place = { segment: this.#segment, offset };
    const data = Array.isArray(job.data)
      ? { segment: this.#segment, offset: offset + length }
      : (job.data as Pick<EntryFrame, 'data'>).data;
    const { mark, bodyLength, codings } = job;
    const head = Buffer.allocUnsafe(length);
    writeHead(head, 0, job.head, job.texts, { ...{ mark, bodyLength, codings, pieces, siblings, place, data } });
    seal(head, 0, length, saltOf(this.#options.secret, this.#segment));
    this.#buffers.push(head, ...(Array.isArray(job.data) ? job.data : []), ZEROS.subarray(0, total - length - size));
    this.#batchBytes += total;
    const first = length + (size <= WITH_HEAD ? size : 0);
    this.#batch.push({ job, siblings, place: { ...place, length: first } });
  }

  /** The other variants of a URL, as they lie on disk or in the batch. */
  async siblings({ a, b, head }: Pick<DiskJob, 'a' | 'b' | 'head'>): Promise<readonly Sibling[]> {
    const { index, segments, reader } = this.#options;
    const mine = hashSelecting(head.selecting);
    const others = (before: readonly Sibling[], newest: Sibling): Sibling[] =>
      [newest, ...before]
        .filter((one) => one.selecting !== mine && segments.isLive(one.segment))
        .slice(0, MAX_VARIANTS - 1);
    const waiting = this.#batch.findLast(({ job }) => job.a === a && job.b === b);
    if (waiting?.job.head.status === TOMBSTONE) return [];
    if (waiting !== undefined)
      return others(waiting.siblings, { ...waiting.place, selecting: hashSelecting(waiting.job.head.selecting) });
    if (head.selecting.length === 0 && index.isAlone(a, b, segments.oldest)) return [];
    const place = index.get(a, b, segments.oldest);
    const found = place && (await reader.entry(place));
    if (place === undefined || found === undefined || found.entry.head.key !== head.key) return [];
    return others(found.entry.frame.siblings, { ...place, selecting: hashSelecting(found.entry.head.selecting) });
  }

  async #write(): Promise<void> {
    const batch = this.#batch;
    const buffers = this.#buffers;
    const bytes = this.#batchBytes;
    this.#batch = [];
    this.#buffers = [];
    this.#batchBytes = 0;
    if (batch.length === 0) return;
    await writeAll(this.#fd, buffers, this.#position).catch((error) => {
      this.unwritten += batch.length;
      throw error;
    });
    this.#position += bytes;
    for (const one of batch) this.#publish(one);
  }

  #publish({ job, place, siblings }: Placed): void {
    const { index, onReplaced } = this.#options;
    if (job.head.status === TOMBSTONE) return;
    const hadOne = index.find(job.a, job.b) >= 0;
    if (!this.publish(job, place, siblings)) this.put(tombstoneOf(job, this.#options.removedAt(job.a), place.segment));
    else if (hadOne) onReplaced(job);
  }

  /** Has an entry that lies on disk found. False: it was removed meanwhile. */
  publish(
    { a, b, mark, head }: Pick<DiskJob, 'a' | 'b' | 'mark' | 'head'>,
    place: DiskPlace,
    siblings: readonly Sibling[],
  ): boolean {
    const { index, segments, removedAt } = this.#options;
    if (removedAt(a) > mark) return false;
    index.set(a, b, place, isAlone(head.selecting, siblings), segments.oldest);
    // Looked at again when it stands: whoever removes says so first, and then clears what stands.
    if (removedAt(a) <= mark) return true;
    index.delete(a, b, place);
    return false;
  }

  async #openSegment(): Promise<void> {
    this.#leaveSegment();
    const { segments, files, folder, segmentBytes } = this.#options;
    this.#segment = segments.take(segmentBytes);
    files.remove(segments.giveUp());
    files.forget(segments.oldest);
    this.#position = 0;
    try {
      this.#fd = await create(fileOf(folder, this.#segment));
      await writeAll(this.#fd, [FILE_HEAD], 0);
    } catch (error) {
      this.unwritten++;
      segments.resize(this.#segment, 0);
      throw error;
    }
    this.#position = FILE_HEAD.length;
  }

  #leaveSegment(): void {
    if (this.#fd < 0) return;
    this.#options.segments.resize(this.#segment, this.#position);
    close(this.#fd, () => {});
    this.#fd = -1;
  }

  #fail(): void {
    this.#batch = [];
    this.#buffers = [];
    this.#batchBytes = 0;
    this.#leaveSegment();
    this.#pausedUntil = performance.now() + PAUSE_MS;
  }
}

/** Says that what there is of a URL with a smaller mark is void. */
export function tombstoneOf(job: Pick<DiskJob, 'a' | 'b' | 'head' | 'texts'>, mark: number, behind: number): DiskJob {
  const { a, b, head, texts } = job;
  return {
    ...{ a, b, mark, behind, bodyLength: 0, codings: [], data: [] },
    head: { ...head, status: TOMBSTONE, selecting: [], headers: [], tags: [] },
    texts: {
      text: texts.text.slice(0, texts.lengths[0] + texts.lengths[1]),
      lengths: [texts.lengths[0], texts.lengths[1], 0, 0, 0],
    },
  };
}

function dataLength({ data }: DiskJob): number {
  return Array.isArray(data) ? data.reduce((sum, part) => sum + part.length, 0) : 0;
}

export const create = (path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    open(path, 'wx', 0o600, (error, fd) => (error === null ? resolve(fd) : reject(error)));
  });

/** All of the buffers, at a position. */
export async function writeAll(fd: number, buffers: readonly Uint8Array[], position: number): Promise<void> {
  let rest = buffers.filter((one) => one.length > 0);
  let at = position;
  while (rest.length > 0) {
    // IOV_MAX is 1,024.
    const some = rest.slice(0, 1000);
    let written = await new Promise<number>((resolve, reject) => {
      writev(fd, some, at, (error, bytes) => (error === null ? resolve(bytes) : reject(error)));
    });
    if (written === 0) throw new Error('The disk takes nothing.');
    at += written;
    let whole = 0;
    while (whole < some.length && written >= some[whole].length) written -= some[whole++].length;
    rest = rest.slice(whole);
    if (written > 0) rest[0] = rest[0].subarray(written);
  }
}
