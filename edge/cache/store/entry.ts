/**
 * The head of an entry, in memory and on disk: a StoredResponse without its body, and the location
 * of its body. Little-endian.
 *
 *      0  magic                       4  CRC-32 of the rest         8  length of the head
 *     12  status                     14  number of codings         15  number of siblings
 *     16  requestTime                24  responseTime
 *     32  mark                       40  length of the body
 *     48  lengths of key, selecting, fields and tags
 *     64  length of the domain's id  66  location of the entry     76  number of pieces
 *     80  segment of the data        84  offset of the data (body, then encoded bodies)
 *     92  per coding: number, length
 *         per piece of the data: CRC-32
 *         per sibling (another variant of the URL): hash of selecting, segment, offset / 8, length
 *         domain's id, key, selecting, fields, tags
 *
 * The texts are Latin-1. Line feeds separate the items of a list: no field may contain one (RFC
 * 9110 section 5.5).
 */
import { crc32 } from 'node:zlib';
import type { FieldList } from '../../http/exchange/field-list.ts';
import type { StoredCoding, StoredHead } from './cache-store.ts';

const MAGIC = 0x32435057; // "WPC2"
const FIXED_BYTES = 92;
/**
 * Bytes of data per checksum. A read of a body holds at least this many bytes in memory.
 */
export const PIECE_BYTES = 64 * 1024;
/** Maximum number of variants of a URL. */
export const MAX_VARIANTS = 32;
/** Maximum bytes of a head. It detects damaged lengths: the edge accepts no longer fields. */
export const MAX_HEAD = 1024 * 1024;

const CODINGS: readonly StoredCoding[] = ['br', 'gzip', 'zstd'];

/** The location of an entry on disk. `length`: bytes of the first read. */
export interface DiskLocation {
  readonly segment: number;
  /** Bytes, a multiple of 8. */
  readonly offset: number;
  readonly length: number;
}

/** Another variant of the same URL. */
export interface Sibling extends DiskLocation {
  readonly selecting: number;
}

/** Whether this is the only entry of its URL, and every request selects it. */
export const isSingleEntry = (selecting: readonly string[], siblings: readonly Sibling[]): boolean =>
  selecting.length === 0 && siblings.length === 0;

export interface EncodedCoding {
  readonly coding: StoredCoding;
  readonly bytes: Uint8Array;
}

/** The parts of a head that are not part of the response. */
export interface EntryFrame {
  readonly mark: number;
  readonly bodyLength: number;
  readonly codings: readonly { readonly coding: StoredCoding; readonly length: number }[];
  readonly pieces: readonly number[];
  readonly siblings: readonly Sibling[];
  readonly location: { readonly segment: number; readonly offset: number };
  readonly data: { readonly segment: number; readonly offset: number };
}

export interface Entry {
  readonly head: StoredHead;
  readonly frame: EntryFrame;
  /** Bytes of the head; a body may follow it. */
  readonly length: number;
}

/** The texts of a head, joined in advance because their length is needed first. */
export interface HeadTexts {
  readonly text: string;
  readonly lengths: readonly [domain: number, key: number, selecting: number, fields: number, tags: number];
}

/** Undefined: the head cannot be stored. */
export function textsOf(head: StoredHead): HeadTexts | undefined {
  const { domainId, key } = head;
  if (hasBreak(head.selecting) || hasBreak(head.headers) || hasBreak(head.tags)) return undefined;
  const selecting = head.selecting.join('\n');
  const fields = head.headers.join('\n');
  const tags = head.tags.join('\n');
  const text = domainId + key + selecting + fields + tags;
  if (text.length > MAX_HEAD - 64 * 1024 || domainId.length > 0xffff) return undefined;
  return { text, lengths: [domainId.length, key.length, selecting.length, fields.length, tags.length] };
}

function hasBreak(texts: readonly string[]): boolean {
  for (const item of texts) if (item.includes('\n')) return true;
  // A list of one empty item would be read as an empty list.
  return texts.length === 1 && texts[0] === '';
}

export function headLength(texts: HeadTexts, codings: number, pieces: number, siblings: number): number {
  return FIXED_BYTES + codings * 8 + pieces * 4 + siblings * 16 + texts.text.length;
}

/** Writes the head at `at` and returns its end. The buffer must have room for `headLength`. */
export function writeHead(out: Buffer, at: number, head: StoredHead, texts: HeadTexts, frame: EntryFrame): number {
  const { codings, pieces, siblings } = frame;
  const length = headLength(texts, codings.length, pieces.length, siblings.length);
  out.writeUInt32LE(MAGIC, at);
  out.writeUInt32LE(length, at + 8);
  out.writeUInt16LE(head.status, at + 12);
  out[at + 14] = codings.length;
  out[at + 15] = siblings.length;
  out.writeDoubleLE(head.requestTime, at + 16);
  out.writeDoubleLE(head.responseTime, at + 24);
  out.writeDoubleLE(frame.mark, at + 32);
  out.writeDoubleLE(frame.bodyLength, at + 40);
  for (let i = 0; i < 4; i++) out.writeUInt32LE(texts.lengths[i + 1], at + 48 + i * 4);
  out.writeUInt16LE(texts.lengths[0], at + 64);
  out.writeUInt32LE(frame.location.segment, at + 66);
  out.writeUIntLE(frame.location.offset, at + 70, 6);
  out.writeUInt32LE(pieces.length, at + 76);
  out.writeUInt32LE(frame.data.segment, at + 80);
  out.writeDoubleLE(frame.data.offset, at + 84);
  let to = at + FIXED_BYTES;
  for (const { coding, length: data } of codings) {
    out.writeUInt32LE(CODINGS.indexOf(coding), to);
    to = out.writeUInt32LE(data, to + 4);
  }
  for (const sum of pieces) to = out.writeUInt32LE(sum, to);
  for (const sibling of siblings) {
    out.writeUInt32LE(sibling.selecting, to);
    out.writeUInt32LE(sibling.segment, to + 4);
    out.writeUInt32LE(sibling.offset / 8, to + 8);
    to = out.writeUInt32LE(sibling.length, to + 12);
  }
  to += out.write(texts.text, to, 'latin1');
  return to;
}

