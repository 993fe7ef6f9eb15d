/** Writes the NSEC3 entries of zones into the arena, for IndexWriter. Layout: denial-layout.ts. */
import { HASH_LENGTH, NAME_LENGTH_AT, NODE_FLAGS_AT, NODE_HAS_BELOW, NODE_HEADER } from '../answers.ts';
import type { Id } from '../keys.ts';
import { ENTRY_HASH_AT, entryHash } from '../nsec3-entries.ts';
import {
  CHUNK_COUNT_WORD,
  DIRECTORY_MARK,
  directoryStart,
  ENTRY_COUNT_WORD,
  FIRST_CHUNK_WORD,
  FIRST_ENTRY_WORD,
} from './denial-layout.ts';
import type { Filling } from './filling.ts';
import { IN_STORE } from './layout.ts';

/** Maximum entries of a chunk. Inserting or removing an entry copies the whole chunk. */
const MAX_CHUNK = 256;
/** Entries in each chunk of a new zone; the difference to MAX_CHUNK is room to grow. */
export const FILL = 192;

/** The part of IndexWriter that stores the entries. Offsets are in bytes. */
interface DenialArena {
  /** Collects all changes; null: the index is complete. */
  readonly filling: Filling | null;
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
  /** Returns 0 if the arena is full, or no longer admits leaves (arena.ts). */
  allocate(bytes: number, isLeaf: boolean): number;
  /** Frees a block once no reader can use it. Its first word is its size. */
  retire(offset: number): void;
  /** Inserts or replaces a directory; returns its offset, or 0 if the arena is full. */
  putDirectory(node: Buffer): number;
  removeDirectory(name: Uint8Array): void;
}

interface Zone {
  readonly domainId: Id;
  readonly apex: Uint8Array;
  /** 0: the arena had no room for it, and all entries are looked up in the store. */
  readonly directory: number;
}

export class DenialWriter {
  readonly #arena: DenialArena;
  readonly #zones = new Map<Id, Zone>();

  constructor(arena: DenialArena) {
    this.#arena = arena;
  }

  get hasDirectories(): boolean {
    return this.#zones.size > 0;
  }

