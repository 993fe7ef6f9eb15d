/**
 * The TSIG record (RFC 8945 section 4.2): finds it at the end of a message, parses and writes it.
 */

import { InvalidError } from '../../base/errors.ts';
import type { RequestOpt } from './edns.ts';
import { HEADER_LENGTH, skipName } from './header.ts';
import { MessageReader } from './message-reader.ts';
import type { Name } from './name.ts';
import { TYPE } from './types.ts';

const CLASS_ANY = 255;
/** Type, class, TTL, RDLENGTH. */
const FIXED = 10;
/** Time signed (6), fudge (2), MAC size (2). */
const BEFORE_MAC = 10;
/** Original id, error, length of the other data. */
const AFTER_MAC = 6;

export interface TsigRecord {
  /** Key name, in lower case. */
  readonly owner: Name;
  /** Algorithm name, in lower case. */
  readonly algorithm: Name;
  /** Seconds since 1970 (48 bits). */
  readonly timeSigned: number;
  /** Seconds. */
  readonly fudge: number;
  readonly mac: Uint8Array;
  readonly originalId: number;
  /** See TSIG_ERROR. */
  readonly error: number;
  readonly other: Uint8Array;
}

/** The result of the search. `opt`: null: none was found before the search ended. */
export type Found =
  | { readonly kind: 'none'; readonly opt: RequestOpt | null }
  /** A message that cannot be read to its end, or a TSIG that stands elsewhere than last, twice, or in another form (RFC 8945 5.2). */
  | { readonly kind: 'malformed'; readonly opt: RequestOpt | null }
  | {
      readonly kind: 'found';
      readonly record: TsigRecord;
      /** Offset of the record's first byte. */
      readonly start: number;
      readonly opt: RequestOpt | null;
    };

/** Searches the records of a message from the network. Never throws. */
export function findTsig(message: Uint8Array): Found {
  if (message.length < HEADER_LENGTH) return { kind: 'none', opt: null };
  const count = (offset: number): number => (message[offset] << 8) | message[offset + 1];
  let opt: RequestOpt | null = null;
  const malformed = (): Found => ({ kind: 'malformed', opt });
  let at = HEADER_LENGTH;
  for (let i = count(4); i > 0; i--) {
    at = skipName(message, at, message.length) + 4;
    if (at < HEADER_LENGTH + 5 || at > message.length) return malformed();
  }
  const records = count(6) + count(8) + count(10);
  for (let i = 0; i < records; i++) {
    const start = at;
    const fixed = skipName(message, at, message.length);
    if (fixed === 0 || fixed + FIXED > message.length) return malformed();
    const type = count(fixed);
    at = fixed + FIXED + count(fixed + 8);
    if (at > message.length) return malformed();
    // The class is the UDP size. DO is the first bit of the flags.
    if (type === TYPE.OPT) opt = { udpSize: count(fixed + 2), dnssecOk: (message[fixed + 6] & 0x80) !== 0 };
    if (type !== TYPE.TSIG) continue;
    const isLast = i === records - 1 && count(10) > 0 && at === message.length;
    const isForm = count(fixed + 2) === CLASS_ANY && (count(fixed + 4) | count(fixed + 6)) === 0;
    const record = isLast && isForm ? readRecord(message, start, fixed + FIXED, at) : null;
    return record === null ? malformed() : { kind: 'found', record, start, opt };
  }
  return { kind: 'none', opt };
}

function readRecord(message: Uint8Array, start: number, from: number, end: number): TsigRecord | null {
  const owner = readName(message, start);
  const macAt = skipName(message, from, message.length) + BEFORE_MAC;
  // A name in the rdata must not be compressed (RFC 3597 section 4), so its encoded length must
  // equal the name's length.
  const algorithm = readName(message, from);
  if (owner === null || algorithm === null || from + algorithm.length + BEFORE_MAC !== macAt) return null;
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  if (macAt + AFTER_MAC > end) return null;
  const macEnd = macAt + view.getUint16(macAt - 2);
  if (macEnd + AFTER_MAC > end) return null;
  const otherAt = macEnd + AFTER_MAC;
  if (otherAt + view.getUint16(otherAt - 2) !== end) return null;
  return {
    owner,
    algorithm,
    timeSigned: view.getUint16(macAt - 10) * 0x1_0000_0000 + view.getUint32(macAt - 8),
    fudge: view.getUint16(macAt - 4),
    mac: message.slice(macAt, macEnd),
    originalId: view.getUint16(macEnd),
    error: view.getUint16(macEnd + 2),
    other: message.slice(otherAt, end),
  };
}

/** The name at `at`, decompressed and in lower case; null: malformed. */
export function readName(message: Uint8Array, at: number): Name | null {
  try {
    return new MessageReader(message, at).name();
  } catch (error) {
    if (error instanceof InvalidError) return null;
    throw error;
  }
}

/** Encodes the record to append to a message. */
export function encodeTsig(record: TsigRecord): Buffer {
  const { owner, algorithm, mac, other } = record;
  const rdata = algorithm.length + BEFORE_MAC + mac.length + AFTER_MAC + other.length;
  const bytes = Buffer.alloc(owner.length + FIXED + rdata);
  bytes.set(owner);
  let at = bytes.writeUInt16BE(TYPE.TSIG, owner.length);
  at = bytes.writeUInt16BE(CLASS_ANY, at);
  // The TTL is 0.
  at = bytes.writeUInt16BE(rdata, at + 4);
  bytes.set(algorithm, at);
  at = bytes.writeUIntBE(record.timeSigned, at + algorithm.length, 6);
  at = bytes.writeUInt16BE(record.fudge, at);
  at = bytes.writeUInt16BE(mac.length, at);
  bytes.set(mac, at);
  at = bytes.writeUInt16BE(record.originalId, at + mac.length);
  at = bytes.writeUInt16BE(record.error, at);
  at = bytes.writeUInt16BE(other.length, at);
  bytes.set(other, at);
  return bytes;
}

/** Appends the record to a copy of the message. */
export function appendTsig(message: Uint8Array, record: TsigRecord): Buffer {
  const bytes = Buffer.concat([message, encodeTsig(record)]);
  bytes.writeUInt16BE(bytes.readUInt16BE(10) + 1, 10);
  return bytes;
}

/** A copy of the message without the record, which starts at `start`. */
export function withoutTsig(message: Uint8Array, start: number): Buffer {
  const bytes = Buffer.from(message.subarray(0, start));
  bytes.writeUInt16BE(bytes.readUInt16BE(10) - 1, 10);
  return bytes;
}
