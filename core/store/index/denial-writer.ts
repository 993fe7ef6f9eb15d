/**
 * Writes the NSEC3 entries of zones into the arena. See denial-layout.ts; for the index's writer.
 */
import { HASH_LENGTH, NAME_LENGTH_AT, NODE_FLAGS_AT, NODE_HAS_BELOW, NODE_HEADER } from '../answers.ts';
import type { Id } from '../keys.ts';
import { ENTRY_HASH_AT } from '../nsec3-entries.ts';
import {
  CHUNK_COUNT_WORD,
  DIRECTORY_MARK,
  DOMAIN_ID_WORD,
  directoryStart,
  ENTRY_COUNT_WORD,
  FIRST_CHUNK_WORD,
  FIRST_ENTRY_WORD,
} from './denial-layout.ts';
import { IN_STORE } from './layout.ts';

/** Maximum entries of a chunk, which is copied at each change of a name that comes or goes. */
const MAX_CHUNK = 256;
/** Entries that a chunk of a new zone has: there is room for more. */
const FILL = 192;

/** What the writer of the index does for zones' entries. Offsets are in bytes. */
export interface DenialArena {
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
  /** 0: the arena is full. */
  allocate(bytes: number): number;
  /** Frees a block when no reader is left that may have it. Its first word is its size. */
  retire(offset: number): void;
  /** Puts or replaces a directory; returns its offset. */
  putDirectory(node: Buffer): number;
  removeDirectory(name: Uint8Array): void;
}

interface Zone {
  readonly domainId: Id;
  readonly apex: Uint8Array;
  directory: number;
}

export class DenialWriter {
  readonly #arena: DenialArena;
  readonly #zones = new Map<Id, Zone>();

  constructor(arena: DenialArena) {
    this.#arena = arena;
  }

