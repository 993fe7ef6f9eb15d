/**
 * The disk as a thread sees it: segments of entries, appended, given up in the order of their age.
 *
 *     index (shared memory) ─► place ─► entry: head, checked ─► body, checked          each thread ─► its own segment ─► index
 *
 * Segments and not LMDB, of which the project has an environment already: bits that flip in a tree of pages mapped into memory can end the process, and without
 * syncing a loss of power leaves such trees behind; and a read that is not in the page cache stops the loop. Here everything that is read is checked against a sum, a
 * miss costs a look into shared memory, and a write is an append. What that costs: the index is in memory (16 bytes for each KB of disk), and has to be read from the segments after a
 * start, in the background: 5 µs an entry. A hit on the disk takes some 35 µs of CPU, of which the read by the thread pool is about 8
 * (bench/edge/cache-disk.ts); a point read of lmdb takes 2, but what is asked for again is in memory by then.
 */
import type { StoredResponse } from '../stored-response.ts';
import type { DiskHandle, StoredHead } from './cache-store.ts';
import { DiskIndex } from './disk-index.ts';
import { loadDisk } from './disk-load.ts';
import { DiskReader, entryOf, WITH_HEAD } from './disk-reader.ts';
import { type DiskJob, DiskWriter, tombstoneOf } from './disk-writer.ts';
import { type DiskPlace, type EncodedCoding, headLength, textsOf } from './entry.ts';
import type { KeyHash } from './key-hash.ts';
import { LargeFile } from './large-file.ts';
import { SegmentFiles } from './segment-files.ts';
import { SegmentTable } from './segment-table.ts';
import type { Signals } from './signals.ts';
import type { Variant } from './variant.ts';

const MB = 1024 * 1024;

/** Of a disk with this limit. */
export const segmentBytesOf = (limit: number): number =>
  Math.max(64 * 1024, Math.min(64 * MB, Math.floor(limit / 128)));

export class Disk {
  readonly limit: number;
  /** Bodies with more bytes have a file of their own. */
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
  /** Files that are being written, and the ends of some of them. */
  readonly #large = new Set<LargeFile>();
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;

