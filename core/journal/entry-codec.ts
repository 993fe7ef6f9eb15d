/**
 * The binary format of a journal entry. Integers are big-endian.
 *
 *   changes: any number of { table u8, key length u16, value length u32 (0xffffffff: delete),
 *                            key, value }
 *   entry:   version u8 (2), sequence u48, milliseconds since 1970 u48,
 *            hash of the previous entry (32), length of by u8, by, changes
 */
import { hash } from 'node:crypto';

const DELETED = 0xffffffff;
const CHANGE_HEADER = 7;

export interface Change {
  readonly table: number;
  readonly key: Buffer;
  /** null: the row is deleted. */
  readonly value: Buffer | null;
}

/** Collects changes into one buffer. */
export class ChangeWriter {
  #bytes: Buffer = Buffer.allocUnsafe(1024);
  #length = 0;
  count = 0;

  put(table: number, key: Uint8Array, value: Uint8Array): void {
    this.#append(table, key, value);
  }

  delete(table: number, key: Uint8Array): void {
    this.#append(table, key, null);
  }

  get content(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #append(table: number, key: Uint8Array, value: Uint8Array | null): void {
    const size = CHANGE_HEADER + key.length + (value?.length ?? 0);
    if (this.#length + size > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + size));
      larger.set(this.content);
      this.#bytes = larger;
    }
    const at = this.#length;
    this.#bytes[at] = table;
    this.#bytes.writeUInt16BE(key.length, at + 1);
    this.#bytes.writeUInt32BE(value?.length ?? DELETED, at + 3);
    this.#bytes.set(key, at + CHANGE_HEADER);
    if (value !== null) this.#bytes.set(value, at + CHANGE_HEADER + key.length);
    this.#length += size;
    this.count++;
  }
}

/** The changes in order, as views of `bytes`. */
export function* readChanges(bytes: Buffer): Iterable<Change> {
  for (let at = 0; at < bytes.length; ) {
    const keyEnd = at + CHANGE_HEADER + bytes.readUInt16BE(at + 1);
    const valueLength = bytes.readUInt32BE(at + 3);
    const end = valueLength === DELETED ? keyEnd : keyEnd + valueLength;
    yield {
      table: bytes[at],
      key: bytes.subarray(at + CHANGE_HEADER, keyEnd),
      value: valueLength === DELETED ? null : bytes.subarray(keyEnd, end),
    };
    at = end;
  }
}

/** The offset of the end of the change at an offset. */
export function endOfChange(bytes: Buffer, at: number): number {
  const keyEnd = at + CHANGE_HEADER + bytes.readUInt16BE(at + 1);
  const valueLength = bytes.readUInt32BE(at + 3);
  return valueLength === DELETED ? keyEnd : keyEnd + valueLength;
}

/** Bytes of the keys and values of `count` changes. */
export const bytesOfRows = (changes: Buffer, count: number): number => changes.length - count * CHANGE_HEADER;

/**
 * Calls `visit` with the place of each key of `count` changes from offset `from`, in order. Returns
 * the offset of the next change. Makes no views: an import has a million.
 */
export function visitKeys(
  bytes: Buffer,
  from: number,
  count: number,
  visit: (table: number, start: number, end: number) => void,
): number {
  let at = from;
  for (let i = 0; i < count && at < bytes.length; i++) {
    const start = at + CHANGE_HEADER;
    const end = start + bytes.readUInt16BE(at + 1);
    const valueLength = bytes.readUInt32BE(at + 3);
    visit(bytes[at], start, end);
    at = valueLength === DELETED ? end : end + valueLength;
  }
  return at;
}

/**
 * Like readChanges, but skips consecutive changes to rows of `table` whose keys start with the same
 * id, except the first. An import writes a million records of one domain.
 */
export function* readFirstChanges(bytes: Buffer, table: number): Iterable<Change> {
  let last = -1;
  for (let at = 0; at < bytes.length; ) {
    const key = at + CHANGE_HEADER;
    const keyEnd = key + bytes.readUInt16BE(at + 1);
    const valueLength = bytes.readUInt32BE(at + 3);
    const end = valueLength === DELETED ? keyEnd : keyEnd + valueLength;
    const isRun = bytes[at] === table;
    if (!isRun || last < 0 || !hasSameId(bytes, last, key))
      yield {
        table: bytes[at],
        key: bytes.subarray(key, keyEnd),
        value: valueLength === DELETED ? null : bytes.subarray(keyEnd, end),
      };
    last = isRun ? key : -1;
    at = end;
  }
}

function hasSameId(bytes: Buffer, a: number, b: number): boolean {
  return bytes.readUInt32BE(a + 4) === bytes.readUInt32BE(b + 4) && bytes.readUInt32BE(a) === bytes.readUInt32BE(b);
}

export interface Entry {
  readonly sequence: number;
  /** Milliseconds since 1970, from the clock of the node that committed. */
  readonly time: number;
  readonly by: string;
  readonly previousHash: Buffer;
  readonly changes: Buffer;
}

const VERSION = 2;

export function encodeEntry(entry: Entry): Buffer {
  const by = Buffer.from(entry.by).subarray(0, 255);
  const bytes = Buffer.allocUnsafe(46 + by.length + entry.changes.length);
  bytes[0] = VERSION;
  bytes.writeUIntBE(entry.sequence, 1, 6);
  bytes.writeUIntBE(entry.time, 7, 6);
  bytes.set(entry.previousHash, 13);
  bytes[45] = by.length;
  bytes.set(by, 46);
  bytes.set(entry.changes, 46 + by.length);
  return bytes;
}

export function decodeEntry(bytes: Buffer): Entry {
  if (bytes[0] !== VERSION) throw new Error(`journal entry of unknown version ${bytes[0]}`);
  const changes = 46 + bytes[45];
  return {
    sequence: bytes.readUIntBE(1, 6),
    time: bytes.readUIntBE(7, 6),
    previousHash: bytes.subarray(13, 45),
    by: bytes.toString('utf8', 46, changes),
    changes: bytes.subarray(changes),
  };
}

/** The changes of an encoded entry. */
export const changesOf = (bytes: Buffer): Buffer => bytes.subarray(46 + bytes[45]);

export const NO_HASH = Buffer.alloc(32);

export function hashEntry(bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer');
}