/** Sets the checksum of a complete head on disk. `salt`: of its segment (`saltOf`). */
export function seal(out: Buffer, at: number, end: number, salt: number): void {
  out.writeUInt32LE(crc32(out.subarray(at + 8, end), salt), at + 4);
}

/**
 * The secret start value of the checksums of heads. Origins supply the bodies between the heads.
 * Without this value, a body cannot imitate a head when a reader searches for heads after damage.
 */
export const saltOf = (secret: number, segment: number): number =>
  (Math.imul(secret ^ segment, 0x9e3779b1) ^ (secret >>> 7)) >>> 0;

/** The length of the head at `at`, not verified; 0: no head starts here. */
export function headLengthAt(bytes: Buffer, at: number): number {
  if (at + FIXED_BYTES > bytes.length || bytes.readUInt32LE(at) !== MAGIC) return 0;
  const length = bytes.readUInt32LE(at + 8);
  return length >= FIXED_BYTES && length <= MAX_HEAD ? length : 0;
}

/** Whether a complete, intact head is at `at`. */
export function isSealed(bytes: Buffer, at: number, salt: number): boolean {
  const length = headLengthAt(bytes, at);
  if (length === 0 || at + length > bytes.length) return false;
  return bytes.readUInt32LE(at + 4) === crc32(bytes.subarray(at + 8, at + length), salt);
}

/** Reads a complete head: from memory, or from disk after `isSealed`. */
export function readHead(bytes: Buffer, at: number): Entry {
  const length = bytes.readUInt32LE(at + 8);
  const codingCount = bytes[at + 14];
  const siblingCount = bytes[at + 15];
  const pieceCount = bytes.readUInt32LE(at + 76);
  let from = at + FIXED_BYTES;
  const codings: { coding: StoredCoding; length: number }[] = [];
  for (let i = 0; i < codingCount; i++, from += 8)
    codings.push({ coding: CODINGS[bytes.readUInt32LE(from)], length: bytes.readUInt32LE(from + 4) });
  const pieces: number[] = [];
  for (let i = 0; i < pieceCount; i++, from += 4) pieces.push(bytes.readUInt32LE(from));
  const siblings: Sibling[] = [];
  for (let i = 0; i < siblingCount; i++, from += 16) siblings.push(readSibling(bytes, from));
  const domain = bytes.readUInt16LE(at + 64);
  const key = bytes.readUInt32LE(at + 48);
  const selecting = bytes.readUInt32LE(at + 52);
  const fields = bytes.readUInt32LE(at + 56);
  const tags = bytes.readUInt32LE(at + 60);
  const text = bytes.toString('latin1', from, from + domain + key + selecting + fields + tags);
  const keyAt = domain;
  const selectingAt = keyAt + key;
  const fieldsAt = selectingAt + selecting;
  return {
    head: {
      domainId: text.slice(0, domain),
      key: text.slice(keyAt, selectingAt),
      selecting: items(text, selectingAt, fieldsAt),
      status: bytes.readUInt16LE(at + 12),
      headers: items(text, fieldsAt, fieldsAt + fields),
      requestTime: bytes.readDoubleLE(at + 16),
      responseTime: bytes.readDoubleLE(at + 24),
      tags: items(text, fieldsAt + fields, text.length),
    },
    frame: {
      mark: bytes.readDoubleLE(at + 32),
      bodyLength: bytes.readDoubleLE(at + 40),
      codings,
      pieces,
      siblings,
      location: { segment: bytes.readUInt32LE(at + 66), offset: bytes.readUIntLE(at + 70, 6) },
      data: { segment: bytes.readUInt32LE(at + 80), offset: bytes.readDoubleLE(at + 84) },
    },
    length,
  };
}

function readSibling(bytes: Buffer, at: number): Sibling {
  return {
    selecting: bytes.readUInt32LE(at),
    segment: bytes.readUInt32LE(at + 4),
    offset: bytes.readUInt32LE(at + 8) * 8,
    length: bytes.readUInt32LE(at + 12),
  };
}

const NONE: FieldList = [];
const items = (text: string, from: number, to: number): FieldList =>
  from === to ? NONE : text.slice(from, to).split('\n');

/** Whether the head in memory at `at` belongs to this URL, without reading the whole head. */
export function isHeadOf(bytes: Buffer, at: number, domainId: string, key: string): boolean {
  if (bytes.readUInt32LE(at + 48) !== key.length || bytes.readUInt16LE(at + 64) !== domainId.length) return false;
  const from = at + FIXED_BYTES + bytes[at + 14] * 8 + bytes.readUInt32LE(at + 76) * 4 + bytes[at + 15] * 16;
  return bytes.toString('latin1', from, from + domainId.length + key.length) === domainId + key;
}

/** The CRC-32 of each piece of the joined parts. */
export function pieceSums(parts: readonly Uint8Array[]): number[] {
  const sums: number[] = [];
  let sum = 0;
  let room = PIECE_BYTES;
  for (const part of parts)
    for (let at = 0; at < part.length; ) {
      const end = Math.min(part.length, at + room);
      sum = crc32(part.subarray(at, end), sum);
      room -= end - at;
      at = end;
      if (room > 0) continue;
      sums.push(sum);
      sum = 0;
      room = PIECE_BYTES;
    }
  if (room < PIECE_BYTES) sums.push(sum);
  return sums;
}
