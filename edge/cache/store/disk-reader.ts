/**
 * Reads entries from disk and verifies everything: the checksum of the head, its location and URL,
 * and the checksum of each piece of the body.
 */
import { crc32 } from 'node:zlib';
import type { StoredBody } from '../stored-response.ts';
import { type DiskLocation, type Entry, isSealed, PIECE_BYTES, readHead, saltOf } from './entry.ts';
import type { SegmentFiles } from './segment-files.ts';
import type { SegmentTable } from './segment-table.ts';
import { responseOf, Variant, WholeBody } from './variant.ts';

/**
 * Up to this size, data is read together with the head. Up to `wholeBytes` it takes a second read.
 */
export const READ_WITH_HEAD_BYTES = 4 * PIECE_BYTES;

/** A body on disk does not match its checksums, or cannot be read. The entry is deleted. */
class DamagedError extends Error {
  override readonly name = 'DamagedError';
}

export class DiskReader {
  damaged = 0;
  readonly #files: SegmentFiles;
  readonly #segments: SegmentTable;

  readonly #secret: number;
  readonly #wholeBytes: number;

  /** `wholeBytes`: the consumer reads larger bodies piece by piece. */
  constructor(files: SegmentFiles, segments: SegmentTable, secret: number, wholeBytes: number) {
    this.#wholeBytes = wholeBytes;
    this.#files = files;
    this.#segments = segments;
    this.#secret = secret;
  }

  /**
   * Reads the head of an entry. `rest`: the bytes after the head that `location.length` includes.
   * Undefined: no valid entry. Never rejects.
   */
  async readEntry(location: DiskLocation): Promise<{ entry: Entry; rest: Buffer } | undefined> {
    try {
      const bytes = await this.#files.read(location.segment, location.offset, location.length);
      if (!isSealed(bytes, 0, saltOf(this.#secret, location.segment))) return this.noteDamage(location);
      const entry = readHead(bytes, 0);
      const { segment, offset } = entry.frame.location;
      // An intact entry with another location: the index or the sibling's location is out of date.
      if (segment !== location.segment || offset !== location.offset) return undefined;
      return { entry, rest: bytes.subarray(entry.length) };
    } catch {
      return this.noteDamage(location);
    }
  }

  /**
   * The response of an entry, with a small body in memory. Undefined: damaged. `onDamage`: called
   * when a later read finds damage.
   */
  async readVariant(
    { entry, rest }: { entry: Entry; rest: Buffer },
    onDamage: () => void,
  ): Promise<Variant | undefined> {
    const { head, frame, length } = entry;
    const { bodyLength, pieces, data } = frame;
    if (!this.#segments.isLive(data.segment)) return undefined;
    let size = bodyLength;
    for (const coding of frame.codings) size += coding.length;
    if (pieces.length !== Math.ceil(size / PIECE_BYTES)) return this.noteDamage(frame.location);
    if (size > this.#wholeBytes) {
      const body = new DiskBody(this, entry, onDamage);
      return new Variant(responseOf(head, body), frame.mark, []);
    }
    const followsHead = data.segment === frame.location.segment && data.offset === frame.location.offset + length;
    const bytes = followsHead && rest.length >= size ? rest.subarray(0, size) : await this.#readData(entry, 0, size);
    if (bytes === undefined || !isIntact(bytes, pieces, 0)) return this.noteDamage(frame.location);
    let from = bodyLength;
    const codings = frame.codings.map(({ coding, length: chunk }) => {
      from += chunk;
      return { coding, bytes: bytes.subarray(from - chunk, from) };
    });
    return new Variant(responseOf(head, new WholeBody(bytes.subarray(0, bodyLength))), frame.mark, codings);
  }

  /** The pieces `first` to `last` of an entry's data, verified. Rejects with DamagedError. */
  async readPieces(entry: Entry, first: number, last: number, size: number): Promise<Buffer> {
    const bytes = await this.#readData(entry, first * PIECE_BYTES, Math.min(size, (last + 1) * PIECE_BYTES));
    const { frame } = entry;
    if (bytes !== undefined && isIntact(bytes, frame.pieces, first)) return bytes;
    this.noteDamage(frame.location);
    throw new DamagedError('A stored body is damaged.');
  }

  async #readData({ frame: { data } }: Entry, from: number, to: number): Promise<Buffer | undefined> {
    try {
      const bytes = await this.#files.read(data.segment, data.offset + from, to - from);
      return bytes.length === to - from ? bytes : undefined;
    } catch {
      return undefined;
    }
  }

  /** Counts damage, except in a segment that was discarded meanwhile. */
  noteDamage({ segment }: { readonly segment: number }): undefined {
    if (this.#segments.isLive(segment)) this.damaged++;
    return undefined;
  }
}

/** Whether bytes match the checksums of their pieces. `first`: index of the first piece. */
function isIntact(bytes: Buffer, sums: readonly number[], first: number): boolean {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    if (crc32(bytes.subarray(at, at + PIECE_BYTES)) !== sums[first + at / PIECE_BYTES]) return false;
  return true;
}

/** A body on disk, read piece by piece. */
class DiskBody implements StoredBody {
  readonly whole = undefined;
  readonly length: number;
  readonly #reader: DiskReader;
  readonly #entry: Entry;
  readonly #onDamage: () => void;
  readonly #size: number;

  constructor(reader: DiskReader, entry: Entry, onDamage: () => void) {
    this.#reader = reader;
    this.#entry = entry;
    this.#onDamage = onDamage;
    this.length = entry.frame.bodyLength;
    this.#size = entry.frame.codings.reduce((sum, coding) => sum + coding.length, this.length);
  }

  /**
   * Rejects with DamagedError when the bytes are damaged or discarded. Ranges at multiples of
   * PIECE_BYTES read no extra bytes.
   */
  async slice(from: number, to: number): Promise<Uint8Array> {
    const end = Math.min(to, this.length);
    if (from >= end) return new Uint8Array(0);
    const first = Math.floor(from / PIECE_BYTES);
    const last = Math.floor((end - 1) / PIECE_BYTES);
    try {
      const bytes = await this.#reader.readPieces(this.#entry, first, last, this.#size);
      const range = bytes.subarray(from - first * PIECE_BYTES, end - first * PIECE_BYTES);
      // A copy: a small part must not keep the whole buffer in memory.
      return range.length * 2 < bytes.length ? Uint8Array.prototype.slice.call(range) : range;
    } catch (error) {
      this.#onDamage();
      throw error;
    }
  }

  /** The entry, so that an entry with new fields can refer to the same body. */
  get entry(): Entry {
    return this.#entry;
  }
}

/** The entry of a body on disk; undefined: the body is in memory. */
export const diskEntryOf = (body: StoredBody): Entry | undefined => (body instanceof DiskBody ? body.entry : undefined);
