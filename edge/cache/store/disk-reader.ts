/** Reads entries from disk, and believes nothing: the head's checksum, its own place and its URL have to fit, and each piece of the body its checksum. */
import { crc32 } from 'node:zlib';
import type { StoredBody } from '../stored-response.ts';
import { type DiskPlace, type Entry, isSealed, PIECE, readHead, saltOf } from './entry.ts';
import type { SegmentFiles } from './segment-files.ts';
import type { SegmentTable } from './segment-table.ts';
import { responseOf, Variant, WholeBody } from './variant.ts';

/** Data up to here is read with the head, in one read; more, up to `wholeBytes`, in another. */
export const WITH_HEAD = 4 * PIECE;

/** Thrown to whoever reads a body whose bytes are not those that were written. The entry is gone with it. */
export class DamagedError extends Error {
  override readonly name = 'DamagedError';
}

export class DiskReader {
  damaged = 0;
  readonly #files: SegmentFiles;
  readonly #segments: SegmentTable;

  readonly #secret: number;
  readonly #wholeBytes: number;

  /** `wholeBytes`: larger bodies are read in pieces, by who asks for them. */
  constructor(files: SegmentFiles, segments: SegmentTable, secret: number, wholeBytes: number) {
    this.#wholeBytes = wholeBytes;
    this.#files = files;
    this.#segments = segments;
    this.#secret = secret;
  }

  /** The entry's head and, where they came along, the bytes behind it. Undefined: nothing that could be trusted. Never rejects. */
  async entry(place: DiskPlace): Promise<{ entry: Entry; rest: Buffer } | undefined> {
    try {
      const bytes = await this.#files.read(place.segment, place.offset, place.length);
      if (!isSealed(bytes, 0, saltOf(this.#secret, place.segment))) return this.#lost(place);
      const entry = readHead(bytes, 0);
      const { segment, offset } = entry.frame.place;
      // Not damaged, but another one: what pointed here is out of date.
      if (segment !== place.segment || offset !== place.offset) return undefined;
      return { entry, rest: bytes.subarray(entry.length) };
    } catch {
      return this.#lost(place);
    }
  }

  /** The response of an entry; its body in memory when it is small. Undefined: damaged. `onDamage` for what is found later. */
  async variant({ entry, rest }: { entry: Entry; rest: Buffer }, onDamage: () => void): Promise<Variant | undefined> {
    const { head, frame, length } = entry;
    const { bodyLength, pieces, data } = frame;
    if (!this.#segments.isLive(data.segment)) return undefined;
    let size = bodyLength;
    for (const coding of frame.codings) size += coding.length;
    if (pieces.length !== Math.ceil(size / PIECE)) return this.#lost(frame.place);
    if (size > this.#wholeBytes) {
      const body = new DiskBody(this, entry, onDamage);
      return new Variant(responseOf(head, body), frame.mark, []);
    }
    const isBehind = data.segment === frame.place.segment && data.offset === frame.place.offset + length;
    const bytes = isBehind && rest.length >= size ? rest.subarray(0, size) : await this.#piece(entry, 0, size);
    if (bytes === undefined || !isIntact(bytes, pieces, 0)) return this.#lost(frame.place);
    let from = bodyLength;
    const codings = frame.codings.map(({ coding, length: chunk }) => {
      from += chunk;
      return { coding, bytes: bytes.subarray(from - chunk, from) };
    });
    return new Variant(responseOf(head, new WholeBody(bytes.subarray(0, bodyLength))), frame.mark, codings);
  }

  /** Bytes [from, to) of an entry's data, whole pieces, checked. Rejects with DamagedError. */
  async pieces(entry: Entry, first: number, last: number, size: number): Promise<Buffer> {
    const bytes = await this.#piece(entry, first * PIECE, Math.min(size, (last + 1) * PIECE));
    const { frame } = entry;
    if (bytes !== undefined && isIntact(bytes, frame.pieces, first)) return bytes;
    this.#lost(frame.place);
    throw new DamagedError('A stored body is not what was stored.');
  }

  async #piece({ frame: { data } }: Entry, from: number, to: number): Promise<Buffer | undefined> {
    try {
      const bytes = await this.#files.read(data.segment, data.offset + from, to - from);
      return bytes.length === to - from ? bytes : undefined;
    } catch {
      return undefined;
    }
  }

  /** What went with its segment is no damage. */
  #lost({ segment }: { readonly segment: number }): undefined {
    if (this.#segments.isLive(segment)) this.damaged++;
    return undefined;
  }
}

/** Whether bytes that begin with a piece are what its sum and those of the next say. */
function isIntact(bytes: Buffer, sums: readonly number[], first: number): boolean {
  for (let at = 0; at < bytes.length; at += PIECE)
    if (crc32(bytes.subarray(at, at + PIECE)) !== sums[first + at / PIECE]) return false;
  return true;
}

/** A body that is read in pieces. */
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

  /** Rejects with DamagedError when they are not what was stored, or gone. Best asked for in multiples of PIECE, from multiples of it. */
  async slice(from: number, to: number): Promise<Uint8Array> {
    const end = Math.min(to, this.length);
    if (from >= end) return new Uint8Array(0);
    const first = Math.floor(from / PIECE);
    const last = Math.floor((end - 1) / PIECE);
    try {
      const bytes = await this.#reader.pieces(this.#entry, first, last, this.#size);
      const wanted = bytes.subarray(from - first * PIECE, end - first * PIECE);
      // A little of it must not keep all of it.
      return wanted.length * 2 < bytes.length ? Uint8Array.prototype.slice.call(wanted) : wanted;
    } catch (error) {
      this.#onDamage();
      throw error;
    }
  }

  /** Where it lies, for an entry with other fields and the same body. */
  get entry(): Entry {
    return this.#entry;
  }
}

/** The entry of a body that lies on disk; undefined: it is in memory. */
export const entryOf = (body: StoredBody): Entry | undefined => (body instanceof DiskBody ? body.entry : undefined);