  /**
   * Inserts or replaces an entry. `wasStored`: whether the table already had an entry of its hash.
   */
  put(domainId: Id, apex: Uint8Array, entry: Uint8Array, wasStored: boolean): void {
    const { filling } = this.#arena;
    if (filling !== null) {
      filling.addEntry(domainId, apex, entryHash(entry), wasStored);
      return;
    }
    const zone = this.#zones.get(domainId);
    const prefix = prefixOf(entry, ENTRY_HASH_AT);
    if (zone === undefined) {
      this.#create(domainId, apex, [[prefix, this.#store(entry)]]);
      return;
    }
    if (!this.#hasChunks(zone)) return;
    const reference = this.#store(entry);
    const { words } = this.#arena;
    const at = this.#chunkWord(zone, prefix);
    const chunk = words[at + 1] * 2;
    const found = this.#find(chunk, prefix, entry, ENTRY_HASH_AT, wasStored);
    if (this.#isMixed(chunk, prefix, reference, found)) {
      this.#release(reference);
      this.#moveToStore(zone, at, prefix, found >= 0 ? 0 : 1);
      return;
    }
    if (found >= 0) {
      const old = words[found + 1];
      Atomics.store(words, found + 1, reference);
      this.#release(old);
      return;
    }
    const index = this.#indexOf(chunk, prefix, entry);
    if (this.#replacePairs(at, index, 0, [prefix, reference])) return;
    const entries = this.#read(chunk);
    entries.splice(index, 0, [prefix, reference]);
    this.#replaceChunk(zone, at, entries.length <= MAX_CHUNK ? [entries] : halves(entries));
  }

  /** Removes the entry of a hash, which must exist. */
  remove(domainId: Id, apex: Uint8Array, hash: Uint8Array): void {
    const { filling } = this.#arena;
    if (filling !== null) {
      filling.addEntry(domainId, apex, hash, true);
      return;
    }
    const zone = this.#zones.get(domainId);
    if (zone === undefined || !this.#hasChunks(zone)) return;
    const { words } = this.#arena;
    const prefix = prefixOf(hash, 0);
    const at = this.#chunkWord(zone, prefix);
    const chunk = words[at + 1] * 2;
    const found = this.#find(chunk, prefix, hash, 0, true);
    if (found < 0) return;
    // Pairs with the same prefix do not show which of them is in the store.
    if (words[found + 1] === IN_STORE && this.#isMixed(chunk, prefix, IN_STORE, found)) {
      this.#moveToStore(zone, at, prefix, -1);
      return;
    }
    const reference = words[found + 1];
    const index = (found - chunk - FIRST_ENTRY_WORD) / 2;
    if (!this.#replacePairs(at, index, 1)) {
      const entries = this.#read(chunk);
      entries.splice(index, 1);
      this.#replaceChunk(zone, at, entries.length > 0 ? [entries] : []);
    }
    this.#release(reference);
  }

  /** Index of the first entry of a chunk that sorts after `entry`. */
  #indexOf(chunk: number, prefix: number, entry: Uint8Array): number {
    const { words } = this.#arena;
    const count = words[chunk + ENTRY_COUNT_WORD];
    for (let i = 0; i < count; i++) {
      const at = chunk + FIRST_ENTRY_WORD + i * 2;
      const other = words[at] >>> 0;
      if (other > prefix || (other === prefix && this.#isBefore(entry, words[at + 1]))) return i;
    }
    return count;
  }

  /**
   * Replaces the chunk at a word of the directory by a copy without the `removed` pairs from
   * `index` on, and with `added` at `index`. Returns false if the copy would be empty or too large,
   * or if the arena is full.
   */
  #replacePairs(at: number, index: number, removed: number, added?: Pair): boolean {
    const { words, bytes } = this.#arena;
    const old = words[at + 1];
    const from = old * 2 + FIRST_ENTRY_WORD;
    const count = words[old * 2 + ENTRY_COUNT_WORD];
    const kept = count - removed;
    const length = added === undefined ? kept : kept + 1;
    if (length === 0 || length > MAX_CHUNK) return false;
    const offset = this.#arena.allocate(chunkSize(length), false);
    if (offset === 0) return false;
    writeSize(bytes, offset, chunkSize(length));
    const chunk = offset / 4;
    words[chunk + ENTRY_COUNT_WORD] = length;
    let to = chunk + FIRST_ENTRY_WORD;
    words.copyWithin(to, from, from + index * 2);
    to += index * 2;
    if (added !== undefined) {
      words[to++] = added[0];
      words[to++] = added[1];
    }
    words.copyWithin(to, from + (index + removed) * 2, from + count * 2);
    Atomics.store(words, at + 1, offset / 8);
    this.#release(old);
    return true;
  }

  /** Replaces all entries of a zone by `entries`, sorted by hash. Empty: the zone is not signed. */
  replaceAll(domainId: Id, apex: Uint8Array, entries: readonly Uint8Array[]): void {
    const { filling } = this.#arena;
    if (filling !== null) {
      filling.addZone(domainId, apex);
      return;
    }
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

  /**
   * Takes over the entries of a zone that the scan threads wrote into the arena. `chunks`: first
   * hash and reference of each chunk; reference 0: the chunk did not fit.
   */
  adopt(domainId: Id, apex: Uint8Array, chunks: readonly Pair[]): void {
    this.#putChunks(domainId, apex, [[0, chunks[0][1]], ...chunks.slice(1)], () =>
      chunks.filter(([, reference]) => reference !== 0).flatMap(([, reference]) => this.#read(reference * 2)),
    );
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
      chunks.push([i === 0 ? 0 : entries[i][0], this.#writeChunk(entries.slice(i, end))]);
    }
    this.#putChunks(domainId, Uint8Array.prototype.slice.call(apex), chunks, () => entries);
  }

  /**
   * Inserts the directory of a zone. If a chunk or the directory does not fit, the zone is looked
   * up in the store instead. `readEntries`: returns the entries of all chunks.
   */
  #putChunks(domainId: Id, apex: Uint8Array, chunks: readonly Pair[], readEntries: () => readonly Pair[]): void {
    if (chunks.every(([, chunk]) => chunk !== 0) && this.#putDirectory(domainId, apex, chunks)) return;
    for (const [, entry] of readEntries()) this.#release(entry);
    for (const [, chunk] of chunks) if (chunk !== 0) this.#release(chunk);
    if (this.#putDirectory(domainId, apex, [])) return;
    this.#arena.removeDirectory(directoryName(apex));
    this.#zones.set(domainId, { domainId, apex, directory: 0 });
  }

  /** Returns false if the arena is full. */
  #putDirectory(domainId: Id, apex: Uint8Array, chunks: readonly Pair[]): boolean {
    const name = directoryName(apex);
    const start = directoryStart(name.length);
    const node = Buffer.alloc(start + (FIRST_CHUNK_WORD + chunks.length * 2) * 4);
    node.writeUInt32BE(node.length, 0);
    node[NODE_FLAGS_AT] = NODE_HAS_BELOW;
    node[NAME_LENGTH_AT] = name.length;
    node.set(name, NODE_HEADER);
    const words = new Int32Array(FIRST_CHUNK_WORD + chunks.length * 2);
    words[CHUNK_COUNT_WORD] = chunks.length;
    chunks.forEach(([first, reference], i) => {
      words[FIRST_CHUNK_WORD + i * 2] = first;
      words[FIRST_CHUNK_WORD + i * 2 + 1] = reference;
    });
    node.set(new Uint8Array(words.buffer), start);
    const directory = this.#arena.putDirectory(node);
    if (directory === 0) return false;
    this.#zones.set(domainId, { domainId, apex, directory });
    return true;
  }

  /** Replaces the chunk at a word of the directory by chunks with the entries of `parts`. */
  #replaceChunk(zone: Zone, at: number, parts: readonly (readonly Pair[])[]): void {
    const { words } = this.#arena;
    const old = words[at + 1];
    if (parts.length === 1) {
      const chunk = this.#writeChunk(parts[0]);
      if (chunk !== 0) {
        Atomics.store(words, at + 1, chunk);
        this.#release(old);
        return;
      }
    }
    const chunks: Pair[] = [];
    const kept: number[] = [];
    for (const [first, reference] of this.#chunks(zone)) {
      if (reference !== old) {
        chunks.push([first, reference]);
        kept.push(reference);
        continue;
      }
      for (const part of parts) chunks.push([part === parts[0] ? first : part[0][0], this.#writeChunk(part)]);
    }
    if (chunks.length === 0) this.#delete(zone.domainId);
    else {
      chunks[0][0] = 0;
      this.#putChunks(zone.domainId, zone.apex, chunks, () => [
        ...kept.flatMap((reference) => this.#read(reference * 2)),
        ...parts.flat(),
      ]);
    }
    this.#release(old);
  }

  /**
   * Whether a prefix has several entries, of which some are in the store, so that their order is
   * unknown. `reference` counts in place of the pair at the word `found` (-1: as a new pair).
   */
  #isMixed(chunk: number, prefix: number, reference: number, found: number): boolean {
    const { words } = this.#arena;
    let others = 0;
    let inStore = reference === IN_STORE ? 1 : 0;
    for (let i = 0; i < words[chunk + ENTRY_COUNT_WORD]; i++) {
      const at = chunk + FIRST_ENTRY_WORD + i * 2;
      if (words[at] >>> 0 !== prefix || at === found) continue;
      others++;
      if (words[at + 1] === IN_STORE) inStore++;
    }
    return others > 0 && inStore > 0;
  }

  /** Replaces all entries of a prefix by IN_STORE. `added`: change in the number of entries. */
  #moveToStore(zone: Zone, at: number, prefix: number, added: number): void {
    const entries = this.#read(this.#arena.words[at + 1] * 2);
    const first = entries.findIndex(([other]) => other === prefix);
    const moved = entries.filter(([other]) => other === prefix);
    const stored = Array.from({ length: moved.length + added }, (): Pair => [prefix, IN_STORE]);
    entries.splice(first, moved.length, ...stored);
    this.#replaceChunk(zone, at, entries.length <= MAX_CHUNK ? [entries] : halves(entries));
    for (const [, reference] of moved) this.#release(reference);
  }

  /** Whether the chunks of the zone are in the arena. False: they did not fit. */
  #hasChunks(zone: Zone): boolean {
    return zone.directory !== 0 && this.#arena.words[zoneStart(zone) + CHUNK_COUNT_WORD] > 0;
  }

  #chunks(zone: Zone): Pair[] {
    if (!this.#hasChunks(zone)) return [];
    const { words } = this.#arena;
    const start = zoneStart(zone);
    return Array.from({ length: words[start + CHUNK_COUNT_WORD] }, (_, i) => {
      const at = start + FIRST_CHUNK_WORD + i * 2;
      return [words[at] >>> 0, words[at + 1]];
    });
  }

  /**
   * Returns the word of the directory with the first hash of the chunk that `prefix` belongs to.
   */
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

  /**
   * Returns the word of the pair of a hash in a chunk, or -1. Pairs of entries in the store differ
   * only by their prefix. If the hash was stored and is not in the arena, any such pair of its
   * prefix serves.
   */
  #find(chunk: number, prefix: number, hash: Uint8Array, from: number, wasStored: boolean): number {
    const { words, bytes } = this.#arena;
    const count = words[chunk + ENTRY_COUNT_WORD];
    let stored = -1;
    for (let i = 0; i < count; i++) {
      const at = chunk + FIRST_ENTRY_WORD + i * 2;
      if (words[at] >>> 0 !== prefix) continue;
      if (words[at + 1] === IN_STORE) {
        if (wasStored) stored = at;
        continue;
      }
      const entry = words[at + 1] * 8;
      let k = 0;
      while (k < HASH_LENGTH && bytes[entry + ENTRY_HASH_AT + k] === hash[from + k]) k++;
      if (k === HASH_LENGTH) return at;
    }
    return stored;
  }

  /** Whether the hash of `entry` sorts before the hash of the entry at `reference`. */
  #isBefore(entry: Uint8Array, reference: number): boolean {
    const { bytes } = this.#arena;
    const other = reference * 8;
    if (reference === IN_STORE) return false;
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

  /** Returns the reference of a new chunk; 0: the arena is full. */
  #writeChunk(entries: readonly Pair[]): number {
    const { words, bytes } = this.#arena;
    const size = chunkSize(entries.length);
    const offset = this.#arena.allocate(size, false);
    if (offset !== 0) writeChunk(bytes, words, offset, entries);
    return offset / 8;
  }

