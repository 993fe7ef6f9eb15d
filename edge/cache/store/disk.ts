/**
 * A thread's access to the disk: append-only segments, of which the oldest are discarded first.
 *
 *     index (shared memory) ─► location ─► entry: verified head ─► verified body
 *     each thread ─► its own segment ─► index
 *
 * Why not LMDB, which the project already uses: flipped bits in a memory-mapped tree can crash the
 * process, and without syncing a power failure leaves such trees. A read that misses the page cache
 * blocks the event loop. Here every read is verified, a miss is a lookup in shared memory, and a
 * write is an append.
 *
 * The cost: the index needs 16 to 32 bytes of memory for each KB of disk. After a start it is
 * rebuilt from the segments in the background, at 5 µs per entry. A hit takes about 35 µs of CPU,
 * of which the thread pool's read takes about 8 (bench/edge/cache-disk.ts). A point read of LMDB
 * takes 2 µs, but repeated requests are hits in memory.
 */
import type { StoredResponse } from '../stored-response.ts';
import type { DiskHandle, OnStored, StoredHead } from './cache-store.ts';
import { DiskIndex } from './disk-index.ts';
import { loadDisk } from './disk-load.ts';
import { DiskReader, diskEntryOf, READ_WITH_HEAD_BYTES } from './disk-reader.ts';
import { type DiskJob, DiskWriter, makeTombstone } from './disk-writer.ts';
import { type DiskLocation, type EncodedCoding, headLength, textsOf } from './entry.ts';
import type { KeyHash } from './key-hash.ts';
import { LargeFile } from './large-file.ts';
import { SegmentFiles } from './segment-files.ts';
import { SegmentTable } from './segment-table.ts';
import type { Signals } from './signals.ts';
import type { Variant } from './variant.ts';

const MB = 1024 * 1024;

/** Size of a segment, for a disk of `limit` bytes. */
const segmentBytesOf = (limit: number): number => Math.max(64 * 1024, Math.min(64 * MB, Math.floor(limit / 128)));

export class Disk {
  readonly limit: number;
  /** Larger responses get a separate file. */
  readonly largeBytes: number;
  readonly #hash: KeyHash;
  readonly #signals: Signals;
  readonly #onReplaced: (a: number, b: number) => void;
  readonly #index: DiskIndex;
  readonly #segments: SegmentTable;
  readonly #files: SegmentFiles;
  readonly #reader: DiskReader;
  readonly #writer: DiskWriter;
  readonly #handle: DiskHandle;
  readonly #loading: Promise<void>;
  /** Large files in progress. */
  readonly #large = new Set<LargeFile>();
  /** Final writes of large files. */
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;