  /** Puts or replaces the entry of its hash. */
  put(domainId: Id, apex: Uint8Array, entry: Uint8Array): void {
    const zone = this.#zones.get(domainId);
    const reference = this.#store(entry);
    if (zone === undefined) {
      this.#create(domainId, apex, [[prefixOf(entry, ENTRY_HASH_AT), reference]]);
      return;
    }
    const { words } = this.#arena;
    const prefix = prefixOf(entry, ENTRY_HASH_AT);
    const at = this.#chunkWord(zone, prefix);
    const chunk = words[at + 1] * 2;
    const found = this.#find(chunk, prefix, entry, ENTRY_HASH_AT);
    if (found >= 0) {
      const old = words[found + 1];
      Atomics.store(words, found + 1, reference);
      this.#release(old);
      return;
    }
    const entries = this.#read(chunk);
    const index = entries.findIndex(
      ([other, behind]) => other > prefix || (other === prefix && this.#isBefore(entry, behind)),
    );
    entries.splice(index < 0 ? entries.length : index, 0, [prefix, reference]);
    if (entries.length <= MAX_CHUNK) {
      Atomics.store(words, at + 1, this.#writeChunk(entries) / 8);
      this.#release(chunk / 2);
    } else this.#replaceChunk(zone, at, halves(entries));
  }

  remove(domainId: Id, hash: Uint8Array): void {
    const zone = this.#zones.get(domainId);
    if (zone === undefined) return;
    const { words } = this.#arena;
    const prefix = prefixOf(hash, 0);
    const at = this.#chunkWord(zone, prefix);
    const chunk = words[at + 1] * 2;
    const found = this.#find(chunk, prefix, hash, 0);
    if (found < 0) return;
    const entries = this.#read(chunk);
    const [[, reference]] = entries.splice((found - chunk - FIRST_ENTRY_WORD) / 2, 1);
    if (entries.length > 0) {
      Atomics.store(words, at + 1, this.#writeChunk(entries) / 8);
      this.#release(chunk / 2);
    } else this.#replaceChunk(zone, at, []);
    this.#release(reference);
  }

  /** Replaces all entries of a zone by these, sorted by hash. None: the zone is not signed. */
  replaceAll(domainId: Id, apex: Uint8Array, entries: readonly Uint8Array[]): void {
    const zone = this.#zones.get(domainId);
    const old = zone === undefined ? [] : this.#chunks(zone).map(([, reference]) => reference);
    if (entries.length === 0) this.#delete(domainId);
    else
      this.#create(
        domainId,
        apex,
        entries.map((entry) => [prefixOf(entry, ENTRY_HASH_AT), this.#store(entry)]),
      );
    for (const chunk of old) {
      for (const [, entry] of this.#read(chunk * 2)) this.#release(entry);
      this.#release(chunk);
    }
  }

  #delete(domainId: Id): void {
    const zone = this.#zones.get(domainId);
    if (zone === undefined) return;
    this.#arena.removeDirectory(directoryName(zone.apex));
    this.#zones.delete(domainId);
  }

  #create(domainId: Id, apex: Uint8Array, entries: readonly Pair[]): void {
    const chunks: Pair[] = [];
    for (let i = 0, end = 0; i < entries.length; i = end) {
      end = Math.min(i + FILL, entries.length);
      // Equal prefixes are in one chunk.
      while (end < entries.length && entries[end][0] === entries[end - 1][0]) end++;
      chunks.push([i === 0 ? 0 : entries[i][0], this.#writeChunk(entries.slice(i, end)) / 8]);
    }
    this.#putDirectory(domainId, Uint8Array.prototype.slice.call(apex), chunks);
  }

  #putDirectory(domainId: Id, apex: Uint8Array, chunks: readonly Pair[]): void {
    const name = directoryName(apex);
    const start = directoryStart(name.length);
    const node = Buffer.alloc(start + (FIRST_CHUNK_WORD + chunks.length * 2) * 4);
    node.writeUInt32BE(node.length, 0);
    node[NODE_FLAGS_AT] = NODE_HAS_BELOW;
    node[NAME_LENGTH_AT] = name.length;
    node.set(name, NODE_HEADER);
    const words = new Int32Array(FIRST_CHUNK_WORD + chunks.length * 2);
    words[DOMAIN_ID_WORD] = Math.floor(domainId / 2 ** 32);
    words[DOMAIN_ID_WORD + 1] = domainId | 0;
    words[CHUNK_COUNT_WORD] = chunks.length;
    chunks.forEach(([first, reference], i) => {
      words[FIRST_CHUNK_WORD + i * 2] = first;
      words[FIRST_CHUNK_WORD + i * 2 + 1] = reference;
    });
    node.set(new Uint8Array(words.buffer), start);
    this.#zones.set(domainId, { domainId, apex, directory: this.#arena.putDirectory(node) });
  }

  /** Replaces the chunk at a word of the directory by any number of others. */
  #replaceChunk(zone: Zone, at: number, parts: readonly (readonly Pair[])[]): void {
    const { words } = this.#arena;
    const reference = words[at + 1];
    const chunks: Pair[] = [];
    for (const [first, other] of this.#chunks(zone))
      if (other !== reference) chunks.push([first, other]);
      else
        for (const part of parts)
          chunks.push([chunks.length === 0 ? 0 : part === parts[0] ? first : part[0][0], this.#writeChunk(part) / 8]);
    if (chunks.length === 0) this.#delete(zone.domainId);
    else {
      chunks[0][0] = 0;
      this.#putDirectory(zone.domainId, zone.apex, chunks);
    }
    this.#release(reference);
  }

  #chunks(zone: Zone): Pair[] {
    const { words } = this.#arena;
    const start = zoneStart(zone);
    return Array.from({ length: words[start + CHUNK_COUNT_WORD] }, (_, i) => {
      const at = start + FIRST_CHUNK_WORD + i * 2;
      return [words[at] >>> 0, words[at + 1]];
    });
  }

  /** The word of the directory with the chunk that a hash belongs to. */
  #chunkWord(zone: Zone, prefix: number): number {
    const { words } = this.#arena;
    const start = zoneStart(zone);
    let low = 0;
    for (let high = words[start + CHUNK_COUNT_WORD]; high - low > 1; ) {
      const middle = (low + high) >>> 1;
      if (words[start + FIRST_CHUNK_WORD + middle * 2] >>> 0 <= prefix) low = middle;
      else high = middle;
    }
    return start + FIRST_CHUNK_WORD + low * 2;
  }

  /** The word of the pair of a hash in a chunk, or -1. */
  #find(chunk: number, prefix: number, hash: Uint8Array, from: number): number {
    const { words, bytes } = this.#arena;
    const count = words[chunk + ENTRY_COUNT_WORD];
    for (let i = 0; i < count; i++) {
      const at = chunk + FIRST_ENTRY_WORD + i * 2;
      if (words[at] >>> 0 !== prefix) continue;
      const entry = words[at + 1] * 8;
      let k = 0;
      while (k < HASH_LENGTH && bytes[entry + ENTRY_HASH_AT + k] === hash[from + k]) k++;
      if (k === HASH_LENGTH) return at;
    }
    return -1;
  }

  /** Whether the hash of an entry sorts before that of the entry at a reference. */
  #isBefore(entry: Uint8Array, reference: number): boolean {
    const { bytes } = this.#arena;
    const other = reference * 8;
    for (let i = ENTRY_HASH_AT; i < ENTRY_HASH_AT + HASH_LENGTH; i++)
      if (entry[i] !== bytes[other + i]) return entry[i] < bytes[other + i];
    return false;
  }

  #read(chunk: number): Pair[] {
    const { words } = this.#arena;
    return Array.from({ length: words[chunk + ENTRY_COUNT_WORD] }, (_, i) => {
      const at = chunk + FIRST_ENTRY_WORD + i * 2;
      return [words[at] >>> 0, words[at + 1]];
    });
  }

  #writeChunk(entries: readonly Pair[]): number {
    const { words, bytes } = this.#arena;
    const size = (FIRST_ENTRY_WORD + entries.length * 2) * 4;
    const offset = this.#allocate(size);
    writeSize(bytes, offset, size);
    const chunk = offset / 4;
    words[chunk + ENTRY_COUNT_WORD] = entries.length;
    entries.forEach(([prefix, reference], i) => {
      words[chunk + FIRST_ENTRY_WORD + i * 2] = prefix;
      words[chunk + FIRST_ENTRY_WORD + i * 2 + 1] = reference;
    });
    return offset;
  }

