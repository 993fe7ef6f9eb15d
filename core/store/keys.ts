/**
 * Every key of the store is built here.
 *
 * Keys store names in a canonical form: labels from the root down, each ended by 0x00. The bytes
 * 0x00 and 0x01 of a label are escaped as 0x01 0x01 and 0x01 0x02. So comparing bytes sorts names
 * in canonical order (RFC 4034 section 6.1). `nameKey(n)` is a prefix of the keys of n and of all
 * names below n, and of no others.
 *
 *   records   domain id (8) · nameKey · 0x00 · type (2) · record id (8)
 *   answers   nameKey; of a zone's apex: 0x00 · nameKey
 *   comments, disabled_records  domain id (8) · nameKey · 0x00 · type (2)
 *   steerings   domain id (8) · nameKey · 0x00 · type (2)
 *   steering_versions   domain id (8) · nameKey · 0x00 · type (2) · revision (8)
 *   targets   domain id (8) · nameKey(target) · 0x00 · nameKey(owner) · 0x00 · type (2) ·
 *             record id (8)
 *   aliases   nameKey(target) · 0x00 · domain id (8) · nameKey(owner) · 0x00 · type (2) ·
 *             record id (8)
 *   alias_targets   nameKey(target)
 *   nsec3     domain id (8) · hash (20)
 *   zones, domains, accounts, tokens, token_uses, sessions, tsig_keys, proxies, certificates,
 *   automatic_certificates, acme_orders, dnssec, dnssec_states, delegations, secondaries,
 *   zone_labels, deleted_domains   id (8)
 *   purges    domain id (8) · id (8)
 *   site_documents    domain id (8) · kind (1)
 *   site_document_versions   domain id (8) · kind (1) · revision (8)
 *   spellings domain id (8) · nameKey
 *   origin_health     domain id (8) · region (0 to 32)
 *   ids       number of the table that the ids belong to (1)
 *   acme_challenges   domain id (8) · hash of type and token (16)
 *   acme_accounts     hash of directory and external account (16)
 *   audit     account id (8) · id (8)
 *   apps      the id of the app in lower case
 *   uploads, reports, webhooks   id (8)
 *   webhook_deliveries   webhook id (8) · id (8)
 *   webhook_queue        eight zero bytes (a single row)
 *   store_keys   number (8)
 *   ticket_keys, renumberings   eight zero bytes (a single row)
 *   usage     account id (8)
 *   sites     domain id (8)
 *   domain_orders   see core/store/domain-orders.ts
 *   totps     account id (8)
 *   passkeys  id (8)
 *   spent_challenges   time of expiry (6) · random bytes (16)
 *   history   domain id (8) · sequence (8)
 *   idempotency   hash of account and key (16)
 *   journal   sequence (8)
 *   lookups   kind (1, see LOOKUP) · the value that is looked up
 */
import type { Name } from '../dns/wire/name.ts';

/** First byte of a key in the lookups table; the value is the key of the row in its own table. */
export const LOOKUP = {
  login: 0x6c,
  domainName: 0x6e,
  accountDomain: 0x61,
  catalog: 0x65,
  consumer: 0x78,
  listed: 0x6d,
  audit: 0x75,
  record: 0x72,
  accountToken: 0x74,
  legacyToken: 0x6f,
  accountSession: 0x77,
  accountTsigKey: 0x6b,
  tsigName: 0x73,
  accountApp: 0x70,
  appUpload: 0x76,
  appVersion: 0x63,
  uploadState: 0x71,
  accountPasskey: 0x79,
  passkeyCredential: 0x7a,
  storeKey: 0x62,
  accountWebhook: 0x68,
  accountBin: 0x64,
  purgeTime: 0x67,
} as const;

/**
 * Appends the canonical form of the name at `bytes[from]` to `out` at `at`; returns the end.
 * Allocates nothing.
 */
export function writeNameKey(bytes: Uint8Array, from: number, out: Uint8Array, at: number): number {
  let labels = 0;
  for (let p = from; bytes[p] !== 0; p += bytes[p] + 1) STARTS[labels++] = p;
  while (labels > 0) {
    const start = STARTS[--labels];
    const end = start + bytes[start];
    for (let i = start + 1; i <= end; i++) {
      const byte = bytes[i];
      const c = byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte;
      if (c <= 1) out[at++] = 1;
      out[at++] = c <= 1 ? c + 1 : c;
    }
    out[at++] = 0;
  }
  return at;
}
const STARTS = new Int32Array(128);
const SCRATCH = new Uint8Array(1024);

