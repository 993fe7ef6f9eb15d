/**
 * A response too large for a segment with others: a file of its own, written as its body comes. The head is written behind the body, since the sums of its pieces are not
 * known before, and a last line tells where; without it the file is of a write that broke off.
 *
 *     "WPONE-1\n" · body · head (at a multiple of 8) · "WPEND-1\n" · offset of the head / 8 (4) · length of the head (4)
 */
import { close, unlink } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { StoredHead } from './cache-store.ts';
import { create, writeAll } from './disk-writer.ts';
import { type DiskPlace, headLength, PIECE, type Sibling, saltOf, seal, textsOf, writeHead } from './entry.ts';
import { fileOf } from './segment-files.ts';
import type { SegmentTable } from './segment-table.ts';

export const LARGE_HEAD = Buffer.from('WPONE-1\n');
export const LARGE_END = Buffer.from('WPEND-1\n');
/** Bytes that may wait for the disk. */
const MOST_WAITING = 8 * 1024 * 1024;
/** Bytes that are counted ahead when the length is not known. */
const STEP = 8 * 1024 * 1024;

export interface LargeFileOptions {
  readonly folder: string;
  readonly secret: number;
  readonly segments: SegmentTable;
  /** Removes the files of segments that have to go. */
  giveUp(): void;
}

export class LargeFile {
  /** Bytes of the body so far. */
  length = 0;
  hasFailed = false;
  /** Resolves when nothing is done any more, whole or not. */
  readonly done: Promise<void>;
  #isDone = (): void => {};
  readonly #options: LargeFileOptions;
  readonly #segment: number;
  readonly #pieces: number[] = [];
  #sum = 0;
  #counted: number;
  /** Parts for the next write, and bytes that are not on the disk, theirs among them. */
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #unwritten = 0;
  #position = LARGE_HEAD.length;
  #fd = -1;
  #hasEnded = false;
  #running: Promise<void>;

  /** `length`: of the body, if it is known. */
  constructor(options: LargeFileOptions, length: number | undefined) {
    this.#options = options;
    this.#counted = length ?? STEP;
    this.#segment = options.segments.take(this.#counted);
    options.giveUp();
    this.done = new Promise((resolve) => {
      this.#isDone = resolve;
    });
    this.#running = this.#open();
  }

  /** False: the disk is too slow, or fails. */
  push(part: Uint8Array): boolean {
    if (this.#unwritten > MOST_WAITING) this.abort();
    if (this.hasFailed) return false;
    this.#sumUp(part);
    this.length += part.length;
    this.#waiting.push(part);
    this.#waitingBytes += part.length;
    this.#unwritten += part.length;
    if (this.length > this.#counted) {
      this.#counted += STEP;
      this.#options.segments.resize(this.#segment, this.#counted);
      this.#options.giveUp();
    }
    if (this.#waitingBytes >= PIECE) this.#drain();
    return true;
  }

  /** Writes what is left, and the head. `findSiblings`: the other variants of its URL. Undefined: it is not there whole. */
  async end(
    head: StoredHead,
    mark: number,
    findSiblings: () => Promise<readonly Sibling[]>,
  ): Promise<{ readonly place: DiskPlace; readonly siblings: readonly Sibling[] } | undefined> {
    const texts = textsOf(head);
    if (texts === undefined || this.hasFailed) {
      this.abort();
      return undefined;
    }
    if (this.length % PIECE > 0) this.#pieces.push(this.#sum);
    this.#drain();
    await this.#running;
    if (this.hasFailed) return undefined;
    const { segments, secret } = this.#options;
    const segment = this.#segment;
    const offset = (this.#position + 7) & ~7;
    const siblings = await findSiblings();
    const length = headLength(texts, 0, this.#pieces.length, siblings.length);
    // Zeros to the next multiple of 8, the head, and where it is.
    const fill = offset - this.#position;
    const bytes = Buffer.alloc(fill + length + 16);
    const frame = { mark, bodyLength: this.length, codings: [], pieces: this.#pieces, siblings };
    const data = { segment, offset: LARGE_HEAD.length };
    const end = writeHead(bytes, fill, head, texts, { ...frame, place: { segment, offset }, data });
    seal(bytes, fill, end, saltOf(secret, segment));
    LARGE_END.copy(bytes, end);
    bytes.writeUInt32LE(offset / 8, end + 8);
    bytes.writeUInt32LE(length, end + 12);
    await writeAll(this.#fd, [bytes], this.#position).catch(() => this.abort());
    if (this.hasFailed) return undefined;
    this.#hasEnded = true;
    segments.resize(segment, offset + length + 16);
    this.#close();
    this.#isDone();
    return { place: { segment, offset, length }, siblings };
  }

  /** Nothing stays, unless it has ended. */
  abort(): void {
    if (this.hasFailed || this.#hasEnded) return;
    this.hasFailed = true;
    this.#waiting = [];
    void this.#running.then(() => {
      this.#close();
      unlink(fileOf(this.#options.folder, this.#segment), this.#isDone);
      this.#options.segments.resize(this.#segment, 0);
    });
  }

  async #open(): Promise<void> {
    try {
      this.#fd = await create(fileOf(this.#options.folder, this.#segment));
      await writeAll(this.#fd, [LARGE_HEAD], 0);
    } catch {
      this.abort();
    }
  }

  #drain(): void {
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

  #sumUp(part: Uint8Array): void {
    const at = this.length % PIECE;
    for (let from = 0, room = PIECE - at; from < part.length; room = PIECE) {
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
