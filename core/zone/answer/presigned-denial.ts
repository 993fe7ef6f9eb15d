/**
 * The proofs of a response from a zone that its primary has signed, by NSEC (RFC 4035 section
 * 3.1.3) or by NSEC3 with any salt, iterations and opt-out (RFC 5155 section 7.2). What the zone
 * lacks is left out. One object per thread; nothing is allocated per packet.
 */
import { hashSaltedWords, NSEC3_HASH_WORDS, saltedHashBlocks } from '../../dns/dnssec/nsec3.ts';
import { LOWER, MAX_NAME } from '../../dns/wire/name.ts';
import {
  APEX_LENGTH_AT,
  DENIAL,
  HASH_LENGTH,
  hashOffset,
  NAME_LENGTH_AT,
  NODE_FLAGS_AT,
  NODE_HAS_BELOW,
  nameOffset,
} from '../../store/answers.ts';
import { writeNameKey } from '../../store/keys.ts';
import type { IndexReader } from './index-reader.ts';

/** The claims that can be proven about a name. */
export const CLAIM = {
  /** The name exists, so its list of types proves the rest. Also for a delegation without DS. */
  EXISTS: 0,
  /** The name is the closest encloser of a name that a wildcard matches. */
  ENCLOSER: 1,
  /** The name does not exist, so a wildcard matches it or a name below it. */
  EXPANSION: 2,
  /** The name does not exist, and no wildcard matches it. */
  NAME_ERROR: 3,
} as const;

/** Maximum claims of a response: see MAX_PROOFS in denial.ts. */
const MAX_CLAIMS = 24;
/**
 * Maximum SHA-1 blocks of a response, over its whole chain: 30 µs, so that it costs less than 20
 * times a plain answer. With 50 iterations a hash takes 51 blocks; NXDOMAIN needs two hashes, and
 * three or four in an opt-out span.
 */
const MAX_BLOCKS = 208;
/** The cost of each further name in blocks, since the chain was followed to it. */
const CHAIN_BLOCKS = 8;
/** Bytes of a name in keys: each byte may be escaped. */
const MAX_KEY = 2 * MAX_NAME;

/** Finds entries of the zone of a response, and writes each at most once. */
export interface EntryWriter {
  /**
   * The entry with the greatest hash that is not above the words, in a circle. 0: there is none.
   */
  findHash(words: Int32Array): number;
  /** The same for an NSEC record, by the key of its owner without the apex. */
  findKey(key: Uint8Array, from: number, end: number): number;
  isEqual(entry: number, words: Int32Array): boolean;
  /** False: there is no room. */
  emit(entry: number): boolean;
}

export class PresignedDenial {
  #count = 0;
  #apexKeyLength = 0;
  #apexLength = 0;
  #blocks = 0;
  #isTooCostly = false;
  readonly #index: IndexReader;
  /** The names, MAX_NAME bytes each. */
  readonly #names = new Uint8Array(MAX_CLAIMS * MAX_NAME);
  readonly #lengths = new Uint8Array(MAX_CLAIMS);
  /** Where the closest encloser of each name starts; 0: it does not matter. */
  readonly #enclosers = new Uint8Array(MAX_CLAIMS);
  readonly #claims = new Uint8Array(MAX_CLAIMS);
  /** The hashes of each: of the name itself; of its encloser and of the wildcard below that. */
  readonly #hashes = new Int32Array(MAX_CLAIMS * 2 * NSEC3_HASH_WORDS);
  /** Number of hashes that are known. */
  readonly #hashCounts = new Uint8Array(MAX_CLAIMS);
  readonly #words = new Int32Array(NSEC3_HASH_WORDS);
  /** `*.` and a name; a name in keys. */
  readonly #wildcard = Uint8Array.of(1, 0x2a, ...new Uint8Array(MAX_NAME));
  readonly #key = new Uint8Array(MAX_KEY);
  readonly #salt = new Uint8Array(255);
  #saltLength = 0;
  #iterations = 0;

  constructor(index: IndexReader) {
    this.#index = index;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  clear(): void {
    this.#count = 0;
  }

  /** Whether the last `write` stopped because the proofs need more than MAX_BLOCKS. */
  get isTooCostly(): boolean {
    return this.#isTooCostly;
  }

  /** The additional iterations of the zone of the last `write`. */
  get iterations(): number {
    return this.#iterations;
  }

