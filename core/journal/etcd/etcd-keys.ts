/**
 * What the journal keeps in etcd, below a prefix:
 *
 *   head                       sequence u48 and hash (32) of the last entry
 *   turn                       there while a node that others were sooner than again and again is to be next
 *   mandate/<node>             empty; what a node forwards is appended while it is as that node has written it last
 *   floor                      sequence u48: entries below it are gone
 *   log/<sequence>             a group of entries, by the sequence of its first (12 hexadecimal digits)
 *   part/<sequence>/<hash>/<n> what is too large for one request, for the group that is to have this place; one of another node may lie beside it and comes to nothing
 *
 *   group: 1 u8, then of each entry its length u32 and its bytes
 *   or     2 u8, length u48, count of parts u16, hash of the whole (32): the parts hold what would stand after the 1
 *   or     3 u8, then in Brotli (RFC 7932) what would stand after the 1
 *   or     4 u8, as 2, but the parts hold it in Brotli: length and hash are those of what they hold
 *
 * A node that knows 1 and 2 alone takes the others for damaged and goes no further: all are to have the release that reads them before one writes them, or the log stands still
 * for those that have not.
 */
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { hashEntry } from '../entry-codec.ts';

const WHOLE = 1;
const PARTED = 2;
const PACKED = 3;
const PACKED_PARTED = 4;
const PARTED_LENGTH = 41;
/** Bytes of a group that is in one piece. A look has several of them in one answer. */
const MOST_WHOLE = 128 << 10;
/**
 * Bytes from which on a group is packed. 16 writes of a record are 9 KB: Brotli at quality 1 takes 55 us to make 1.7 KB of them and each node 35 us to read it (deflate at level 1: 110
 * and 22); etcd takes 100 us for a KB. At 2 KB and four nodes it comes to the same.
 */
const LEAST_PACKED = 2 << 10;
/** Bytes that a packed group in one piece, or in parts, may stand for: a damaged one is not to fill the memory. What is larger is not packed. */
const MOST_UNPACKED = 1 << 20;
const MOST_UNPACKED_PARTED = 16 << 20;
/** Bytes of one part. etcd takes 1.5 MiB in a request. */
export const PART = 1 << 20;

export interface Keys {
  readonly head: string;
  readonly turn: string;
  readonly floor: string;
  mandate(node: string): string;
  log(sequence: number): string;
  readonly logEnd: string;
  part(sequence: number, hash: string, n: number): string;
  /** All parts for places from the first to before `sequence`. */
  readonly parts: string;
  partsBefore(sequence: number): string;
}

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0');

/** `prefix`: ends with a slash. */
export function keysBelow(prefix: string): Keys {
  return {
    head: `${prefix}head`,
    turn: `${prefix}turn`,
    floor: `${prefix}floor`,
    mandate: (node) => `${prefix}mandate/${node}`,
    log: (sequence) => `${prefix}log/${hex(sequence, 12)}`,
    // The character after the slash.
    logEnd: `${prefix}log0`,
    part: (sequence, hash, n) => `${prefix}part/${hex(sequence, 12)}/${hash}/${hex(n, 4)}`,
    parts: `${prefix}part/`,
    partsBefore: (sequence) => `${prefix}part/${hex(sequence, 12)}`,
  };
}

export interface EncodedGroup {
  readonly entries: readonly Buffer[];
  /** Of the key of the log. */
  readonly value: Buffer;
  readonly hash: string;
  readonly parts: readonly Buffer[];
}

export function encodeGroup(entries: readonly Buffer[]): EncodedGroup {
  const body = bodyOf(entries);
  const packed = body.length < LEAST_PACKED || body.length > MOST_UNPACKED_PARTED ? null : pack(body);
  const isPacked = packed !== null && packed.length < body.length;
  const content = isPacked ? packed : body;
  if (content.length < MOST_WHOLE && (!isPacked || body.length <= MOST_UNPACKED))
    return { entries, value: Buffer.concat([Uint8Array.of(isPacked ? PACKED : WHOLE), content]), hash: '', parts: [] };
  const parts: Buffer[] = [];
  for (let from = 0; from < content.length; from += PART) parts.push(content.subarray(from, from + PART));
  const hash = hashEntry(content);
  const value = Buffer.allocUnsafe(PARTED_LENGTH);
  value[0] = isPacked ? PACKED_PARTED : PARTED;
  value.writeUIntBE(content.length, 1, 6);
  value.writeUInt16BE(parts.length, 7);
  value.set(hash, 9);
  return { entries, value, hash: hash.toString('hex'), parts };
}

function bodyOf(entries: readonly Buffer[]): Buffer {
  const body = Buffer.allocUnsafe(entries.reduce((sum, { length }) => sum + 4 + length, 0));
  let at = 0;
  for (const entry of entries) {
    body.writeUInt32BE(entry.length, at);
    body.set(entry, at + 4);
    at += 4 + entry.length;
  }
  return body;
}

function pack(body: Buffer): Buffer {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
  return brotliCompressSync(body, { params: { [BROTLI_PARAM_QUALITY]: 1, [BROTLI_PARAM_SIZE_HINT]: body.length } });
}

/** Throws Error for what is not packed, or stands for more than `most` bytes. What it stands for is held against the chain of hashes when it is applied. */
function unpack(packed: Buffer, most: number): Buffer {
  try {
    return brotliDecompressSync(packed, { maxOutputLength: most });
  } catch (cause) {
    throw new Error(`a packed group is damaged: ${(cause as Error).message}`, { cause });
  }
}

/** Of a group whose entries are in parts. */
export interface PartedGroup {
  readonly length: number;
  readonly count: number;
  readonly hash: string;
  readonly packed: boolean;
}

export type DecodedGroup = { readonly entries: readonly Buffer[] } | PartedGroup;

/** Throws Error for what is no group. */
export function decodeGroup(value: Buffer): DecodedGroup {
  const [form] = value;
  if (form === WHOLE) return { entries: splitEntries(value.subarray(1)) };
  if (form === PACKED) return { entries: splitEntries(unpack(value.subarray(1), MOST_UNPACKED)) };
  if ((form !== PARTED && form !== PACKED_PARTED) || value.length !== PARTED_LENGTH)
    throw new Error('a group in an unknown format');
  return {
    length: value.readUIntBE(1, 6),
    count: value.readUInt16BE(7),
    hash: value.toString('hex', 9),
    packed: form === PACKED_PARTED,
  };
}

/** Throws Error unless they are what the group tells of. */
export function joinParts(parts: readonly Buffer[], { length, hash, packed }: PartedGroup): readonly Buffer[] {
  const content = Buffer.concat(parts);
  if (content.length !== length || hashEntry(content).toString('hex') !== hash)
    throw new Error('the parts of a group are damaged');
  return splitEntries(packed ? unpack(content, MOST_UNPACKED_PARTED) : content);
}

function splitEntries(body: Buffer): Buffer[] {
  const entries: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const end = at + 4 + (at + 4 <= body.length ? body.readUInt32BE(at) : body.length);
    if (end > body.length) throw new Error('a group is truncated');
    entries.push(body.subarray(at + 4, end));
    at = end;
  }
  if (entries.length === 0) throw new Error('an empty group');
  return entries;
}
