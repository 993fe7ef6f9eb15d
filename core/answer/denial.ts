/**
 * The proofs of a response: hashes of names, for each of which the NSEC3 record that matches or
 * covers it is sent (RFC 5155 section 7.2). One object per thread; nothing is allocated per packet.
 */

import { hashNameWords, NSEC3_HASH_WORDS, NSEC3_LABEL_LENGTH, writeHashLabel } from '../dnssec/nsec3.ts';
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
/** Compression pointers have 14 bits. */
const LAST_POINTER = 0x3fff;

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

  /** Adds the hash at an offset of the arena. */
  addHash(from: number, kind: number): void {
    if (this.#count === MAX_PROOFS) return;
    const at = this.#count * NSEC3_HASH_WORDS;
    const { view } = this.#index;
    for (let i = 0; i < NSEC3_HASH_WORDS; i++) this.#hashes[at + i] = view.getInt32(from + i * 4);
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
      const nodes = this.#index.view;
      const first = nodes.getInt32(entry + ENTRY_HASH_AT);
      const second = nodes.getInt32(entry + ENTRY_HASH_AT + 4);
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
    const nodes = this.#index.view;
    const count = nodes.getUint8(entry + ENTRY_COUNT_AT);
    const size = nodes.getInt32(entry) - ENTRY_HEADER;
    const owner = from - start;
    const isPointed = owner <= LAST_POINTER;
    const owners = NSEC3_LABEL_LENGTH + 3 + (count - 1) * (isPointed ? 2 : NSEC3_LABEL_LENGTH + 3);
    if (from + owners + size > limit) return NO_ROOM;
    let p = from;
    let at = entry + ENTRY_HEADER;
    for (let record = 0; record < count; record++) {
      if (record > 0 && isPointed) {
        bytes[p++] = 0xc0 | (owner >>> 8);
        bytes[p++] = owner;
      } else {
        bytes[p++] = NSEC3_LABEL_LENGTH;
        writeHashLabel(nodes, entry + ENTRY_HASH_AT, view, p);
        p += NSEC3_LABEL_LENGTH;
        bytes[p++] = 0xc0 | (apexPointer >>> 8);
        bytes[p++] = apexPointer;
      }
      const end = at + 10 + nodes.getUint16(at + 8);
      copyBytes(nodes, at, view, p, end - at);
      p += end - at;
      at = end;
    }
    this.records += count;
    return p;
  }

  /** Finds an entry in the store. */
  #fetch(proof: number): number {
    const { view } = this.#index;
    const hashes = this.#hashes;
    const first = proof * NSEC3_HASH_WORDS;
    const kind = this.#kinds[proof];
    for (let i = 0; i < HASH_LENGTH; i++) this.#bytes[i] = hashes[first + (i >> 2)] >>> (24 - (i & 3) * 8);
    const entry = this.#index.fetchEntry(this.#packet, this.#apexAt, this.#bytes);
    if (entry === 0 || kind === PROOF.ANY) return entry;
    return (compareHash(view, entry + ENTRY_HASH_AT, hashes, first) === 0) === (kind === PROOF.MATCH) ? entry : 0;
  }

  /**
   * The entry with the greatest hash that is not above the proof's, in a circle. 0: not as
   * expected.
   */
  #find(directory: number, proof: number): number {
    const { words, bytes, view } = this.#index;
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
    const pairs = chunk + FIRST_ENTRY_WORD;
    const count = words[chunk + ENTRY_COUNT_WORD];
    // Hashes are spread evenly, so the place of one in a chunk is known but for a few entries.
    const floor = words[start + low * 2] >>> 0;
    const ceiling = low + 1 < chunks ? words[start + low * 2 + 2] >>> 0 : HASHES;
    let index = Math.floor((((hashes[first] >>> 0) - floor) / (ceiling - floor)) * count);
    while (index < count && (words[pairs + index * 2] ^ SIGN) <= prefix) index++;
    index--;
    while (index >= 0 && (words[pairs + index * 2] ^ SIGN) > prefix) index--;
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
      const order = compareHash(view, entry + ENTRY_HASH_AT, hashes, first);
      if (order === 0) return this.#kinds[proof] === PROOF.COVER ? 0 : entry;
      if (order < 0) return this.#kinds[proof] === PROOF.MATCH ? 0 : entry;
      index--;
    }
  }
}

const SIGN = 0x80000000 | 0;
/** The number of prefixes of hashes. */
const HASHES = 2 ** 32;

/** Negative: the hash at an offset of `view` is before the other one. */
function compareHash(view: DataView, at: number, hashes: Int32Array, first: number): number {
  for (let i = 0; i < NSEC3_HASH_WORDS; i++) {
    const own = view.getInt32(at + i * 4) ^ SIGN;
    const other = hashes[first + i] ^ SIGN;
    if (own !== other) return own < other ? -1 : 1;
  }
  return 0;
}
