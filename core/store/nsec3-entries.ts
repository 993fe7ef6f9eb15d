/**
 * NSEC3 entries: an NSEC3 record with its signatures, for a name of a signed zone. The nsec3 table
 * and the arena of the index have the same bytes; in the table, the name follows. Multi-byte fields
 * are big-endian.
 *
 *     0  size      u32   of the entry
 *     4  hash      20    of the name; the owner of the records is its Base32hex below the apex
 *    24  records   u8    the NSEC3, then its RRSIGs; 0 in the table: signed later
 *    25  owner     u8    for an NSEC record: bytes of its owner below the apex; otherwise 0
 *    26  each record without its owner: type, class, TTL, length of the rdata, rdata
 *
 * NSEC records of a presigned zone are in the same table. In place of the hash they have an order
 * number, which sorts them in the canonical order of their owners (ordered-entries.ts). After the
 * records follow the owner without the apex, the same in the form of keys (store/keys.ts), and the
 * length of that form (u16).
 */
import { CLASS_IN, type RRset } from '../dns/wire/types.ts';
import { HASH_LENGTH } from './answers.ts';

export const ENTRY_HASH_AT = 4;
export const ENTRY_COUNT_AT = 24;
export const ENTRY_OWNER_AT = 25;
export const ENTRY_HEADER = 26;
/** Bytes of the length field at the end of the entry of an NSEC record. */
export const ENTRY_KEY_LENGTH = 2;

/** Type, class, TTL and length of the rdata. */
const RECORD_HEADER = 10;

/**
 * The owner of an NSEC record below the apex: in wire form without the root label, and in the form
 * of keys.
 */
export interface EntryOwner {
  readonly labels: Uint8Array;
  readonly key: Uint8Array;
}

/**
 * `nsec3`: a single record. `signatures`: any number of records. `name`: in wire form. `owner`:
 * only for an NSEC record.
 */
export function encodeEntry(
  hash: Uint8Array,
  nsec3: RRset,
  signatures: RRset,
  name: Uint8Array,
  owner?: EntryOwner,
): Buffer {
  const records = [nsec3, signatures].flatMap(({ type, ttl, rdatas }) => rdatas.map((rdata) => ({ type, ttl, rdata })));
  const ownerSize = owner === undefined ? 0 : owner.labels.length + owner.key.length + ENTRY_KEY_LENGTH;
  const size = records.reduce((sum, { rdata }) => sum + RECORD_HEADER + rdata.length, ENTRY_HEADER + ownerSize);
  const entry = Buffer.allocUnsafe(size + name.length);
  entry.writeUInt32BE(size, 0);
  entry.set(hash, ENTRY_HASH_AT);
  entry[ENTRY_COUNT_AT] = records.length;
  entry[ENTRY_OWNER_AT] = owner?.labels.length ?? 0;
  let at = ENTRY_HEADER;
  for (const { type, ttl, rdata } of records) {
    at = entry.writeUInt16BE(type, at);
    at = entry.writeUInt16BE(CLASS_IN, at);
    at = entry.writeUInt32BE(ttl, at);
    at = entry.writeUInt16BE(rdata.length, at);
    entry.set(rdata, at);
    at += rdata.length;
  }
  if (owner !== undefined) {
    entry.set(owner.labels, at);
    at += owner.labels.length;
    entry.set(owner.key, at);
    at = entry.writeUInt16BE(owner.key.length, at + owner.key.length);
  }
  entry.set(name, at);
  return entry;
}

/** The owner of a stored NSEC record in the form of keys, without the apex. */
export function entryKey(stored: Buffer): Buffer {
  const end = stored.readUInt32BE(0) - ENTRY_KEY_LENGTH;
  return stored.subarray(end - stored.readUInt16BE(end), end);
}

/** The entry of a name that will be signed later. It has no records. */
export function encodeListed(hash: Uint8Array, name: Uint8Array): Buffer {
  const entry = Buffer.alloc(ENTRY_HEADER + name.length);
  entry.writeUInt32BE(ENTRY_HEADER, 0);
  entry.set(hash, ENTRY_HASH_AT);
  entry.set(name, ENTRY_HEADER);
  return entry;
}

/** Whether an entry has no records yet. Such entries are not in the index. */
export const isListedOnly = (stored: Uint8Array): boolean => stored[ENTRY_COUNT_AT] === 0;

/** The entry without the name. */
export const entryOf = (stored: Buffer): Buffer => stored.subarray(0, stored.readUInt32BE(0));

/** The name of a stored entry. */
export const entryName = (stored: Buffer): Uint8Array => stored.subarray(stored.readUInt32BE(0));

export const entryHash = (stored: Uint8Array): Uint8Array =>
  stored.subarray(ENTRY_HASH_AT, ENTRY_HASH_AT + HASH_LENGTH);

/** The records of an entry, in order. */
export function* entryRecords(stored: Buffer): Generator<{ type: number; ttl: number; rdata: Buffer }> {
  let at = ENTRY_HEADER;
  for (let i = 0; i < stored[ENTRY_COUNT_AT]; i++) {
    const end = at + RECORD_HEADER + stored.readUInt16BE(at + 8);
    const rdata = stored.subarray(at + RECORD_HEADER, end);
    yield { type: stored.readUInt16BE(at), ttl: stored.readUInt32BE(at + 4), rdata };
    at = end;
  }
}
