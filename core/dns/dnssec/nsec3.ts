/**
 * Authenticated denial of existence by hashed names (RFC 5155), with the parameters of RFC 9276
 * 3.1: SHA-1, no extra iterations, no salt, no opt-out.
 */
import { InvalidError } from '../../base/errors.ts';
import { formatName, joinNames, LOWER, MAX_NAME, type Name } from '../wire/name.ts';
import { typeBitmap } from '../wire/rdata/type-list.ts';
import { SHA1_LENGTH, SHA1_PADDING, SHA1_WORDS, sha1Again, sha1Blocks, sha1InPlace, sha1LowerCased } from './sha1.ts';

/** Bytes of a hash. */
export const NSEC3_HASH_LENGTH = SHA1_LENGTH;
/** 32-bit words of a hash. */
export const NSEC3_HASH_WORDS = SHA1_WORDS;

/** Rdata of NSEC3PARAM, `1 0 0 -` (RFC 5155 4.2). */
export const NSEC3PARAM_RDATA: Uint8Array = Uint8Array.of(1, 0, 0, 0, 0);

/** Offset of the next hashed owner name in the rdata of our NSEC3 records (RFC 5155 3.2). */
export const NEXT_HASH_OFFSET = NSEC3PARAM_RDATA.length + 1;

/** Characters of the label of a hash: 160 bits in Base32. */
export const NSEC3_LABEL_LENGTH = 32;
/**
 * Maximum length of an apex: NSEC3 owner names of a longer apex exceed 255 bytes (RFC 5155 section
 * 3 and 10.1).
 */
export const MAX_NSEC3_APEX = MAX_NAME - NSEC3_LABEL_LENGTH - 1;

/**
 * Hashes the name in `bytes` from `start` to before `end`, uncompressed and in any case, into the
 * first 5 elements of `words`: big-endian words as signed integers (RFC 5155 section 5). Allocates
 * nothing.
 */
export const hashNameWords: (bytes: Uint8Array, start: number, end: number, words: Int32Array) => void = sha1LowerCased;

const scratch = new Int32Array(SHA1_WORDS);

/** The hash of a name in any case, 20 bytes (RFC 5155 section 5). */
export function hashName(name: Name): Uint8Array {
  sha1LowerCased(name, 0, name.length, scratch);
  const hash = new Uint8Array(SHA1_LENGTH);
  for (let i = 0; i < SHA1_LENGTH; i++) hash[i] = scratch[i >> 2] >>> (24 - 8 * (i & 3));
  return hash;
}

/** A name or a hash, followed by the salt. */
const salted = new Uint8Array(MAX_NAME + 255 + SHA1_PADDING);

/**
 * Hashes the name in `bytes` from `start` to before `end`, in any case, with the salt at
 * `salt[saltAt]` and `iterations` additional iterations (RFC 5155 section 5), as `hashNameWords`
 * does.
 */
export function hashSaltedWords(
  bytes: Uint8Array,
  start: number,
  end: number,
  salt: Uint8Array,
  saltAt: number,
  saltLength: number,
  iterations: number,
  words: Int32Array,
): void {
  let p = 0;
  for (let i = start; i < end; i++) salted[p++] = LOWER[bytes[i]];
  for (let i = 0; i < saltLength; i++) salted[p++] = salt[saltAt + i];
  sha1InPlace(salted, p, words);
  if (iterations > 0) sha1Again(words, salt, saltAt, saltLength, iterations, salted);
}

/**
 * The cost of hashing a name of this length, in SHA-1 blocks of 0.15 µs. It grows with the salt and
 * the iterations.
 */
export function saltedHashBlocks(nameLength: number, saltLength: number, iterations: number): number {
  return sha1Blocks(nameLength + saltLength) + iterations * sha1Blocks(SHA1_LENGTH + saltLength);
}

/**
 * The number of iterations without a salt that cost as much as these iterations with their salt. It
 * equals `iterations` if the salt has 35 bytes or fewer.
 */
export function costInIterations({ iterations, salt }: Nsec3Parameters): number {
  return (iterations + 1) * sha1Blocks(SHA1_LENGTH + salt.length) - 1;
}

/** The NSEC3 parameters of a zone (RFC 5155 section 4). */
export interface Nsec3Parameters {
  readonly iterations: number;
  readonly salt: Uint8Array;
}

