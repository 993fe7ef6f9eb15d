/**
 * The proofs of a response: hashes of names, for each of which the NSEC3 record that matches or
 * covers it is sent (RFC 5155 section 7.2). One object per thread; nothing is allocated per packet.
 */

import { hashNameWords, NSEC3_HASH_WORDS, NSEC3_LABEL_LENGTH, writeHashLabel } from '../../dns/dnssec/nsec3.ts';
import { EXTENDED_ERROR } from '../../dns/wire/edns.ts';
import { TYPE } from '../../dns/wire/types.ts';
import { HASH_LENGTH, NAME_LENGTH_AT, NODE_FLAGS_AT, NODE_PRESIGNED } from '../../store/answers.ts';
import {
  CHUNK_COUNT_WORD,
  directoryStart,
  ENTRY_COUNT_WORD,
  FIRST_CHUNK_WORD,
  FIRST_ENTRY_WORD,
} from '../../store/index/denial-layout.ts';
import {
  ENTRY_COUNT_AT,
  ENTRY_HASH_AT,
  ENTRY_HEADER,
  ENTRY_KEY_LENGTH,
  ENTRY_OWNER_AT,
} from '../../store/nsec3-entries.ts';
import { copyBytes } from './copy-bytes.ts';
import type { IndexReader } from './index-reader.ts';
import { type EntryWriter, PresignedDenial } from './presigned-denial.ts';

/** Maximum proofs of a response: a chain has at most 16 names, of which the last needs three. */
const MAX_PROOFS = 24;
/** Compression pointers have 14 bits. */
const LAST_POINTER = 0x3fff;

/** The expected result for a hash: either, the name exists, or it does not. */
export const PROOF = { ANY: 0, MATCH: 1, COVER: 2 } as const;