  /**
   * `memoryObject`: larger bodies are not read whole. `onReplaced`: called when the index has a new
   * entry for a response that is not in memory.
   */
  constructor(
    handle: DiskHandle,
    hash: KeyHash,
    signals: Signals,
    memoryObject: number,
    onReplaced: (a: number, b: number) => void,
  ) {
    const { folder, limit, secret } = handle;
    this.limit = limit;
    this.#handle = handle;
    this.#hash = hash;
    this.#signals = signals;
    this.#onReplaced = onReplaced;
    const index = new DiskIndex(handle.index);
    const segments = new SegmentTable(handle.segments, limit);
    const files = new SegmentFiles(folder);
    const reader = new DiskReader(files, segments, secret, Math.max(READ_WITH_HEAD_BYTES, memoryObject));
    const segmentBytes = segmentBytesOf(limit);
    this.largeBytes = Math.floor(segmentBytes / 8);
    const removedAt = (a: number): number => signals.removedAt(a);
    this.#index = index;
    this.#segments = segments;
    this.#files = files;
    this.#reader = reader;
    this.#writer = new DiskWriter({
      folder,
      secret,
      segmentBytes,
      index,
      segments,
      files,
      reader,
      removedAt,
      onReplaced: ({ a, b, bodyLength }) => {
        if (bodyLength > memoryObject) onReplaced(a, b);
        signals.replaced(a, b);
      },
    });
    const isStopped = (): boolean => this.#isClosed;
    this.#loading = segments.claimLoad()
      ? loadDisk({ folder, secret, hash, index, segments, files, reader, removedAt, isStopped })
      : Promise.resolve();
  }

  get isPaused(): boolean {
    return this.#segments.isPaused;
  }

  get acceptsEntries(): boolean {
    return !this.isPaused && !this.#writer.isPaused;
  }

  get bytes(): number {
    return this.#segments.bytes;
  }

  get count(): number {
    return this.#index.count(this.#segments.oldest);
  }

  get damaged(): number {
    return this.#reader.damaged;
  }

  get unwritten(): number {
    return this.#writer.unwritten;
  }

  /** The indexed location of the newest entry of a URL. */
  find(domainId: string, key: string): DiskLocation | undefined {
    const { a, b } = this.#hash.of(domainId, key);
    return this.#index.get(a, b, this.#segments.oldest);
  }

  /**
   * Whether the disk has no entry of a URL, or a single entry that every request selects.
   */
  hasSingleEntry(domainId: string, key: string): boolean {
    const { a, b } = this.#hash.of(domainId, key);
    return this.#index.hasSingleEntry(a, b, this.#segments.oldest);
  }

  /** All variants of a URL, the newest first. Never rejects. */
  async read(domainId: string, key: string, location: DiskLocation): Promise<Variant[]> {
    const first = await this.#reader.readEntry(location);
    if (first === undefined) {
      this.#deleteUnreadable(domainId, key, location);
      return [];
    }
    if (!isHeadOfUrl(first.entry.head, domainId, key)) return [];
    const siblings = first.entry.frame.siblings.filter(({ segment }) => this.#segments.isLive(segment));
    const others = await Promise.all(siblings.map((sibling) => this.#reader.readEntry(sibling)));
    const entries = [first, ...others].filter(
      (candidate) => candidate !== undefined && isHeadOfUrl(candidate.entry.head, domainId, key),
    );
    const onDamage = (): void => this.#deleteUnreadable(domainId, key, location);
    const variants = await Promise.all(entries.map((candidate) => this.#reader.readVariant(candidate!, onDamage)));
    if (variants[0] === undefined && siblings.length === 0) onDamage();
    return variants.filter((variant) => variant !== undefined);
  }

  /** Whether an entry will be discarded soon. If it is still requested, write it again. */
  isOld(location: DiskLocation): boolean {
    return this.#segments.isOld(location.segment);
  }

  put(response: StoredResponse, mark: number, codings: readonly EncodedCoding[], onStored?: OnStored): void {
    const { body } = response;
    const texts = textsOf(response);
    if (texts === undefined || this.#isClosed || this.isPaused) {
      onStored?.(false);
      return;
    }
    const { a, b } = this.#hash.of(response.domainId, response.key);
    const entry = diskEntryOf(body);
    const common = { a, b, head: response, texts, mark, bodyLength: body.length, onStored };
    if (entry !== undefined) {
      const { data, pieces, codings: lengths } = entry.frame;
      this.#writer.put({ ...common, codings: lengths, data: { data, pieces } });
    } else if (body.whole !== undefined) this.#putWhole(common, body.whole, codings);
    else onStored?.(false);
  }

  /** Opens a file for a body that arrives in parts and is too large for a segment. */
  open(length: number | undefined): LargeFile {
    const { folder, secret } = this.#handle;
    const segments = this.#segments;
    const evictOldest = (): void => this.#files.remove(segments.evictOldest());
    const file = new LargeFile({ folder, secret, segments, evictOldest }, length);
    this.#large.add(file);
    void file.done.then(() => this.#large.delete(file));
    return file;
  }

  /** Completes a file, and then indexes its entry. */
  finish(file: LargeFile, head: StoredHead, mark: number, onStored?: OnStored): void {
    const done = this.#completeFile(file, head, mark, onStored);
    this.#ending.add(done);
    void done.finally(() => this.#ending.delete(done));
  }

  /** Removes all entries of a URL. `sequence`: of the removal. */
  remove(head: StoredHead, sequence: number): void {
    const { a, b } = this.#hash.of(head.domainId, head.key);
    const { oldest, isLoaded } = this.#segments;
    const current = this.#index.get(a, b, oldest);
    const minSegment = Math.max(current?.segment ?? 0, this.#index.newestForgotten(a, oldest));
    const texts = textsOf(head);
    // Entries of earlier processes may not be indexed yet.
    if ((minSegment > 0 || !isLoaded) && texts !== undefined)
      this.#writer.put(makeTombstone({ a, b, head, texts }, sequence, minSegment));
    this.#index.delete(a, b);
  }

  async flush(): Promise<void> {
    await this.#loading;
    while (this.#ending.size > 0) await Promise.all(this.#ending);
    await this.#writer.flush();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#loading;
    while (this.#ending.size > 0) await Promise.all(this.#ending);
    for (const file of this.#large) file.abort();
    await Promise.all([...this.#large].map(({ done }) => done));
    await this.#writer.close();
    this.#files.close();
  }

  #putWhole(common: Omit<DiskJob, 'codings' | 'data'>, body: Uint8Array, codings: readonly EncodedCoding[]): void {
    const lengths = codings.map(({ coding, bytes }) => ({ coding, length: bytes.length }));
    const data = [body, ...codings.map(({ bytes }) => bytes)];
    const size = data.reduce((sum, part) => sum + part.length, headLength(common.texts, 3, 0, 0));
    if (size <= this.largeBytes) this.#writer.put({ ...common, codings: lengths, data });
    else {
      // The encoded bodies stay in memory only.
      const file = this.open(body.length);
      if (file.push(body)) this.finish(file, common.head, common.mark, common.onStored);
      else common.onStored?.(false);
    }
  }

  async #completeFile(file: LargeFile, head: StoredHead, mark: number, onStored: OnStored | undefined): Promise<void> {
    let isIndexed = false;
    try {
      isIndexed = await this.#writeEnd(file, head, mark);
    } finally {
      onStored?.(isIndexed);
    }
  }

  /** Writes the rest of a file. Returns whether the index has the entry. */
  async #writeEnd(file: LargeFile, head: StoredHead, mark: number): Promise<boolean> {
    const { a, b } = this.#hash.of(head.domainId, head.key);
    const written = await file.end(head, mark, () => this.#writer.findSiblings({ a, b, head }));
    const texts = textsOf(head);
    if (written === undefined || texts === undefined) {
      this.#writer.unwritten++;
      return false;
    }
    if (!this.#writer.publish({ a, b, mark, head }, written.location, written.siblings)) {
      this.#writer.put(makeTombstone({ a, b, head, texts }, this.#signals.removedAt(a), written.location.segment));
      return false;
    }
    this.#onReplaced(a, b);
    this.#signals.replaced(a, b);
    return this.#writer.isIndexed({ a, b });
  }

  #deleteUnreadable(domainId: string, key: string, location: DiskLocation): void {
    const { a, b } = this.#hash.of(domainId, key);
    this.#index.deleteUnreadable(a, b, location);
  }
}

const isHeadOfUrl = (head: StoredHead, domainId: string, key: string): boolean =>
  head.key === key && head.domainId === domainId;
