/**
 * Appends entries to this thread's segment. Queued entries are written in batches, and indexed
 * after the write. Nothing is synced: data lost in a power failure has a wrong checksum, and is a
 * miss. Each thread has its own segment, so no two threads write to the same file.
 */
import { close, open, writev } from 'node:fs';
import type { OnStored, StoredHead } from './cache-store.ts';
import type { DiskIndex } from './disk-index.ts';
import { type DiskReader, READ_WITH_HEAD_BYTES } from './disk-reader.ts';
import {
  type DiskLocation,
  type EntryFrame,
  type HeadTexts,
  headLength,
  isSingleEntry,
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

/** Maximum bytes of the queue. Further entries are not written. */
const MAX_QUEUED_BYTES = 32 * 1024 * 1024;
/** Size at which a batch is written. */
const BATCH_BYTES = 1024 * 1024;
/** The writer pauses for this time after a failed write. */
const PAUSE_MS = 10_000;
/** The first bytes of a segment file. */
export const FILE_HEAD = Buffer.from('WPSEG-1\n');
const ZEROS = Buffer.alloc(8);

/** An entry to write. */
export interface DiskJob {
  readonly a: number;
  readonly b: number;
  readonly head: StoredHead;
  readonly texts: HeadTexts;
  readonly mark: number;
  readonly bodyLength: number;
  readonly codings: EntryFrame['codings'];
  /** Body and codings as bytes, or the location and checksums of data already on disk. */
  readonly data: readonly Uint8Array[] | Pick<EntryFrame, 'data' | 'pieces'>;
  /**
   * The oldest allowed segment of a tombstone, which must not be discarded before the entries that
   * it voids.
   */
  readonly minSegment?: number;
  readonly onStored?: OnStored | undefined;
}

interface DiskWriterOptions {
  readonly folder: string;
  readonly secret: number;
  readonly segmentBytes: number;
  readonly index: DiskIndex;
  readonly segments: SegmentTable;
  readonly files: SegmentFiles;
  readonly reader: DiskReader;
  /**
   * The sequence of the last removal of the URL or of another one in its class. Entries with a
   * smaller mark must not be indexed.
   */
  removedAt(a: number): number;
  /** Called when an entry has replaced another entry in the index. */
  onReplaced(job: DiskJob): void;
}

/** The status of a tombstone: entries of its URL with a smaller mark are void. */
export const TOMBSTONE = 0;

interface PlacedJob {
  readonly job: DiskJob;
  readonly location: DiskLocation;
  readonly siblings: readonly Sibling[];
}

export class DiskWriter {
  unwritten = 0;
  readonly #options: DiskWriterOptions;
  #queue: DiskJob[] = [];
  #queuedBytes = 0;
  #running: Promise<void> | undefined;
  #segment = 0;
  #fd = -1;
  #position = 0;
  #pausedUntil = 0;
  #batch: PlacedJob[] = [];
  #buffers: Uint8Array[] = [];
  #batchBytes = 0;

  constructor(options: DiskWriterOptions) {
    this.#options = options;
  }

  /** Whether a write failed less than PAUSE_MS ago. */
  get isPaused(): boolean {
    return performance.now() < this.#pausedUntil;
  }

  /** Queues an entry. It is not written if the queue is full, or the disk is paused. */
  put(job: DiskJob): void {
    const bytes = 500 + job.texts.text.length + dataLength(job);
    // A tombstone is always written: it is small, and without it a restart would index removed
    // entries again.
    const isWithheld = this.#options.segments.isPaused && job.head.status !== TOMBSTONE;
    if (isWithheld || this.#queuedBytes + bytes > MAX_QUEUED_BYTES || this.isPaused) {
      this.#giveUp(job);
      return;
    }
    this.#queuedBytes += bytes;
    this.#queue.push(job);
    this.#running ??= this.#run();
  }

  async flush(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async close(): Promise<void> {
    await this.flush();
    this.#leaveSegment();
  }

  async #run(): Promise<void> {
    // Waits for all entries of this turn of the event loop, to write them together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) {
      const jobs = this.#queue;
      this.#queue = [];
      for (const job of jobs) {
        try {
          if (this.isPaused) this.#giveUp(job);
          else await this.#addToBatch(job);
        } catch {
          this.#fail();
          this.#giveUp(job);
        }
        if (this.#batchBytes >= BATCH_BYTES || this.#batch.length >= 500)
          await this.#writeBatch().catch(() => this.#fail());
      }
      await this.#writeBatch().catch(() => this.#fail());
      for (const job of jobs) this.#queuedBytes -= 500 + job.texts.text.length + dataLength(job);
    }
    // In the same turn as the last check of the queue, so that a later `put` starts the next run.
    this.#running = undefined;
  }

  /** Adds an entry to the batch. If it rejects, the entry is not in the batch. */
  async #addToBatch(job: DiskJob): Promise<void> {
    const { segments, segmentBytes } = this.#options;
    const siblings = await this.findSiblings(job);
    const size = dataLength(job);
    const pieces = Array.isArray(job.data) ? pieceSums(job.data) : (job.data as Pick<EntryFrame, 'pieces'>).pieces;
    const length = headLength(job.texts, job.codings.length, pieces.length, siblings.length);
    const total = (length + size + 7) & ~7;
    if (total > segmentBytes - FILE_HEAD.length) {
      this.#giveUp(job);
      return;
    }
    const isSegmentTooOld = (job.minSegment ?? 0) > this.#segment;
    const isFull = this.#position + this.#batchBytes + total > segmentBytes;
    if (this.#fd < 0 || isFull || isSegmentTooOld || !segments.isLive(this.#segment)) {
      await this.#writeBatch();
      await this.#openSegment();
    }
    const offset = this.#position + this.#batchBytes;
    const location = { segment: this.#segment, offset };
    const data = Array.isArray(job.data)
      ? { segment: this.#segment, offset: offset + length }
      : (job.data as Pick<EntryFrame, 'data'>).data;
    const { mark, bodyLength, codings } = job;
    const head = Buffer.allocUnsafe(length);
    writeHead(head, 0, job.head, job.texts, { mark, bodyLength, codings, pieces, siblings, location, data });
    seal(head, 0, length, saltOf(this.#options.secret, this.#segment));
    this.#buffers.push(head, ...(Array.isArray(job.data) ? job.data : []), ZEROS.subarray(0, total - length - size));
    this.#batchBytes += total;
    const firstRead = length + (size <= READ_WITH_HEAD_BYTES ? size : 0);
    this.#batch.push({ job, siblings, location: { ...location, length: firstRead } });
  }

  /** The other variants of a URL, on disk or in the batch. */
  async findSiblings({ a, b, head }: Pick<DiskJob, 'a' | 'b' | 'head'>): Promise<readonly Sibling[]> {
    const { index, segments, reader } = this.#options;
    const ownSelecting = hashSelecting(head.selecting);
    const withoutOwn = (before: readonly Sibling[], latest: Sibling): Sibling[] =>
      [latest, ...before]
        .filter((sibling) => sibling.selecting !== ownSelecting && segments.isLive(sibling.segment))
        .slice(0, MAX_VARIANTS - 1);
    const batched = this.#batch.findLast(({ job }) => job.a === a && job.b === b);
    if (batched?.job.head.status === TOMBSTONE) return [];
    if (batched !== undefined)
      return withoutOwn(batched.siblings, {
        ...batched.location,
        selecting: hashSelecting(batched.job.head.selecting),
      });
    if (head.selecting.length === 0 && index.hasSingleEntry(a, b, segments.oldest)) return [];
    const location = index.get(a, b, segments.oldest);
    const newest = location && (await reader.readEntry(location));
    if (location === undefined || newest === undefined || newest.entry.head.key !== head.key) return [];
    return withoutOwn(newest.entry.frame.siblings, {
      ...location,
      selecting: hashSelecting(newest.entry.head.selecting),
    });
  }

  async #writeBatch(): Promise<void> {
    const batch = this.#batch;
    const buffers = this.#buffers;
    const bytes = this.#batchBytes;
    this.#batch = [];
    this.#buffers = [];
    this.#batchBytes = 0;
    if (batch.length === 0) return;
    await writeAll(this.#fd, buffers, this.#position).catch((error) => {
      for (const { job } of batch) this.#giveUp(job);
      throw error;
    });
    this.#position += bytes;
    for (const placed of batch) this.#publish(placed);
  }

  #publish({ job, location, siblings }: PlacedJob): void {
    const { index, onReplaced } = this.#options;
    if (job.head.status === TOMBSTONE) return;
    const hadEntry = index.find(job.a, job.b) >= 0;
    const isValid = this.publish(job, location, siblings);
    if (!isValid) this.put(makeTombstone(job, this.#options.removedAt(job.a), location.segment));
    else if (hadEntry) onReplaced(job);
    job.onStored?.(isValid && this.isIndexed(job));
  }

  /** Whether the index still has an entry of a URL: the index may forget entries at any time. */
  isIndexed({ a, b }: Pick<DiskJob, 'a' | 'b'>): boolean {
    const { index, segments } = this.#options;
    return index.get(a, b, segments.oldest) !== undefined;
  }

  /** Indexes an entry on disk. False: its URL was removed meanwhile. */
  publish(
    { a, b, mark, head }: Pick<DiskJob, 'a' | 'b' | 'mark' | 'head'>,
    location: DiskLocation,
    siblings: readonly Sibling[],
  ): boolean {
    const { index, segments, removedAt } = this.#options;
    if (removedAt(a) > mark) return false;
    index.set(a, b, location, isSingleEntry(head.selecting, siblings), segments.oldest);
    // Checked again after `set`: a removal first updates `removedAt`, and then clears the index.
    if (removedAt(a) <= mark) return true;
    index.delete(a, b, location);
    return false;
  }

  async #openSegment(): Promise<void> {
    this.#leaveSegment();
    const { segments, files, folder, segmentBytes } = this.#options;
    this.#segment = segments.allocate(segmentBytes);
    files.remove(segments.evictOldest());
    files.closeBelow(segments.oldest);
    this.#position = 0;
    try {
      this.#fd = await createFile(fileOf(folder, this.#segment));
      await writeAll(this.#fd, [FILE_HEAD], 0);
    } catch (error) {
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

  #giveUp(job: DiskJob): void {
    this.unwritten++;
    job.onStored?.(false);
  }

  #fail(): void {
    for (const { job } of this.#batch) this.#giveUp(job);
    this.#batch = [];
    this.#buffers = [];
    this.#batchBytes = 0;
    this.#leaveSegment();
    this.#pausedUntil = performance.now() + PAUSE_MS;
  }
}

/** A tombstone voids all entries of a URL with a smaller mark. */
export function makeTombstone(
  job: Pick<DiskJob, 'a' | 'b' | 'head' | 'texts'>,
  mark: number,
  minSegment: number,
): DiskJob {
  const { a, b, head, texts } = job;
  return {
    a,
    b,
    mark,
    minSegment,
    bodyLength: 0,
    codings: [],
    data: [],
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

export const createFile = (path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    open(path, 'wx', 0o600, (error, fd) => (error === null ? resolve(fd) : reject(error)));
  });

/** Writes all buffers at a position. */
export async function writeAll(fd: number, buffers: readonly Uint8Array[], position: number): Promise<void> {
  let remaining = buffers.filter((buffer) => buffer.length > 0);
  let at = position;
  while (remaining.length > 0) {
    // The system accepts at most IOV_MAX = 1,024 buffers.
    const chunk = remaining.slice(0, 1000);
    let written = await new Promise<number>((resolve, reject) => {
      writev(fd, chunk, at, (error, bytes) => (error === null ? resolve(bytes) : reject(error)));
    });
    if (written === 0) throw new Error('The disk accepts no writes.');
    at += written;
    let complete = 0;
    while (complete < chunk.length && written >= chunk[complete].length) written -= chunk[complete++].length;
    remaining = remaining.slice(complete);
    if (written > 0) remaining[0] = remaining[0].subarray(written);
  }
}
