/** The canonical form and order of RRsets, which signatures cover (RFC 4034 section 6). */
import { isWildcard, LOWER, labelCount, type Name } from '../wire/name.ts';
import { signedRdata } from '../wire/rdata/index.ts';
import type { RRset } from '../wire/types.ts';

/** An RRset of any form: names in any case, rdata uncompressed, in any order, with repetitions. */
export interface OwnedRRset extends RRset {
  readonly owner: Name;
}

const CAPITAL_A = 0x41;
const CAPITAL_Z = 0x5a;

/** The name in lower case (RFC 4034 6.1): `name` itself if it is. */
export function lowerCased(name: Name): Name {
  // Length bytes are at most 63, below the capitals in ASCII.
  return hasCapital(name) ? name.map((c) => LOWER[c]) : name;
}

function hasCapital(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] >= CAPITAL_A && bytes[i] <= CAPITAL_Z) return true;
  return false;
}

/** The Labels field of a signature: without the root and the `*` of a wildcard (RFC 4034 3.1.3). */
export function signedLabelCount(owner: Name): number {
  return isWildcard(owner) ? labelCount(owner) - 1 : labelCount(owner);
}

/**
 * The rdata of an RRset in canonical form and order, each once (RFC 4034 6.2, 6.3; RFC 6840 5.1:
 * names in NSEC keep their case). Throws InvalidError `invalid_content` if rdata with capitals is
 * malformed for the type.
 */
export function canonicalRdatas(type: number, rdatas: readonly Uint8Array[]): Uint8Array[] {
  const sorted = rdatas
    // Stored names are in lower case, and checking that costs less than parsing the rdata.
    .map((rdata) => (hasCapital(rdata) ? signedRdata(type, rdata) : rdata))
    .sort(Buffer.compare);
  return sorted.filter((rdata, i) => i === 0 || Buffer.compare(sorted[i - 1], rdata) !== 0);
}

/** Type, class IN and TTL, then the length of the rdata. */
const FIXED_LENGTH = 10;
const CLASS_OFFSET = 3;
const TTL_OFFSET = 4;
const RDLENGTH_OFFSET = 8;

/**
 * The RRset in canonical wire form after `room` bytes for the caller: RR(1) | RR(2)… of RFC 4034
 * 3.1.8.1. The owner of a wildcard's RRset begins with `*`. The TTL is the original one.
 */
export function canonicalWireForm({ owner, type, ttl, rdatas }: OwnedRRset, room = 0): Uint8Array {
  const name = lowerCased(owner);
  const content = canonicalRdatas(type, rdatas);
  let length = room;
  for (const rdata of content) length += name.length + FIXED_LENGTH + rdata.length;
  const bytes = new Uint8Array(length);
  let p = room;
  for (const rdata of content) {
    bytes.set(name, p);
    p += name.length;
    bytes[p] = type >> 8;
    bytes[p + 1] = type;
    bytes[p + CLASS_OFFSET] = 1;
    for (let i = 0; i < 4; i++) bytes[p + TTL_OFFSET + i] = ttl >>> (24 - 8 * i);
    bytes[p + RDLENGTH_OFFSET] = rdata.length >> 8;
    bytes[p + RDLENGTH_OFFSET + 1] = rdata.length;
    bytes.set(rdata, p + FIXED_LENGTH);
    p += FIXED_LENGTH + rdata.length;
  }
  return bytes;
}
