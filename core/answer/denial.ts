/**
 * The proofs of a response: hashes of names, for each of which the NSEC3 record that matches or
 * covers it is sent (RFC 5155 section 7.2). One object per thread; nothing is allocated per packet.
 */

import { hashNameWords, NSEC3_HASH_WORDS } from '../dnssec/nsec3.ts';
import { HASH_LENGTH, NAME_LENGTH_AT } from '../store/answers.ts';
import {
  CHUNK_COUNT_WORD,
  directoryStart,
  ENTRY_COUNT_WORD,
  FIRST_CHUNK_WORD,
  FIRST_ENTRY_WORD,
} from '../store/index/denial-layout.ts';
import { ENTRY_COUNT_AT, ENTRY_HASH_AT, ENTRY_HEADER } from '../store/nsec3-entries.ts';
import { copyBytes } from './copy-bytes.ts';
import type { IndexReader } from './index-reader.ts';

/** Maximum proofs of a response: a chain has at most 16 names, of which the last needs three. */
const MAX_PROOFS = 24;
/** Characters of a hash in Base32. */
const LABEL = 32;
/** Compression pointers have 14 bits. */
const LAST_POINTER = 0x3fff;
const DIGITS = Uint8Array.from(Buffer.from('0123456789abcdefghijklmnopqrstuv'));

/** What a hash must be: of a name that exists, of a name that does not, or either. */
export const PROOF = { ANY: 0, MATCH: 1, COVER: 2 } as const;

/** Results of `write` that are no offset. */
export const NO_ROOM = -1;
/** The zone has changed since the lookup. */
export const CHANGED = -2;

export class Denial {
  /** Number of records that `write` has written. */
  records = 0;
  #count = 0;
  readonly #index: IndexReader;
  /** The hashes, 5 words each. */
  readonly #hashes = new Int32Array(MAX_PROOFS * NSEC3_HASH_WORDS);
  readonly #kinds = new Uint8Array(MAX_PROOFS);
  readonly #hash = new Int32Array(NSEC3_HASH_WORDS);
  /** First 64 bits of the hashes of the entries that have been written. */
  readonly #written = new Int32Array(MAX_PROOFS * 2);
  /** For entries in the store: where the apex is, and a hash. */
  #packet: Uint8Array = new Uint8Array(0);
  #apexAt = 0;
  readonly #bytes = new Uint8Array(HASH_LENGTH);

  constructor(index: IndexReader) {
    this.#index = index;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  clear(): void {
    this.#count = 0;
  }