  #store(entry: Uint8Array): number {
    const offset = this.#arena.allocate(entry.length, true);
    if (offset === 0) return IN_STORE;
    this.#arena.bytes.set(entry, offset);
    return offset / 8;
  }

  #release(reference: number): void {
    if (reference !== IN_STORE) this.#arena.retire(reference * 8);
  }
}

/** First 32 bits of a hash, and a reference. */
export type Pair = [prefix: number, reference: number];

/** Bytes of a chunk. */
export const chunkSize = (entries: number): number => (FIRST_ENTRY_WORD + entries * 2) * 4;

/** Writes a chunk at `offset`, in bytes, into the arena. */
export function writeChunk(bytes: Uint8Array, words: Int32Array, offset: number, entries: readonly Pair[]): void {
  writeSize(bytes, offset, chunkSize(entries.length));
  const chunk = offset / 4;
  words[chunk + ENTRY_COUNT_WORD] = entries.length;
  entries.forEach(([prefix, reference], i) => {
    words[chunk + FIRST_ENTRY_WORD + i * 2] = prefix;
    words[chunk + FIRST_ENTRY_WORD + i * 2 + 1] = reference;
  });
}

const zoneStart = ({ directory, apex }: Zone): number => (directory + directoryStart(apex.length + 1)) / 4;

export function directoryName(apex: Uint8Array): Uint8Array {
  const name = new Uint8Array(apex.length + 1);
  name[0] = DIRECTORY_MARK;
  name.set(apex, 1);
  return name;
}

export function prefixOf(bytes: Uint8Array, at: number): number {
  return ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0;
}

function writeSize(bytes: Uint8Array, at: number, size: number): void {
  for (let i = 0; i < 4; i++) bytes[at + i] = size >>> (24 - i * 8);
}

/** Splits entries into two parts of about the same size. Equal prefixes stay in one part. */
function halves(entries: readonly Pair[]): Pair[][] {
  let middle = entries.length >>> 1;
  while (middle < entries.length && entries[middle][0] === entries[middle - 1][0]) middle++;
  return middle === entries.length ? [[...entries]] : [entries.slice(0, middle), entries.slice(middle)];
}