/**
 * Copies the first bytes of SCRATCH. Most keys have less than a hundred bytes, for which a loop is
 * faster than creating a view.
 */
function copyScratch(length: number): Buffer {
  const key = Buffer.allocUnsafe(length);
  for (let i = 0; i < length; i++) key[i] = SCRATCH[i];
  return key;
}

export function nameKey(name: Name): Buffer {
  return copyScratch(writeNameKey(name, 0, SCRATCH, 0));
}

/** The lookup of a domain by its apex; a prefix of the lookups of all domains below it. */
export function domainNameKey(apex: Name): Buffer {
  return prefixedNameKey(LOOKUP.domainName, apex);
}

/**
 * The key of an apex's node in the answers table. Every change of a zone changes the serial in this
 * node. All apexes are next to each other, many to a page; next to their zones' names, each would
 * dirty a page of its own.
 */
export function apexKey(name: Name): Buffer {
  return prefixedNameKey(0, name);
}

function prefixedNameKey(value: number, name: Name): Buffer {
  SCRATCH[0] = value;
  return copyScratch(writeNameKey(name, 0, SCRATCH, 1));
}

/** Returns the name whose canonical form is in `key[from, to)`. */
export function nameOfKey(key: Uint8Array, from: number, to: number): Name {
  // A label takes the same space with a length byte as with a final 0x00. An escaped byte takes one
  // more in the key.
  let size = to - from + 1;
  for (let i = from; i < to; i++)
    if (key[i] === 1) {
      size--;
      i++;
    }
  const name = new Uint8Array(size);
  // The key starts at the root, so the name is filled from its end.
  let end = size - 1;
  for (let i = from; i < to; ) {
    let stop = i;
    let length = 0;
    for (; key[stop] !== 0; stop++, length++) if (key[stop] === 1) stop++;
    end -= length + 1;
    name[end] = length;
    for (let o = end + 1; i < stop; i++) name[o++] = key[i] === 1 ? key[++i] - 1 : key[i];
    i = stop + 1;
  }
  return name;
}

/** An integer from 1 to 2^53 - 1. 8 bytes big-endian in keys. */
export type Id = number;

const HIGH = 2 ** 32;

export function writeId(id: Id, key: Buffer, at: number): void {
  key.writeUInt32BE(Math.floor(id / HIGH), at);
  key.writeUInt32BE(id >>> 0, at + 4);
}

/** Reads the id in the 8 bytes of `key` from `at`. */
export function idAt(key: Uint8Array, at = 0): Id {
  let id = 0;
  for (let i = at; i < at + 8; i++) id = id * 256 + key[i];
  return id;
}

export function idKey(id: Id): Buffer {
  const key = Buffer.allocUnsafe(8);
  writeId(id, key, 0);
  return key;
}

/** The key of an app. Ids of apps are case-insensitive. */
export function appKey(appId: string): Buffer {
  return Buffer.from(appId.toLowerCase());
}

/** Bytes of a time key. */
export const TIME_KEY = 13;

/**
 * Sorts by time, in seconds since 1970, then by id. Ids alone do not sort by time: each node leases
 * its own blocks of ids.
 */
export function timeKey({ createdAt, id }: { readonly createdAt: number; readonly id: Id }): Buffer {
  const key = Buffer.allocUnsafe(TIME_KEY);
  key.writeUIntBE(createdAt, 0, 5);
  writeId(id, key, 5);
  return key;
}

/** Sorts in the opposite order of `key`. */
export function reversed(key: Buffer): Buffer {
  const other = Buffer.from(key);
  for (let i = 0; i < other.length; i++) other[i] ^= 0xff;
  return other;
}

export function recordsOfZone(domainId: Id): Buffer {
  return idKey(domainId);
}

/** Prefix of the records at a name and at all names below it. */
export function recordsBelow(domainId: Id, name: Name): Buffer {
  return prefixed(domainId, name, 0);
}

/** Prefix of the records at exactly this name. */
export function recordsAt(domainId: Id, name: Name): Buffer {
  return prefixed(domainId, name, 1);
}

/** Prefix of the records of one type at exactly this name. */
export function recordsOfType(domainId: Id, name: Name, type: number): Buffer {
  const key = prefixed(domainId, name, 3);
  key.writeUInt16BE(type, key.length - 2);
  return key;
}