  /** `memoryObject`: larger bodies are not wanted whole. `onReplaced`: one that is not in memory can be found, in place of another. */
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
    const reader = new DiskReader(files, segments, secret, Math.max(WITH_HEAD, memoryObject));
    const segmentBytes = segmentBytesOf(limit);
    this.largeBytes = Math.floor(segmentBytes / 8);
    const removedAt = (a: number): number => signals.removedAt(a);
    this.#index = index;
    this.#segments = segments;
    this.#files = files;
    this.#reader = reader;
    this.#writer = new DiskWriter({
      ...{ folder, secret, segmentBytes, index, segments, files, reader, removedAt },
      onReplaced: ({ a, b, bodyLength }) => {
        if (bodyLength > memoryObject) onReplaced(a, b);
        signals.replaced(a, b);
      },
    });
    const isStopped = (): boolean => this.#isClosed;
    this.#loading = segments.takeLoad()
      ? loadDisk({ folder, secret, hash, index, segments, files, removedAt, isStopped })
      : Promise.resolve();
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

  /** Where the newest entry of a URL is said to lie. */
  find(domainId: string, key: string): DiskPlace | undefined {
    const { a, b } = this.#hash.of(domainId, key);
    return this.#index.get(a, b, this.#segments.oldest);
  }

  /** Whether it has nothing of a URL but, perhaps, what a response for all requests replaces. */
  isAlone(domainId: string, key: string): boolean {
    const { a, b } = this.#hash.of(domainId, key);
    return this.#index.isAlone(a, b, this.#segments.oldest);
  }

  /** All variants of a URL, the newest first. Never rejects. */
  async read(domainId: string, key: string, place: DiskPlace): Promise<Variant[]> {
    const first = await this.#reader.entry(place);
    if (first === undefined) {
      this.#forget(domainId, key, place);
      return [];
    }
    if (!isFor(first.entry.head, domainId, key)) return [];
    const siblings = first.entry.frame.siblings.filter(({ segment }) => this.#segments.isLive(segment));
    const others = await Promise.all(siblings.map((one) => this.#reader.entry(one)));
    const entries = [first, ...others].filter((one) => one !== undefined && isFor(one.entry.head, domainId, key));
    const onDamage = (): void => this.#forget(domainId, key, place);
    const variants = await Promise.all(entries.map((one) => this.#reader.variant(one!, onDamage)));
    if (variants[0] === undefined && siblings.length === 0) onDamage();
    return variants.filter((one) => one !== undefined);
  }

  /** Whether an entry is about to be given up, and had better be written again when it is still asked for. */
  isOld(place: DiskPlace): boolean {
    return this.#segments.isOld(place.segment);
  }

  put(response: StoredResponse, mark: number, codings: readonly EncodedCoding[]): void {
    const { body } = response;
    const texts = textsOf(response);
    if (texts === undefined || this.#isClosed) return;
    const { a, b } = this.#hash.of(response.domainId, response.key);
    const entry = entryOf(body);
    const common = { a, b, head: response, texts, mark, bodyLength: body.length };
    if (entry !== undefined) {
      const { data, pieces, codings: lengths } = entry.frame;
      this.#writer.put({ ...common, codings: lengths, data: { data, pieces } });
    } else if (body.whole !== undefined) this.#putWhole(common, body.whole, codings);
  }

  /** For a body that comes in parts and is too large for a segment. */
  open(length: number | undefined): LargeFile {
    const { folder, secret } = this.#handle;
    const segments = this.#segments;
    const giveUp = (): void => this.#files.remove(segments.giveUp());
    const file = new LargeFile({ folder, secret, segments, giveUp }, length);
    this.#large.add(file);
    void file.done.then(() => this.#large.delete(file));
    return file;
  }

  /** The end of it: it can be found when all is written. */
  finish(file: LargeFile, head: StoredHead, mark: number): void {
    const { a, b } = this.#hash.of(head.domainId, head.key);
    const done = file
      .end(head, mark, () => this.#writer.siblings({ a, b, head }))
      .then((written) => {
        const texts = textsOf(head);
        if (written === undefined || texts === undefined) this.#writer.unwritten++;
        else if (!this.#writer.publish({ a, b, mark, head }, written.place, written.siblings))
          this.#writer.put(tombstoneOf({ a, b, head, texts }, this.#signals.removedAt(a), written.place.segment));
        else {
          this.#onReplaced(a, b);
          this.#signals.replaced(a, b);
        }
      });
    this.#ending.add(done);
    void done.finally(() => this.#ending.delete(done));
  }

  /** All of a URL; `sequence`: of the removal. */
  remove(head: StoredHead, sequence: number): void {
    const { a, b } = this.#hash.of(head.domainId, head.key);
    const { oldest, isLoaded } = this.#segments;
    const there = this.#index.get(a, b, oldest);
    const behind = Math.max(there?.segment ?? 0, this.#index.forgottenIn(a, oldest));
    const texts = textsOf(head);
    // What earlier processes left may not have been read yet.
    if ((behind > 0 || !isLoaded) && texts !== undefined)
      this.#writer.put(tombstoneOf({ a, b, head, texts }, sequence, behind));
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
      // Codings of it stay in memory.
      const file = this.open(body.length);
      if (file.push(body)) this.finish(file, common.head, common.mark);
    }
  }

  #forget(domainId: string, key: string, place: DiskPlace): void {
    const { a, b } = this.#hash.of(domainId, key);
    this.#index.lose(a, b, place);
  }
}

const isFor = (head: StoredHead, domainId: string, key: string): boolean =>
  head.key === key && head.domainId === domainId;