/** The hash of a name with the parameters of a zone, 20 bytes. */
export function hashSalted(name: Name, { iterations, salt }: Nsec3Parameters): Uint8Array {
  hashSaltedWords(name, 0, name.length, salt, 0, salt.length, iterations, scratch);
  const hash = new Uint8Array(SHA1_LENGTH);
  for (let i = 0; i < SHA1_LENGTH; i++) hash[i] = scratch[i >> 2] >>> (24 - 8 * (i & 3));
  return hash;
}

/** The hash in the first label of an NSEC3 owner; null: the label is not a SHA-1 hash. */
export function hashOfOwner(owner: Name): Uint8Array | null {
  if (owner[0] !== NSEC3_LABEL_LENGTH) return null;
  const hash = new Uint8Array(SHA1_LENGTH);
  let bits = 0;
  let count = 0;
  let at = 0;
  for (let i = 1; i <= NSEC3_LABEL_LENGTH; i++) {
    const value = VALUES[owner[i]];
    if (value === NO_VALUE) return null;
    bits = ((bits << 5) | value) & 0xfff;
    count += 5;
    if (count < 8) continue;
    count -= 8;
    hash[at++] = bits >>> count;
  }
  return hash;
}

const NO_VALUE = 0xff;
/** Of characters of Base32 with the extended hex alphabet, in either case. */
const VALUES = Uint8Array.from({ length: 256 }, (_, code) => {
  const value = '0123456789abcdefghijklmnopqrstuv'.indexOf(String.fromCharCode(LOWER[code]));
  return value < 0 ? NO_VALUE : value;
});

/** The first 32 bits of a hash of 20 bytes, unsigned. Of words they are `words[0] >>> 0`. */
export function hashPrefix(hash: Uint8Array): number {
  return ((hash[0] << 24) | (hash[1] << 16) | (hash[2] << 8) | hash[3]) >>> 0;
}

/**
 * The owner name of the NSEC3 of a hash: its Base32 label below the apex, in lower case (RFC 5155
 * section 3). Throws InvalidError `invalid_name` if the apex is longer than 222 bytes.
 */
export function nsec3Owner(hash: Uint8Array, apex: Name): Name {
  if (apex.length > MAX_NSEC3_APEX)
    throw new InvalidError(
      'invalid_name',
      `The zone "${formatName(apex).slice(0, 80)}" cannot be signed: its name has ${apex.length} bytes, ` +
        `and the maximum with NSEC3 is ${MAX_NSEC3_APEX}.`,
    );
  const label = new Uint8Array(NSEC3_LABEL_LENGTH + 1);
  label[0] = NSEC3_LABEL_LENGTH;
  writeHashLabel(new DataView(hash.buffer, hash.byteOffset), 0, new DataView(label.buffer), 1);
  return joinNames(label, apex);
}

/**
 * Base32 of 10 bits with the extended hex alphabet (RFC 4648 section 7), in lower case as in stored
 * names: two characters.
 */
const DIGITS = Uint16Array.from({ length: 1024 }, (_, bits) => (digit(bits >>> 5) << 8) | digit(bits & 31));

function digit(bits: number): number {
  return '0123456789abcdefghijklmnopqrstuv'.charCodeAt(bits);
}

/** Writes the Base32 of the hash at an offset of `source`: 40 bits become 8 characters. Hot. */
export function writeHashLabel(source: DataView, from: number, target: DataView, to: number): void {
  let p = to;
  for (let at = from; at < from + SHA1_LENGTH; at += 5) {
    const high = source.getInt32(at);
    const low = source.getUint8(at + 4);
    target.setUint16(p, DIGITS[high >>> 22]);
    target.setUint16(p + 2, DIGITS[(high >>> 12) & 1023]);
    target.setUint16(p + 4, DIGITS[(high >>> 2) & 1023]);
    target.setUint16(p + 6, DIGITS[((high & 3) << 8) | low]);
    p += 8;
  }
}

/**
 * NSEC3 rdata (RFC 5155 3.2). `nextHash`: 20 bytes. `types`: the types at the name, in any order,
 * with RRSIG if the name has signed RRsets (RFC 5155 7.1); empty for an empty non-terminal.
 */
export function nsec3Rdata(nextHash: Uint8Array, types: Iterable<number>): Uint8Array {
  const bitmap = typeBitmap(types);
  const rdata = new Uint8Array(NEXT_HASH_OFFSET + SHA1_LENGTH + bitmap.length);
  rdata.set(NSEC3PARAM_RDATA);
  rdata[NEXT_HASH_OFFSET - 1] = SHA1_LENGTH;
  rdata.set(nextHash, NEXT_HASH_OFFSET);
  rdata.set(bitmap, NEXT_HASH_OFFSET + SHA1_LENGTH);
  return rdata;
}