export function recordKey(domainId: Id, name: Name, type: number, id: Id): Buffer {
  const key = prefixed(domainId, name, 11);
  const at = key.length - 10;
  key.writeUInt16BE(type, at);
  writeId(id, key, at + 2);
  return key;
}

/** Parses a record's key. `nameEnd`: offset of the end of the canonical name. */
export function recordKeyParts(key: Uint8Array): { nameEnd: number; type: number } {
  const at = key.length - 10;
  return { nameEnd: at - 1, type: (key[at] << 8) | key[at + 1] };
}

/** Prefix of the target entries whose target is at or below a name. */
export function targetsBelow(domainId: Id, target: Name): Buffer {
  return prefixed(domainId, target, 0);
}

export function targetsAt(domainId: Id, target: Name): Buffer {
  return prefixed(domainId, target, 1);
}

/** The target entry of the record with this key. */
export function targetKey(target: Name, key: Uint8Array): Buffer {
  let at = writeNameKey(target, 0, SCRATCH, 8);
  SCRATCH[at++] = 0;
  SCRATCH.set(key.subarray(0, 8));
  return Buffer.concat([SCRATCH.subarray(0, at), key.subarray(8)]);
}

/** Parses a target entry. */
export function targetKeyParts(key: Uint8Array): { target: Name; owner: Name; type: number } {
  // The target's labels end where a 0x00 follows a 0x00 (or the domain id, for the root).
  let i = 8;
  while (key[i] !== 0) {
    while (key[i] !== 0) i += key[i] === 1 ? 2 : 1;
    i++;
  }
  const { nameEnd, type } = recordKeyParts(key);
  return { target: nameOfKey(key, 8, i), owner: nameOfKey(key, i + 1, nameEnd), type };
}

/** Prefix of the entries of all owners of ALIAS records with this target. */
export function aliasOwners(target: Name): Buffer {
  return Buffer.concat([nameKey(target), Uint8Array.of(0)]);
}

/** The entry of the ALIAS record with this key: `aliasOwners`, then the record's own key. */
export function aliasOwnerKey(target: Name, key: Uint8Array): Buffer {
  return Buffer.concat([aliasOwners(target), key]);
}

/** Parses an entry of the aliases table. */
export function aliasOwnerParts(key: Uint8Array): { target: Name; domainId: Id; owner: Name; recordKey: Buffer } {
  let end = 0;
  while (key[end] !== 0) {
    while (key[end] !== 0) end += key[end] === 1 ? 2 : 1;
    end++;
  }
  const ownKey = Buffer.from(key.buffer, key.byteOffset + end + 1, key.length - end - 1);
  const { nameEnd } = recordKeyParts(ownKey);
  return {
    target: nameOfKey(key, 0, end),
    domainId: idAt(ownKey),
    owner: nameOfKey(ownKey, 8, nameEnd),
    recordKey: ownKey,
  };
}

/** `tail`: number of zero bytes after the name. */
function prefixed(domainId: Id, name: Name, tail: number): Buffer {
  const end = writeNameKey(name, 0, SCRATCH, 8);
  for (let i = end; i < end + tail; i++) SCRATCH[i] = 0;
  const key = copyScratch(end + tail);
  writeId(domainId, key, 0);
  return key;
}

export function sequenceKey(sequence: number): Buffer {
  const key = Buffer.allocUnsafe(8);
  key.writeUInt16BE(0, 0);
  key.writeUIntBE(sequence, 2, 6);
  return key;
}

export function lookupKey(kind: number, ...parts: Uint8Array[]): Buffer {
  let length = 1;
  for (const part of parts) length += part.length;
  const key = Buffer.allocUnsafe(length);
  key[0] = kind;
  let at = 1;
  for (const part of parts) {
    key.set(part, at);
    at += part.length;
  }
  return key;
}

/** The smallest key greater than all keys with this prefix; undefined: there is none. */
export function afterPrefix(prefix: Uint8Array): Buffer | undefined {
  let n = prefix.length;
  while (n > 0 && prefix[n - 1] === 0xff) n--;
  if (n === 0) return undefined;
  const end = Buffer.from(prefix.subarray(0, n));
  end[n - 1]++;
  return end;
}

/** The key of an NSEC3 entry. */
export function nsec3Key(domainId: Id, hash: Uint8Array): Buffer {
  const key = Buffer.allocUnsafe(8 + hash.length);
  writeId(domainId, key, 0);
  key.set(hash, 8);
  return key;
}
