/**
 * What the journal keeps in etcd, below a prefix:
 *
 *   head                       sequence u48 and hash (32) of the last entry
 *   turn                       there while a node that others were sooner than again and again is to be next
 *   floor                      sequence u48: entries below it are gone
 *   log/<sequence>             a group of entries, by the sequence of its first (12 hexadecimal digits)
 *   part/<sequence>/<hash>/<n> what is too large for one request, for the group that is to have this place; one of another node may lie beside it and comes to nothing
 *
 *   group: 1 u8, then of each entry its length u32 and its bytes
 *   or     2 u8, length u48, count of parts u16, hash of the whole (32): the parts hold what would stand after the 1
 */
import { hashEntry } from '../changes.ts';

const WHOLE = 1;
const PARTED = 2;
const PARTED_LENGTH = 41;
/** Octets of a group that is in one piece. A look has several of them in one answer. */
const MOST_WHOLE = 128 << 10;
/** Octets of one part. etcd takes 1.5 MiB in a request. */
export const PART = 1 << 20;

export interface Keys {
  readonly head: string;
  readonly turn: string;
  readonly floor: string;
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
    log: (sequence) => `${prefix}log/${hex(sequence, 12)}`,
    // The character after the slash.
    logEnd: `${prefix}log0`,
    part: (sequence, hash, n) => `${prefix}part/${hex(sequence, 12)}/${hash}/${hex(n, 4)}`,
    parts: `${prefix}part/`,
    partsBefore: (sequence) => `${prefix}part/${hex(sequence, 12)}`,
  };
}

export interface EncodedGroup {
  /** Of the key of the log. */
  readonly value: Buffer;
  readonly hash: string;
  readonly parts: readonly Buffer[];
}

export function encodeGroup(entries: readonly Buffer[]): EncodedGroup {
  const total = entries.reduce((sum, { length }) => sum + 4 + length, 1);
  const whole = Buffer.allocUnsafe(total);
  whole[0] = WHOLE;
  let at = 1;
  for (const entry of entries) {
    whole.writeUInt32BE(entry.length, at);
    whole.set(entry, at + 4);
    at += 4 + entry.length;
  }
  if (total <= MOST_WHOLE) return { value: whole, hash: '', parts: [] };
  const body = whole.subarray(1);
  const parts: Buffer[] = [];
  for (let from = 0; from < body.length; from += PART) parts.push(body.subarray(from, from + PART));
  const hash = hashEntry(body);
  const value = Buffer.allocUnsafe(PARTED_LENGTH);
  value[0] = PARTED;
  value.writeUIntBE(body.length, 1, 6);
  value.writeUInt16BE(parts.length, 7);
  value.set(hash, 9);
  return { value, hash: hash.toString('hex'), parts };
}

export type DecodedGroup =
  | { readonly entries: readonly Buffer[] }
  | { readonly length: number; readonly count: number; readonly hash: string };

/** Throws Error for what is no group. */
export function decodeGroup(value: Buffer): DecodedGroup {
  if (value[0] === WHOLE) return { entries: splitEntries(value.subarray(1)) };
  if (value[0] !== PARTED || value.length !== PARTED_LENGTH) throw new Error('a group of unknown form');
  return { length: value.readUIntBE(1, 6), count: value.readUInt16BE(7), hash: value.toString('hex', 9) };
}

/** Throws Error unless they are what the group tells of. */
export function joinParts(parts: readonly Buffer[], length: number, hash: string): readonly Buffer[] {
  const body = Buffer.concat(parts);
  if (body.length !== length || hashEntry(body).toString('hex') !== hash)
    throw new Error('the parts of a group are damaged');
  return splitEntries(body);
}

function splitEntries(body: Buffer): Buffer[] {
  const entries: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const end = at + 4 + (at + 4 <= body.length ? body.readUInt32BE(at) : body.length);
    if (end > body.length) throw new Error('a group is cut short');
    entries.push(body.subarray(at + 4, end));
    at = end;
  }
  if (entries.length === 0) throw new Error('an empty group');
  return entries;
}
