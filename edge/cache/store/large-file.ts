/**
 * A separate file for a response that is too large for a shared segment, written while the body
 * arrives. The head follows the body, because it contains the checksums of the body's pieces. A
 * trailer contains the offset of the head; a file without a trailer is incomplete.
 *
 *     "WPONE-1\n" · body · head (at a multiple of 8)
 *     "WPEND-1\n" · offset of the head / 8 (4) · length of the head (4)
 */
import { close, unlink } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { StoredHead } from './cache-store.ts';
import { createFile, writeAll } from './disk-writer.ts';
import { type DiskLocation, headLength, PIECE_BYTES, type Sibling, saltOf, seal, textsOf, writeHead } from './entry.ts';
import { fileOf } from './segment-files.ts';
import type { SegmentTable } from './segment-table.ts';

export const LARGE_HEAD = Buffer.from('WPONE-1\n');
export const LARGE_END = Buffer.from('WPEND-1\n');
/** Maximum number of pending bytes that are not on disk yet. */
const MAX_UNWRITTEN_BYTES = 8 * 1024 * 1024;
/** Bytes that are reserved in advance when the length is unknown. */
const GROWTH_BYTES = 8 * 1024 * 1024;

interface LargeFileOptions {
  readonly folder: string;
  readonly secret: number;
  readonly segments: SegmentTable;
  /** Discards the oldest segments until the disk is within its limit. */
  evictOldest(): void;
}

export class LargeFile {
  /** Bytes of the body so far. */
  length = 0;
  hasFailed = false;
  /** Resolves when the file is complete or deleted. */
  readonly done: Promise<void>;
  #resolveDone = (): void => {};
  readonly #options: LargeFileOptions;
  readonly #segment: number;
  readonly #pieces: number[] = [];
  #sum = 0;
  #reservedBytes: number;
  /** Parts for the next write. */
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** Bytes that are not on disk yet, including those of a write in progress. */
  #unwritten = 0;
  #position = LARGE_HEAD.length;
  #fd = -1;
  #hasEnded = false;
  #running: Promise<void>;

  /** `length`: of the body; undefined: unknown. */
  constructor(options: LargeFileOptions, length: number | undefined) {
    this.#options = options;
    this.#reservedBytes = length ?? GROWTH_BYTES;
    this.#segment = options.segments.allocate(this.#reservedBytes);
    options.evictOldest();
    this.done = new Promise((resolve) => {
      this.#resolveDone = resolve;
    });
    this.#running = this.#open();
  }

  /** False: the disk is too slow, or has failed. */
  push(part: Uint8Array): boolean {
    if (this.#unwritten > MAX_UNWRITTEN_BYTES) this.abort();
    if (this.hasFailed) return false;
    this.#addToSums(part);
    this.length += part.length;
    this.#waiting.push(part);
    this.#waitingBytes += part.length;
    this.#unwritten += part.length;
    if (this.length > this.#reservedBytes) {
      this.#reservedBytes += GROWTH_BYTES;
      this.#options.segments.resize(this.#segment, this.#reservedBytes);
      this.#options.evictOldest();
    }
    if (this.#waitingBytes >= PIECE_BYTES) this.#writeWaiting();
    return true;
  }

  /**
   * Writes the rest and the head. `findSiblings`: finds the other variants of the URL. Undefined:
   * the file is incomplete.
   */
  async end(
    head: StoredHead,
    mark: number,
    findSiblings: () => Promise<readonly Sibling[]>,
  ): Promise<{ readonly location: DiskLocation; readonly siblings: readonly Sibling[] } | undefined> {
    const texts = textsOf(head);
    if (texts === undefined || this.hasFailed) {
      this.abort();
      return undefined;
    }
    if (this.length % PIECE_BYTES > 0) this.#pieces.push(this.#sum);
    this.#writeWaiting();
    await this.#running;
    if (this.hasFailed) return undefined;
    const { segments, secret } = this.#options;
    const segment = this.#segment;
    const offset = (this.#position + 7) & ~7;
    const siblings = await findSiblings();
    const length = headLength(texts, 0, this.#pieces.length, siblings.length);
    // Zeros up to a multiple of 8, the head, and the trailer.
    const padding = offset - this.#position;
    const bytes = Buffer.alloc(padding + length + 16);
    const frame = { mark, bodyLength: this.length, codings: [], pieces: this.#pieces, siblings };
    const data = { segment, offset: LARGE_HEAD.length };
    const end = writeHead(bytes, padding, head, texts, { ...frame, location: { segment, offset }, data });
    seal(bytes, padding, end, saltOf(secret, segment));
    LARGE_END.copy(bytes, end);
    bytes.writeUInt32LE(offset / 8, end + 8);
    bytes.writeUInt32LE(length, end + 12);
    await writeAll(this.#fd, [bytes], this.#position).catch(() => this.abort());
    if (this.hasFailed) return undefined;
    this.#hasEnded = true;
    segments.resize(segment, offset + length + 16);
    this.#close();
    this.#resolveDone();
    return { location: { segment, offset, length }, siblings };
  }

  /** Deletes the file, unless it is complete. */
  abort(): void {
    if (this.hasFailed || this.#hasEnded) return;
    this.hasFailed = true;
    this.#waiting = [];
    void this.#running.then(() => {
      this.#close();
      unlink(fileOf(this.#options.folder, this.#segment), this.#resolveDone);
      this.#options.segments.resize(this.#segment, 0);
    });
  }

  async #open(): Promise<void> {
    try {
      this.#fd = await createFile(fileOf(this.#options.folder, this.#segment));
      await writeAll(this.#fd, [LARGE_HEAD], 0);
    } catch {
      this.abort();
    }
  }

  #writeWaiting(): void {
    const parts = this.#waiting;
    const chunk = this.#waitingBytes;
    if (chunk === 0) return;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#running = this.#running.then(async () => {
      if (this.hasFailed) return;
      try {
        await writeAll(this.#fd, parts, this.#position);
        this.#position += chunk;
        this.#unwritten -= chunk;
      } catch {
        this.abort();
      }
    });
  }

  #addToSums(part: Uint8Array): void {
    const at = this.length % PIECE_BYTES;
    for (let from = 0, room = PIECE_BYTES - at; from < part.length; room = PIECE_BYTES) {
      const end = Math.min(part.length, from + room);
      this.#sum = crc32(part.subarray(from, end), this.#sum);
      if (end - from === room) {
        this.#pieces.push(this.#sum);
        this.#sum = 0;
      }
      from = end;
    }
  }

  #close(): void {
    if (this.#fd >= 0) close(this.#fd, () => {});
    this.#fd = -1;
  }
}