  /** Adds the name at bytes[from, end). */
  addName(bytes: Uint8Array, from: number, end: number, kind: number): void {
    const hash = this.#hash;
    hashNameWords(bytes, from, end, hash);
    if (this.#count === MAX_PROOFS) return;
    const at = this.#count * NSEC3_HASH_WORDS;
    for (let i = 0; i < NSEC3_HASH_WORDS; i++) this.#hashes[at + i] = hash[i];
    this.#kinds[this.#count++] = kind;
  }

  /** Adds the hash at nodes[from]. */
  addHash(nodes: Uint8Array, from: number, kind: number): void {
    if (this.#count === MAX_PROOFS) return;
    const at = this.#count * NSEC3_HASH_WORDS;
    for (let i = 0; i < NSEC3_HASH_WORDS; i++) this.#hashes[at + i] = wordAt(nodes, from + i * 4);
    this.#kinds[this.#count++] = kind;
  }

  /**
   * Writes the records at `p`, up to `limit`. `view`: of the buffer. `directory`: of the zone; 0:
   * it has none in the arena. `apexPointer`: offset of the apex in the message, which starts at
   * `start`. Returns the offset after them, NO_ROOM or CHANGED.
   */
  write(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    from: number,
    limit: number,
    directory: number,
    apexPointer: number,
  ): number {
    const written = this.#written;
    this.records = 0;
    this.#packet = bytes;
    this.#apexAt = start + apexPointer;
    let p = from;
    let entries = 0;
    for (let proof = 0; proof < this.#count; proof++) {
      const entry = this.#find(directory, proof);
      if (entry === 0) return CHANGED;
      const nodes = this.#index.bytes;
      const first = wordAt(nodes, entry + ENTRY_HASH_AT);
      const second = wordAt(nodes, entry + ENTRY_HASH_AT + 4);
      let i = 0;
      while (i < entries && (written[i * 2] !== first || written[i * 2 + 1] !== second)) i++;
      if (i < entries) continue;
      written[entries * 2] = first;
      written[entries * 2 + 1] = second;
      entries++;
      p = this.#writeEntry(bytes, view, start, p, limit, entry, apexPointer);
      if (p === NO_ROOM) return NO_ROOM;
    }
    return p;
  }

  #writeEntry(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    from: number,
    limit: number,
    entry: number,
    apexPointer: number,
  ): number {
    const nodes = this.#index.bytes;
    const count = nodes[entry + ENTRY_COUNT_AT];
    const size = wordAt(nodes, entry) - ENTRY_HEADER;
    const owner = from - start;
    const isPointed = owner <= LAST_POINTER;
    const owners = LABEL + 3 + (count - 1) * (isPointed ? 2 : LABEL + 3);
    if (from + owners + size > limit) return NO_ROOM;
    let p = from;
    let at = entry + ENTRY_HEADER;
    for (let record = 0; record < count; record++) {
      if (record > 0 && isPointed) {
        bytes[p++] = 0xc0 | (owner >>> 8);
        bytes[p++] = owner;
      } else {
        bytes[p++] = LABEL;
        p = writeBase32(nodes, entry + ENTRY_HASH_AT, bytes, p);
        bytes[p++] = 0xc0 | (apexPointer >>> 8);
        bytes[p++] = apexPointer;
      }
      const end = at + 10 + ((nodes[at + 8] << 8) | nodes[at + 9]);
      copyBytes(this.#index.view, at, view, p, end - at);
      p += end - at;
      at = end;
    }
    this.records += count;
    return p;
  }

  /** Finds an entry in the store. */
  #fetch(proof: number): number {
    const { bytes } = this.#index;
    const hashes = this.#hashes;
    const first = proof * NSEC3_HASH_WORDS;
    const kind = this.#kinds[proof];
    for (let i = 0; i < HASH_LENGTH; i++) this.#bytes[i] = hashes[first + (i >> 2)] >>> (24 - (i & 3) * 8);
    const entry = this.#index.fetchEntry(this.#packet, this.#apexAt, this.#bytes);
    if (entry === 0 || kind === PROOF.ANY) return entry;
    return (compareHash(bytes, entry + ENTRY_HASH_AT, hashes, first) === 0) === (kind === PROOF.MATCH) ? entry : 0;
  }

  /**
   * The entry with the greatest hash that is not above the proof's, in a circle. 0: not as
   * expected.
   */
  #find(directory: number, proof: number): number {
    const { words, bytes } = this.#index;
    const hashes = this.#hashes;
    const first = proof * NSEC3_HASH_WORDS;
    if (directory === 0) return this.#fetch(proof);
    // Compared as signed numbers with the highest bit inverted.
    const prefix = hashes[first] ^ SIGN;
    const start = ((directory + directoryStart(bytes[directory + NAME_LENGTH_AT])) >>> 2) + FIRST_CHUNK_WORD;
    const chunks = words[start - FIRST_CHUNK_WORD + CHUNK_COUNT_WORD];
    if (chunks === 0) return this.#fetch(proof);
    let low = 0;
    for (let high = chunks; high - low > 1; ) {
      const middle = (low + high) >>> 1;
      if ((words[start + middle * 2] ^ SIGN) <= prefix) low = middle;
      else high = middle;
    }
    let chunk = Atomics.load(words, start + low * 2 + 1) * 2;
    let index = -1;
    for (let high = words[chunk + ENTRY_COUNT_WORD]; high - index > 1; ) {
      const middle = (index + high) >>> 1;
      if ((words[chunk + FIRST_ENTRY_WORD + middle * 2] ^ SIGN) <= prefix) index = middle;
      else high = middle;
    }
    for (;;) {
      if (index < 0) {
        chunk = Atomics.load(words, start + (low === 0 ? chunks - 1 : low - 1) * 2 + 1) * 2;
        index = words[chunk + ENTRY_COUNT_WORD] - 1;
        const entry = Atomics.load(words, chunk + FIRST_ENTRY_WORD + index * 2 + 1) * 8;
        if (entry < 0) return this.#fetch(proof);
        return this.#kinds[proof] === PROOF.MATCH ? 0 : entry;
      }
      const pair = chunk + FIRST_ENTRY_WORD + index * 2;
      const entry = Atomics.load(words, pair + 1) * 8;
      if (entry < 0) return this.#fetch(proof);
      if (words[pair] !== hashes[first]) return this.#kinds[proof] === PROOF.MATCH ? 0 : entry;
      // The same first 32 bits, most often the same hash.
      const order = compareHash(bytes, entry + ENTRY_HASH_AT, hashes, first);
      if (order === 0) return this.#kinds[proof] === PROOF.COVER ? 0 : entry;
      if (order < 0) return this.#kinds[proof] === PROOF.MATCH ? 0 : entry;
      index--;
    }
  }
}

const SIGN = 0x80000000 | 0;

const wordAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];

/** Negative: the hash at bytes[at] is before the other one. */
function compareHash(bytes: Uint8Array, at: number, hashes: Int32Array, first: number): number {
  for (let i = 0; i < HASH_LENGTH; i++) {
    const other = (hashes[first + (i >> 2)] >>> (24 - (i & 3) * 8)) & 0xff;
    if (bytes[at + i] !== other) return bytes[at + i] - other;
  }
  return 0;
}

/** Base32 with the extended hex alphabet (RFC 4648 section 7): 40 bits become 8 characters. */
function writeBase32(nodes: Uint8Array, from: number, bytes: Uint8Array, to: number): number {
  let p = to;
  for (let at = from; at < from + HASH_LENGTH; at += 5) {
    const a = nodes[at];
    const b = nodes[at + 1];
    const c = nodes[at + 2];
    const d = nodes[at + 3];
    const e = nodes[at + 4];
    bytes[p] = DIGITS[a >>> 3];
    bytes[p + 1] = DIGITS[((a << 2) | (b >>> 6)) & 31];
    bytes[p + 2] = DIGITS[(b >>> 1) & 31];
    bytes[p + 3] = DIGITS[((b << 4) | (c >>> 4)) & 31];
    bytes[p + 4] = DIGITS[((c << 1) | (d >>> 7)) & 31];
    bytes[p + 5] = DIGITS[(d >>> 2) & 31];
    bytes[p + 6] = DIGITS[((d << 3) | (e >>> 5)) & 31];
    bytes[p + 7] = DIGITS[e & 31];
    p += 8;
  }
  return p;
}