  /**
   * Adds a claim about the name at bytes[from, end), whose closest encloser starts at `encloser`.
   */
  add(bytes: Uint8Array, from: number, end: number, encloser: number, claim: number): void {
    const number = this.#count;
    if (number === MAX_CLAIMS) return;
    this.#count++;
    const at = number * MAX_NAME;
    for (let i = 0; i < end - from; i++) this.#names[at + i] = LOWER[bytes[from + i]];
    this.#lengths[number] = end - from;
    this.#enclosers[number] = encloser - from;
    this.#claims[number] = claim;
    this.#hashCounts[number] = 0;
  }

  /** Adds a claim about the name of a node, which has its hash. */
  addNode(node: number, claim: number): void {
    const { bytes } = this.#index;
    const number = this.#count;
    const from = nameOffset(bytes, node);
    this.add(bytes, from, from + bytes[node + NAME_LENGTH_AT], from, claim);
    if (this.#count > number) this.#readHashes(number, node, 1);
  }

  /**
   * Claims that the name at bytes[from, end) does not exist. `encloser`: the node of its closest
   * encloser, which starts at `enclosedAt`.
   */
  addNameError(bytes: Uint8Array, from: number, end: number, enclosedAt: number, encloser: number): void {
    const number = this.#count;
    this.add(bytes, from, end, enclosedAt, CLAIM.NAME_ERROR);
    const hasBelow = (this.#index.bytes[encloser + NODE_FLAGS_AT] & NODE_HAS_BELOW) !== 0;
    if (this.#count > number) this.#readHashes(number, encloser, hasBelow ? 2 : 1);
  }

  #readHashes(number: number, node: number, count: number): void {
    const { bytes, view } = this.#index;
    const at = hashOffset(bytes, node);
    if (bytes[at] !== DENIAL.NSEC3) return;
    const first = number * 2 * NSEC3_HASH_WORDS;
    for (let i = 0; i < count * NSEC3_HASH_WORDS; i++) this.#hashes[first + i] = view.getInt32(at + 1 + i * 4);
    this.#hashCounts[number] = count;
  }

  /**
   * Writes the proofs. `apex`: the node of the zone. False: there is no room, or they are too
   * costly.
   */
  write(apex: number, writer: EntryWriter): boolean {
    const { bytes } = this.#index;
    const at = hashOffset(bytes, apex);
    const kind = bytes[at];
    this.#isTooCostly = false;
    if (kind === DENIAL.NONE) return true;
    if (kind === DENIAL.NSEC) {
      const name = nameOffset(bytes, apex);
      this.#apexKeyLength = writeNameKey(bytes, name, this.#key, 0);
    } else this.#readParameters(apex, at);
    this.#blocks = (this.#count - 1) * CHAIN_BLOCKS;
    for (let number = 0; number < this.#count; number++)
      if (!(kind === DENIAL.NSEC ? this.#proveByName(number, writer) : this.#proveByHash(number, writer))) return false;
    return true;
  }

  #readParameters(apex: number, hashes: number): void {
    const { bytes } = this.#index;
    const count = (bytes[apex + NODE_FLAGS_AT] & NODE_HAS_BELOW) === 0 ? 1 : 2;
    const at = hashes + 1 + count * HASH_LENGTH;
    this.#iterations = (bytes[at] << 8) | bytes[at + 1];
    this.#saltLength = bytes[at + 2];
    for (let i = 0; i < this.#saltLength; i++) this.#salt[i] = bytes[at + 3 + i];
    this.#apexLength = bytes[apex + APEX_LENGTH_AT];
  }

  // NSEC: the record that matches or covers a name is that of the last name not after it.

  #proveByName(number: number, writer: EntryWriter): boolean {
    const from = number * MAX_NAME;
    const claim = this.#claims[number];
    // An existing encloser needs no record: those that cover the names below it are enough.
    if (claim === CLAIM.ENCLOSER) return true;
    if (!this.#emitKey(this.#names, from, writer)) return false;
    if (claim !== CLAIM.NAME_ERROR) return true;
    const encloser = this.#enclosers[number];
    const length = this.#copyWildcard(from + encloser, from + this.#lengths[number]);
    return length === 0 || this.#emitKey(this.#wildcard, 0, writer);
  }

  #emitKey(names: Uint8Array, from: number, writer: EntryWriter): boolean {
    const end = writeNameKey(names, from, this.#key, 0);
    const entry = writer.findKey(this.#key, this.#apexKeyLength, end);
    return entry === 0 || writer.emit(entry);
  }

  /** Puts `*.` before the name at #names[from, end). Returns the length; 0: it is too long. */
  #copyWildcard(from: number, end: number): number {
    const length = end - from;
    if (length + 2 > MAX_NAME) return 0;
    for (let i = 0; i < length; i++) this.#wildcard[2 + i] = this.#names[from + i];
    return length + 2;
  }

  // NSEC3

  #proveByHash(number: number, writer: EntryWriter): boolean {
    const from = number * MAX_NAME;
    const end = from + this.#lengths[number];
    const encloser = from + this.#enclosers[number];
    switch (this.#claims[number]) {
      case CLAIM.EXISTS: {
        if (!this.#hash(this.#names, from, end, number, 0)) return false;
        const entry = writer.findHash(this.#words);
        if (entry === 0) return true;
        if (writer.isEqual(entry, this.#words)) return writer.emit(entry);
        // In an opt-out span (RFC 5155 sections 7.2.4 and 7.2.7).
        return this.#proveEncloser(end, from, false, writer);
      }
      case CLAIM.ENCLOSER: {
        if (!this.#hash(this.#names, from, end, number, 0)) return false;
        const entry = writer.findHash(this.#words);
        return entry === 0 || !writer.isEqual(entry, this.#words) || writer.emit(entry);
      }
      case CLAIM.EXPANSION:
        return this.#cover(this.#names, this.#nextCloser(from, encloser), end, writer);
      default:
        return this.#proveNameError(number, from, end, encloser, writer);
    }
  }

  /** RFC 5155 section 7.2.2. */
  #proveNameError(number: number, from: number, end: number, encloser: number, writer: EntryWriter): boolean {
    if (!this.#hash(this.#names, encloser, end, number, 0)) return false;
    const entry = writer.findHash(this.#words);
    if (entry === 0) return true;
    // In an opt-out span, the closest encloser that has a record proves it (section 7.2.1).
    if (!writer.isEqual(entry, this.#words)) return this.#proveEncloser(end, encloser, true, writer);
    if (!writer.emit(entry)) return false;
    if (!this.#cover(this.#names, this.#nextCloser(from, encloser), end, writer)) return false;
    if (this.#hashCounts[number] < 2) return this.#coverWildcard(encloser, end, writer);
    this.#hash(this.#names, 0, 0, number, 1);
    return this.#emitCover(writer);
  }

  /**
   * The closest encloser above `below` that has a record, and that the name below it has none
   * (RFC 5155 section 7.2.1). `isMissing`: no wildcard stands for the name either.
   */
  #proveEncloser(end: number, below: number, isMissing: boolean, writer: EntryWriter): boolean {
    const names = this.#names;
    const last = end - this.#apexLength;
    for (let at = below; at < last; ) {
      const next = at;
      at += names[at] + 1;
      if (!this.#hash(names, at, end, 0, 2)) return false;
      const entry = writer.findHash(this.#words);
      if (entry === 0 || !writer.isEqual(entry, this.#words)) continue;
      if (!writer.emit(entry) || !this.#cover(names, next, end, writer)) return false;
      return !isMissing || this.#coverWildcard(at, end, writer);
    }
    return true;
  }

  #coverWildcard(encloser: number, end: number, writer: EntryWriter): boolean {
    const length = this.#copyWildcard(encloser, end);
    return length === 0 || this.#cover(this.#wildcard, 0, length, writer);
  }

  #cover(names: Uint8Array, from: number, end: number, writer: EntryWriter): boolean {
    return this.#hash(names, from, end, 0, 2) && this.#emitCover(writer);
  }

  #emitCover(writer: EntryWriter): boolean {
    const entry = writer.findHash(this.#words);
    return entry === 0 || writer.emit(entry);
  }

  /** Start of the name one label longer than the encloser (RFC 5155 section 1.3). */
  #nextCloser(from: number, encloser: number): number {
    const names = this.#names;
    let at = from;
    for (let next = at + names[at] + 1; next < encloser; next += names[next] + 1) at = next;
    return at;
  }

  /**
   * Puts the hash of a name into #words: the known one with this index, else computed. False: the
   * response would cost too much.
   */
  #hash(names: Uint8Array, from: number, end: number, number: number, index: number): boolean {
    const words = this.#words;
    if (index < 2 && index < this.#hashCounts[number]) {
      const at = (number * 2 + index) * NSEC3_HASH_WORDS;
      for (let i = 0; i < NSEC3_HASH_WORDS; i++) words[i] = this.#hashes[at + i];
      return true;
    }
    this.#blocks += saltedHashBlocks(end - from, this.#saltLength, this.#iterations);
    if (this.#blocks > MAX_BLOCKS) {
      this.#isTooCostly = true;
      return false;
    }
    hashSaltedWords(names, from, end, this.#salt, 0, this.#saltLength, this.#iterations, words);
    return true;
  }
}