  #store(entry: Uint8Array): number {
    const offset = this.#allocate(entry.length);
    this.#arena.bytes.set(entry, offset);
    return offset / 8;
  }

  #allocate(bytes: number): number {
    const offset = this.#arena.allocate(bytes);
    if (offset === 0) throw new Error('The index has no memory left for NSEC3 records.');
    return offset;
  }

  #release(reference: number): void {
    if (reference !== IN_STORE) this.#arena.retire(reference * 8);
  }
}

/** First 32 bits of a hash, and a reference. */
type Pair = [prefix: number, reference: number];

const zoneStart = ({ directory, apex }: Zone): number => (directory + directoryStart(apex.length + 1)) / 4;

function directoryName(apex: Uint8Array): Uint8Array {
  const name = new Uint8Array(apex.length + 1);
  name[0] = DIRECTORY_MARK;
  name.set(apex, 1);
  return name;
}

function prefixOf(bytes: Uint8Array, at: number): number {
  return ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0;
}

function writeSize(bytes: Uint8Array, at: number, size: number): void {
  for (let i = 0; i < 4; i++) bytes[at + i] = size >>> (24 - i * 8);
}

/** Two parts of about the same size, with equal prefixes in one of them. */
function halves(entries: readonly Pair[]): Pair[][] {
  let middle = entries.length >>> 1;
  while (middle < entries.length && entries[middle][0] === entries[middle - 1][0]) middle++;
  return middle === entries.length ? [[...entries]] : [entries.slice(0, middle), entries.slice(middle)];
}
