/**
 * The keys and values of the journal in etcd, below a prefix:
 *
 *   head                       sequence u48 and hash (32) of the last entry
 *   turn                       claims the next append for a node that lost too often; ignored by
 *                              the others after its deadline (appender.ts)
 *   mandate/<node>             empty; forwarded commits of a node are appended only while this key
 *                              has the revision that the node wrote last
 *   floor                      sequence u48: entries below it are deleted
 *   log/<sequence>             a group, by the sequence of its first entry (12 hexadecimal digits)
 *   part/<sequence>/<hash>/<n> a part of a group that is too large for one request. Parts that
 *                              another node stored for the same sequence are ignored.
 *
 *   group: 1 u8, then the body: for each entry its length u32 and its bytes
 *   or     2 u8, length u48, number of parts u16, hash of the body (32): the parts contain the body
 *   or     3 u8, then the body compressed with Brotli (RFC 7932)
 *   or     4 u8, like 2, but the parts contain the compressed body, which length and hash describe
 *
 * A release that reads only 1 and 2 treats the others as damaged and stops following. So all nodes
 * must have the release that reads them before any node writes them.
 */
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { hashEntry } from '../entry-codec.ts';

const WHOLE = 1;
const PARTED = 2;
const PACKED = 3;
const PACKED_PARTED = 4;
const PARTED_LENGTH = 41;
/** Maximum bytes of a group in one piece. One response of etcd contains several groups. */
const MAX_WHOLE = 128 << 10;
/**
 * Minimum bytes of a group to be compressed. 16 record writes are 9 KB. Brotli at quality 1
 * compresses them to 1.7 KB in 55 µs, and each node decompresses them in 35 µs (deflate at level 1:
 * 110 and 22 µs). etcd needs 100 µs per KB. With four nodes, 2 KB is the break-even point.
 */
const MIN_PACKED = 2 << 10;
/**
 * Maximum bytes after decompression, for a group in one piece and in parts. They protect the memory
 * from a damaged group. Larger groups are not compressed.
 */
const MAX_UNPACKED = 1 << 20;
const MAX_UNPACKED_PARTED = 16 << 20;
/** Bytes of one part. etcd accepts 1.5 MiB in a request. */
export const PART_SIZE = 1 << 20;

export interface Keys {
  readonly head: string;
  readonly turn: string;
  readonly floor: string;
  mandate(node: string): string;
  log(sequence: number): string;
  readonly logEnd: string;
  part(sequence: number, hash: string, n: number): string;
  /** The start of the range of all parts before a sequence; `partsBefore` is its end. */
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
    // "0" is the character after the slash.
    logEnd: `${prefix}log0`,
    part: (sequence, hash, n) => `${prefix}part/${hex(sequence, 12)}/${hash}/${hex(n, 4)}`,
    parts: `${prefix}part/`,
    partsBefore: (sequence) => `${prefix}part/${hex(sequence, 12)}`,
  };
}

export interface EncodedGroup {
  readonly entries: readonly Buffer[];
  /** The value of the group's key in the log. */
  readonly value: Buffer;
  readonly hash: string;
  readonly parts: readonly Buffer[];
}

export function encodeGroup(entries: readonly Buffer[]): EncodedGroup {
  const body = joinEntries(entries);
  const packed = body.length < MIN_PACKED || body.length > MAX_UNPACKED_PARTED ? null : pack(body);
  const isPacked = packed !== null && packed.length < body.length;
  const content = isPacked ? packed : body;
  if (content.length < MAX_WHOLE && (!isPacked || body.length <= MAX_UNPACKED))
    return { entries, value: Buffer.concat([Uint8Array.of(isPacked ? PACKED : WHOLE), content]), hash: '', parts: [] };
  const parts: Buffer[] = [];
  for (let from = 0; from < content.length; from += PART_SIZE) parts.push(content.subarray(from, from + PART_SIZE));
  const hash = hashEntry(content);
  const value = Buffer.allocUnsafe(PARTED_LENGTH);
  value[0] = isPacked ? PACKED_PARTED : PARTED;
  value.writeUIntBE(content.length, 1, 6);
  value.writeUInt16BE(parts.length, 7);
  value.set(hash, 9);
  return { entries, value, hash: hash.toString('hex'), parts };
}

function joinEntries(entries: readonly Buffer[]): Buffer {
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

/**
 * Throws Error for damaged data, or more than `max` bytes. The hash chain verifies the content
 * when it is applied.
 */
function unpack(packed: Buffer, max: number): Buffer {
  try {
    return brotliDecompressSync(packed, { maxOutputLength: max });
  } catch (cause) {
    throw new Error(`a packed group is damaged: ${(cause as Error).message}`, { cause });
  }
}

/** The description of a group whose entries are in parts. */
interface PartedGroup {
  readonly length: number;
  readonly count: number;
  readonly hash: string;
  readonly isPacked: boolean;
}

type DecodedGroup = { readonly entries: readonly Buffer[] } | PartedGroup;

/** Throws Error for a damaged group or an unknown format. */
export function decodeGroup(value: Buffer): DecodedGroup {
  const [form] = value;
  if (form === WHOLE) return { entries: splitEntries(value.subarray(1)) };
  if (form === PACKED) return { entries: splitEntries(unpack(value.subarray(1), MAX_UNPACKED)) };
  if ((form !== PARTED && form !== PACKED_PARTED) || value.length !== PARTED_LENGTH)
    throw new Error('a group in an unknown format');
  return {
    length: value.readUIntBE(1, 6),
    count: value.readUInt16BE(7),
    hash: value.toString('hex', 9),
    isPacked: form === PACKED_PARTED,
  };
}

/** Throws Error if the parts do not match the description. */
export function joinParts(parts: readonly Buffer[], { length, hash, isPacked }: PartedGroup): readonly Buffer[] {
  const content = Buffer.concat(parts);
  if (content.length !== length || hashEntry(content).toString('hex') !== hash)
    throw new Error('the parts of a group are damaged');
  return splitEntries(isPacked ? unpack(content, MAX_UNPACKED_PARTED) : content);
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
