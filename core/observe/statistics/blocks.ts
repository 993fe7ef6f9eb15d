/**
 * Entries as blocks of the store: many of them in one value, since most take few bytes.
 *
 *   key    time u32 (minutes since 1970) · part u16 · kind u8 · id (8) of the first entry
 *   block  entries of one kind by rising id:
 *            id, as the difference from the one before
 *            length of the rest
 *            number of columns, then column and count of each
 *            count, length (u8) and bytes of each name
 *
 * Numbers without a size have 7 bits a byte, the lowest first; the top bit says that more follow.
 */

import { writeId } from '../../store/keys.ts';
import type { CountEntry } from './counts.ts';

/** Three blocks of this size fit into a page of LMDB with their keys. */
const BLOCK_BYTES = 1330;
const KEY_BYTES = 15;
const PREFIX_BYTES = 6;

export interface Block {
  readonly key: Buffer;
  readonly value: Buffer;
}

export function blockKey(time: number, part: number, kind: number, id: number): Buffer {
  const key = Buffer.allocUnsafe(KEY_BYTES);
  key.writeUInt32BE(time, 0);
  key.writeUInt16BE(part, 4);
  key[PREFIX_BYTES] = kind;
  writeId(id, key, PREFIX_BYTES + 1);
  return key;
}

/** Whether two keys are of the same part and kind. */
export function isSameRun(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = 0; i <= PREFIX_BYTES; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Packs entries, which come in order, into blocks. */
export class BlockWriter {
  readonly blocks: Block[] = [];
  /** Bytes of the finished blocks and their keys. */
  bytes = 0;
  readonly #pieces: Buffer[] = [];
  #length = 0;
  #kind = 0;
  #firstId = 0;
  #lastId = 0;

  constructor(
    private readonly time: number,
    private readonly part: number,
  ) {}

  add(entry: CountEntry): void {
    const content = encodeContent(entry);
    if (this.#length > 0 && (entry.kind !== this.#kind || this.#length + content.length + 8 > BLOCK_BYTES))
      this.finish();
    if (this.#length === 0) {
      this.#kind = entry.kind;
      this.#firstId = entry.id;
      this.#lastId = entry.id;
    }
    const head = Buffer.allocUnsafe(16);
    const end = writeNumber(head, writeNumber(head, 0, entry.id - this.#lastId), content.length);
    this.#pieces.push(head.subarray(0, end), content);
    this.#length += end + content.length;
    this.#lastId = entry.id;
  }

  /** Closes the last block. */
  finish(): void {
    if (this.#length === 0) return;
    const value = Buffer.concat(this.#pieces.splice(0), this.#length);
    this.blocks.push({ key: blockKey(this.time, this.part, this.#kind, this.#firstId), value });
    this.bytes += KEY_BYTES + value.length;
    this.#length = 0;
  }
}

/** The entries of a block. Throws RangeError if it is damaged. */
export function decodeBlock({ key, value }: Block): CountEntry[] {
  const cursor = new Cursor(value);
  const kind = key[PREFIX_BYTES];
  const entries: CountEntry[] = [];
  for (let id = firstIdOf(key); cursor.at < value.length; ) {
    id += cursor.number();
    const end = cursor.number() + cursor.at;
    entries.push(readContent(cursor, kind, id, end));
  }
  return entries;
}

/** The entry with this id in a block, or null. Throws RangeError if the block is damaged. */
export function findInBlock({ key, value }: Block, wanted: number): CountEntry | null {
  const cursor = new Cursor(value);
  for (let id = firstIdOf(key); cursor.at < value.length; ) {
    id += cursor.number();
    const end = cursor.number() + cursor.at;
    if (id === wanted) return readContent(cursor, key[PREFIX_BYTES], id, end);
    if (id > wanted) return null;
    cursor.at = end;
  }
  return null;
}

function firstIdOf(key: Buffer): number {
  return key.readUInt32BE(PREFIX_BYTES + 1) * 2 ** 32 + key.readUInt32BE(PREFIX_BYTES + 5);
}

function readContent(cursor: Cursor, kind: number, id: number, end: number): CountEntry {
  const columns = new Map<number, number>();
  const names = new Map<string, number>();
  for (let left = cursor.number(); left > 0; left--) columns.set(cursor.number(), cursor.number());
  while (cursor.at < end) {
    const count = cursor.number();
    names.set(cursor.text(cursor.byte()), count);
  }
  return { kind, id, columns, names };
}

const MAX_NUMBER_BYTES = 8;
const NAME_BYTES = MAX_NUMBER_BYTES + 1 + 255;

/** A valid view of it is copied before the next call. */
let scratch = Buffer.allocUnsafe(16_384);

function encodeContent({ columns, names }: CountEntry): Buffer {
  const needed = (1 + 2 * columns.size) * MAX_NUMBER_BYTES + names.size * NAME_BYTES;
  if (scratch.length < needed) scratch = Buffer.allocUnsafe(needed);
  let at = writeNumber(scratch, 0, columns.size);
  for (const [column, count] of columns) at = writeNumber(scratch, writeNumber(scratch, at, column), count);
  for (const [name, count] of names) {
    at = writeNumber(scratch, at, count);
    scratch[at++] = name.length;
    at += scratch.write(name, at, 'latin1');
  }
  return Buffer.from(scratch.subarray(0, at));
}

function writeNumber(out: Buffer, at: number, value: number): number {
  let rest = value;
  while (rest >= 128) {
    out[at++] = (rest % 128) + 128;
    rest = Math.floor(rest / 128);
  }
  out[at++] = rest;
  return at;
}

class Cursor {
  at = 0;

  constructor(private readonly bytes: Buffer) {}

  byte(): number {
    if (this.at >= this.bytes.length) throw new RangeError('a block of statistics is truncated');
    return this.bytes[this.at++];
  }

  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  text(length: number): string {
    const from = this.at;
    this.at += length;
    if (this.at > this.bytes.length) throw new RangeError('a block of statistics is truncated');
    return this.bytes.toString('latin1', from, this.at);
  }
}