/** Results of `write` that are no offset. */
export const NO_ROOM = -1;
/** The zone has changed since the lookup. */
export const CHANGED = -2;
/** The zone's owner has made the proofs too costly. */
export const TOO_COSTLY = -3;

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
  /** Claims about names of a presigned zone. */
  readonly presigned: PresignedDenial;
  readonly #entryWriter: PresignedWriter;

  constructor(index: IndexReader) {
    this.#index = index;
    this.presigned = new PresignedDenial(index);
    this.#entryWriter = new PresignedWriter(index, this);
  }

  get isEmpty(): boolean {
    return this.#count === 0 && this.presigned.isEmpty;
  }

  /** Extended error of a response whose proofs are too costly (RFC 9276 section 3.2). */
  get costError(): number {
    return this.presigned.iterations > 0 ? EXTENDED_ERROR.UNSUPPORTED_NSEC3_ITERATIONS : EXTENDED_ERROR.OTHER;
  }

  clear(): void {
    this.#count = 0;
    if (!this.presigned.isEmpty) this.presigned.clear();
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
   * `start`. `apex`: its node. Returns the offset after them, NO_ROOM, CHANGED or TOO_COSTLY.
   */
  write(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    from: number,
    limit: number,
    directory: number,
    apexPointer: number,
    apex = 0,
  ): number {
    const written = this.#written;
    this.records = 0;
    this.#packet = bytes;
    this.#apexAt = start + apexPointer;
    if (!this.presigned.isEmpty) {
      const flags = apex === 0 ? 0 : this.#index.bytes[apex + NODE_FLAGS_AT];
      // The lookup and the apex disagree: the zone has changed.
      if ((flags & NODE_PRESIGNED) === 0) return CHANGED;
      const writer = this.#entryWriter;
      writer.begin(bytes, view, start, from, limit, directory, apexPointer);
      if (this.presigned.write(apex, writer)) return writer.end;
      return this.presigned.isTooCostly ? TOO_COSTLY : NO_ROOM;
    }
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
      p = this.writeEntry(bytes, view, start, p, limit, entry, apexPointer);
      if (p === NO_ROOM) return NO_ROOM;
    }
    return p;
  }

  /** Writes the records of an NSEC3 entry. Returns the offset after them, or NO_ROOM. */
  writeEntry(
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

  /** See EntryWriter. The packet is that of the last `write`. */
  findHash(directory: number, words: Int32Array): number {
    for (let i = 0; i < NSEC3_HASH_WORDS; i++) this.#hashes[i] = words[i];
    this.#kinds[0] = PROOF.ANY;
    return this.#find(directory, 0);
  }

  /** The NSEC entry with the greatest key that is not above key[from, end). 0: there is none. */
  findKey(directory: number, key: Uint8Array, from: number, end: number): number {
    const { words, bytes } = this.#index;
    if (directory === 0) return this.#fetchKey(key, from, end);
    const start = ((directory + directoryStart(bytes[directory + NAME_LENGTH_AT])) >>> 2) + FIRST_CHUNK_WORD;
    const chunks = words[start - FIRST_CHUNK_WORD + CHUNK_COUNT_WORD];
    if (chunks === 0) return this.#fetchKey(key, from, end);
    let low = 0;
    for (let high = chunks; high - low > 1; ) {
      const middle = (low + high) >>> 1;
      const entry = Atomics.load(words, Atomics.load(words, start + middle * 2 + 1) * 2 + FIRST_ENTRY_WORD + 1) * 8;
      if (entry < 0) return this.#fetchKey(key, from, end);
      if (this.#compareKey(entry, key, from, end) <= 0) low = middle;
      else high = middle;
    }
    const chunk = Atomics.load(words, start + low * 2 + 1) * 2;
    const pairs = chunk + FIRST_ENTRY_WORD + 1;
    // The entry before the first one that is above the key.
    let first = 0;
    let found = 0;
    for (let above = words[chunk + ENTRY_COUNT_WORD]; first < above; ) {
      const middle = (first + above) >>> 1;
      const entry = Atomics.load(words, pairs + middle * 2) * 8;
      if (entry < 0) return this.#fetchKey(key, from, end);
      if (this.#compareKey(entry, key, from, end) <= 0) {
        first = middle + 1;
        found = entry;
      } else above = middle;
    }
    return found;
  }

  /** Negative: the owner of an NSEC entry is before the name with the key. */
  #compareKey(entry: number, key: Uint8Array, from: number, end: number): number {
    const { bytes, view } = this.#index;
    const stop = entry + view.getInt32(entry) - ENTRY_KEY_LENGTH;
    const length = (bytes[stop] << 8) | bytes[stop + 1];
    const at = stop - length;
    const common = Math.min(length, end - from);
    for (let i = 0; i < common; i++) {
      const difference = bytes[at + i] - key[from + i];
      if (difference !== 0) return difference;
    }
    return length - (end - from);
  }

  #fetchKey(key: Uint8Array, from: number, end: number): number {
    return this.#index.fetchOrdered(this.#packet, this.#apexAt, key, from, end);
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
    // Hashes are evenly distributed, so interpolation finds the index within a few entries.
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

/** Writes entries of presigned zones, each once. */
class PresignedWriter implements EntryWriter {
  /** Offset after the last written record. */
  end = 0;
  readonly #index: IndexReader;
  readonly #denial: Denial;
  /** The hashes, or order numbers, of written entries. */
  readonly #written = new Int32Array(MAX_PROOFS * NSEC3_HASH_WORDS);
  #count = 0;
  #bytes: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(new ArrayBuffer(0));
  #start = 0;
  #limit = 0;
  #directory = 0;
  #apexPointer = 0;

  constructor(index: IndexReader, denial: Denial) {
    this.#index = index;
    this.#denial = denial;
  }

  begin(
    bytes: Uint8Array,
    view: DataView,
    start: number,
    from: number,
    limit: number,
    directory: number,
    apexPointer: number,
  ): void {
    this.#count = 0;
    this.#bytes = bytes;
    this.#view = view;
    this.#start = start;
    this.end = from;
    this.#limit = limit;
    this.#directory = directory;
    this.#apexPointer = apexPointer;
  }

  findHash(words: Int32Array): number {
    return this.#denial.findHash(this.#directory, words);
  }

  findKey(key: Uint8Array, from: number, end: number): number {
    return this.#denial.findKey(this.#directory, key, from, end);
  }

  isEqual(entry: number, words: Int32Array): boolean {
    return compareHash(this.#index.view, entry + ENTRY_HASH_AT, words, 0) === 0;
  }

  emit(entry: number): boolean {
    const nodes = this.#index.view;
    const written = this.#written;
    for (let i = 0; i < this.#count; i++)
      if (compareHash(nodes, entry + ENTRY_HASH_AT, written, i * NSEC3_HASH_WORDS) === 0) return true;
    // More are never needed: a longer chain is cut off.
    if (this.#count === MAX_PROOFS) return true;
    const at = this.#count++ * NSEC3_HASH_WORDS;
    for (let i = 0; i < NSEC3_HASH_WORDS; i++) written[at + i] = nodes.getInt32(entry + ENTRY_HASH_AT + i * 4);
    const isNsec = nodes.getUint16(entry + ENTRY_HEADER) === TYPE.NSEC;
    const end = isNsec
      ? this.#writeNsec(entry)
      : this.#denial.writeEntry(this.#bytes, this.#view, this.#start, this.end, this.#limit, entry, this.#apexPointer);
    if (end === NO_ROOM) return false;
    this.end = end;
    return true;
  }

  #writeNsec(entry: number): number {
    const { view: nodes } = this.#index;
    const bytes = this.#bytes;
    const count = nodes.getUint8(entry + ENTRY_COUNT_AT);
    const labels = nodes.getUint8(entry + ENTRY_OWNER_AT);
    const stop = entry + nodes.getInt32(entry) - ENTRY_KEY_LENGTH;
    const labelsAt = stop - nodes.getUint16(stop) - labels;
    const owner = this.end - this.#start;
    // The apex has no labels of its own, so its records need no other pointer.
    const isPointed = labels > 0 && owner <= LAST_POINTER;
    const owners = labels + 2 + (count - 1) * (isPointed ? 2 : labels + 2);
    const size = labelsAt - entry - ENTRY_HEADER;
    if (this.end + owners + size > this.#limit) return NO_ROOM;
    let p = this.end;
    let at = entry + ENTRY_HEADER;
    for (let record = 0; record < count; record++) {
      let pointer = this.#apexPointer;
      if (record > 0 && isPointed) pointer = owner;
      else {
        copyBytes(nodes, labelsAt, this.#view, p, labels);
        p += labels;
      }
      bytes[p++] = 0xc0 | (pointer >>> 8);
      bytes[p++] = pointer;
      const end = at + 10 + nodes.getUint16(at + 8);
      copyBytes(nodes, at, this.#view, p, end - at);
      p += end - at;
      at = end;
    }
    this.#denial.records += count;
    return p;
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
