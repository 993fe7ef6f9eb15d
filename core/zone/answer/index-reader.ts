/**
 * Finds nodes in the shared index for the name of a query. One object per thread. Results are valid
 * between `enter` and `leave`. Hot: nothing is allocated for nodes in the arena.
 */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { LOWER } from '../../dns/wire/name.ts';
import { MAX_NODE, NAME_LENGTH_AT, NODE_FLAGS_AT, NODE_HEADER, NODE_SIGNED, nameOffset } from '../../store/answers.ts';
import { APEX_WORD, DIRECTORY_MARK, directoryStart } from '../../store/index/denial-layout.ts';
import {
  COMMITS,
  COMMITTING,
  changingWord,
  ENTRY_SCRATCH,
  EPOCH,
  FILLING,
  finishHash,
  GENERATION,
  HAS_SECONDARIES,
  MAX_LABELS,
  readerWord,
  SCRATCH,
  type SharedIndex,
  UNAVAILABLE,
} from '../../store/index/layout.ts';
import { isListed } from '../../store/index/unavailable-zones.ts';

/** Reads nodes that do not fit into the arena. */
export interface NodeStore {
  /** Takes a new snapshot. */
  refresh(): void;
  /**
   * Copies the node of a name to `out` at `at` if it is not longer than `room`. Returns its length;
   * 0 if the name has no node. The name consists of the labels at bytes[from], after `*.` if
   * `wildcard`.
   */
  fetch(bytes: Uint8Array, from: number, wildcard: boolean, out: Uint8Array, at: number, room: number): number;
  /**
   * Copies the NSEC3 entry of a zone with the greatest hash that is not above `hash`, in a circle,
   * to `out` at `at` if it is not longer than `room`. The apex of the zone is at bytes[from].
   * Returns the length; 0 if there is none.
   */
  fetchEntry(bytes: Uint8Array, from: number, hash: Uint8Array, out: Uint8Array, at: number, room: number): number;
  /** The same for the NSEC entry with the greatest key of its owner that is not above `key`. */
  fetchOrdered?(bytes: Uint8Array, from: number, key: Uint8Array, out: Uint8Array, at: number, room: number): number;
}

/** Maximum labels of a name (RFC 1035 section 3.1: 255 bytes). */
export const LABELS = 128;

/** Maximum names to prefetch at a time. */
const MAX_PREFETCH = 64;
/** Maximum bytes to scan of a name. The last label may exceed it. */
const MAX_SCAN = 191;
/**
 * An index without more slots fits into the processor's caches. Prefetching would cost 60 ns per
 * name and save nothing.
 */
const CACHED_SLOTS = 1 << 16;
/** Bytes of a cache line; most nodes span two, those with a signature five. */
const LINE = 64;

/** In store-only mode, the index has no slots, and names may have any depth. */
const NO_SLOTS = new Int32Array(2);
const ANY_LABELS = Int32Array.of(LABELS);

export class IndexReader {
  /** The arena with the nodes: as bytes, in 32-bit words, and for copying. */
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
  readonly view: DataView;
  /**
   * Offsets in the packet of the labels of the current name, and hash sums of the suffixes that
   * start there.
   */
  readonly starts = new Int32Array(LABELS);
  readonly sums = new Int32Array(LABELS);
  /**
   * Names found in the arena, and names read from the store. Callers that count reset them to 0.
   */
  hits = 0;
  fetches = 0;
  /** Changes with every `enter`, so that callers can cache values per batch. */
  batch = 0;
  readonly #header: Int32Array;
  readonly #multipliers: Int32Array;
  readonly #word: number;
  readonly #scratch: number;
  readonly #unavailable: Int32Array;
  readonly #port: MessagePort | null;
  readonly #store: NodeStore;
  #slots: Int32Array;
  /** The slots of the index in store-only mode. */
  #heldSlots: Int32Array;
  #mask: number;
  #generation: number;
  #commits: number;
  #half = 0;
  /** Something was read from the store in this batch. */
  #hasFetched = false;
  /** Store-only mode. The slots are empty then, so lookups in the index need no check. */
  #isStoreOnly = false;
  /** The maximum number of labels of the names in the index. */
  #maxLabels: Int32Array;
  /** The hashes of prefetched names. */
  readonly #prefetched = new Int32Array(MAX_PREFETCH);
  /** The sum of the bytes that `prefetch` has read. */
  loadedSum = 0;

  constructor(shared: SharedIndex, reader: number, port: MessagePort | null, store: NodeStore) {
    this.#header = new Int32Array(shared.header);
    this.#multipliers = new Int32Array(shared.multipliers);
    this.bytes = new Uint8Array(shared.arena);
    this.view = new DataView(shared.arena);
    this.words = new Int32Array(shared.arena, 0, Math.floor(this.bytes.length / 4));
    this.#slots = new Int32Array(shared.slots);
    this.#unavailable = new Int32Array(shared.unavailable);
    this.#mask = this.#slots.length / 2 - 1;
    this.#heldSlots = this.#slots;
    this.#maxLabels = this.#header.subarray(MAX_LABELS, MAX_LABELS + 1);
    this.#generation = shared.generation;
    this.#commits = Atomics.load(this.#header, COMMITS);
    this.#word = readerWord(reader);
    this.#scratch = reader * SCRATCH;
    this.#port = port;
    this.#store = store;
    if (Atomics.load(this.#header, GENERATION) !== FILLING) return;
    this.#generation = FILLING;
    this.enterStore();
  }

  /** Whether all names are read from the store now. */
  get isStoreOnly(): boolean {
    return this.#isStoreOnly;
  }

  /** Starts a batch: from now on, no memory that can be found is reused. */
  enter(): void {
    this.batch = (this.batch + 1) | 0;
    this.#hasFetched = false;
    Atomics.store(this.#header, this.#word, Atomics.load(this.#header, EPOCH));
    this.#refresh();
  }

  #refresh(): void {
    if (Atomics.load(this.#header, GENERATION) !== this.#generation) this.#updateSlots();
    const commits = Atomics.load(this.#header, COMMITS);
    if (commits !== this.#commits) {
      this.#commits = commits;
      this.#store.refresh();
    }
  }

  leave(): void {
    Atomics.store(this.#header, this.#word, 0);
  }

  /**
   * Whether the zone of an apex may have changed since the batch was entered, so that names and
   * NSEC3 records that were found do not agree. `sum`: of the apex. Must be called after all of
   * them were found. Hot.
   */
  isDisturbed(sum: number): boolean {
    if (this.#isStoreOnly) return false;
    const header = this.#header;
    // In this order: see IndexWriter.publish.
    if (Atomics.load(header, changingWord(sum)) !== 0) return true;
    if (this.#hasFetched && Atomics.load(header, COMMITTING) !== 0) return true;
    return Atomics.load(header, COMMITS) !== this.#commits;
  }

  /** Refreshes to the state published since `enter`. False: nothing was published. */
  catchUp(): boolean {
    if (Atomics.load(this.#header, COMMITS) === this.#commits) return false;
    this.#refresh();
    return true;
  }

  /**
   * Reads everything from a new snapshot of the store, until `leaveStore`. Unlike the index, it has
   * all of a change or nothing. An index that is being filled is read in this way.
   */
  enterStore(): void {
    this.#isStoreOnly = true;
    this.#heldSlots = this.#slots;
    this.#slots = NO_SLOTS;
    this.#mask = 0;
    this.#maxLabels = ANY_LABELS;
    this.#store.refresh();
  }

  leaveStore(): void {
    this.#isStoreOnly = false;
    this.#setSlots(this.#heldSlots);
    this.#maxLabels = this.#header.subarray(MAX_LABELS, MAX_LABELS + 1);
    // A thread without queries must not keep the snapshot.
    this.#store.refresh();
  }

  /** The maximum number of labels of names that can be found. */
  get maxLabels(): number {
    return this.#maxLabels[0];
  }

  /** Whether NOTIFY may be for this server. */
  get hasSecondaries(): boolean {
    return Atomics.load(this.#header, HAS_SECONDARIES) !== 0;
  }

  /** Whether any zone is unavailable: see `isUnavailable`. Hot. */
  get hasUnavailable(): boolean {
    return this.#header[UNAVAILABLE] !== 0;
  }

  /**
   * Whether the zone whose apex is the last `length` bytes of the current name is unavailable: a
   * secondary that has expired, or was never transferred, or a zone that is being deleted. The name
   * starts at `label`.
   */
  isUnavailable(packet: Uint8Array, end: number, length: number): boolean {
    const from = end - length;
    let label = 0;
    while (this.starts[label] < from) label++;
    return isListed(this.#unavailable, packet, from, end, this.sums[label]);
  }

  /**
   * Hashes every suffix of a name in one pass from the right. The name ends with the root label at
   * packet[end - 1]; `starts` has the offsets of its `labels` labels.
   */
  hashSuffixes(packet: Uint8Array, end: number, labels: number): void {
    const { starts, sums } = this;
    const multipliers = this.#multipliers;
    let sum = 0;
    let i = end - 2;
    for (let label = labels - 1; label >= 0; label--) {
      const start = starts[label];
      for (; i >= start; i--) sum = (sum + Math.imul(multipliers[end - 1 - i], LOWER[packet[i]])) | 0;
      sums[label] = sum;
    }
    sums[labels] = 0;
  }

  /**
   * Prefetches the memory for `count` names, which start at packets[at + i × stride]. Looked up one
   * after the other, each name would wait for memory twice: for its slot and for its node. Here the
   * processor waits for many at the same time (80 of 500 ns less with 100,000 names, and 60 more
   * for signatures). For invalid names, unrelated memory is read. Must be called between `enter`
   * and `leave`.
   */
  prefetch(packets: Uint8Array, at: number, stride: number, count: number): void {
    const { bytes } = this;
    const slots = this.#slots;
    const mask = this.#mask;
    const multipliers = this.#multipliers;
    const hashes = this.#prefetched;
    if (mask < CACHED_SLOTS) return;
    // The sum keeps the compiler from removing the loads.
    let loadedSum = 0;
    for (let i = 0; i < count; i++) {
      const from = at + i * stride;
      let root = from;
      const limit = from + MAX_SCAN;
      while (root < limit && packets[root] !== 0) root += (packets[root] & 63) + 1;
      let sum = 0;
      for (let p = root - 1; p >= from; p--) sum = (sum + Math.imul(multipliers[root - p], LOWER[packets[p]])) | 0;
      const hash = finishHash(sum);
      hashes[i & (MAX_PREFETCH - 1)] = hash;
      loadedSum = (loadedSum + slots[(hash & mask) * 2]) | 0;
    }
    for (let i = 0; i < count; i++) {
      const hash = hashes[i & (MAX_PREFETCH - 1)];
      const slot = (hash & mask) * 2;
      // Without this, missing names would load the nodes of others.
      if (slots[slot] !== hash) continue;
      const node = slots[slot + 1] * 8;
      if (node <= 0) continue;
      loadedSum = (loadedSum + (bytes[node + LINE] | 0)) | 0;
      if ((bytes[node + NODE_FLAGS_AT] & NODE_SIGNED) === 0) continue;
      const more = (bytes[node + 2 * LINE] | 0) + (bytes[node + 3 * LINE] | 0) + (bytes[node + 4 * LINE] | 0);
      loadedSum = (loadedSum + more) | 0;
    }
    this.loadedSum = loadedSum;
  }

  /**
   * The offset of the node of the name at packet[from, end) with hash sum `sum`; 0 if there is
   * none.
   */
  find(packet: Uint8Array, from: number, end: number, sum: number): number {
    const { bytes } = this;
    const slots = this.#slots;
    const mask = this.#mask;
    const hash = finishHash(sum);
    const length = end - from;
    for (let i = hash & mask; ; i = (i + 1) & mask) {
      const h = slots[i * 2];
      if (h === 0) return this.#isStoreOnly ? this.#fetch(packet, from, false) : 0;
      if (h !== hash) continue;
      const reference = Atomics.load(slots, i * 2 + 1);
      if (reference > 0) {
        const node = reference * 8;
        if (bytes[node + NAME_LENGTH_AT] !== length) continue;
        const name = nameOffset(bytes, node);
        let k = 0;
        while (k < length && bytes[name + k] === LOWER[packet[from + k]]) k++;
        if (k === length) {
          this.hits++;
          return node;
        }
      } else if (reference < 0) {
        const node = this.#fetch(packet, from, false);
        if (node !== 0) return node;
      }
    }
  }

  /**
   * The offset of the node of `*.` before the name at packet[from, end) with hash sum `sum`; 0 if
   * there is none.
   */
  findWildcard(packet: Uint8Array, from: number, end: number, sum: number): number {
    const { bytes } = this;
    const slots = this.#slots;
    const mask = this.#mask;
    const multipliers = this.#multipliers;
    const length = end - from;
    const hash = finishHash((sum + Math.imul(multipliers[length], 0x2a) + multipliers[length + 1]) | 0);
    for (let i = hash & mask; ; i = (i + 1) & mask) {
      const h = slots[i * 2];
      if (h === 0) return this.#isStoreOnly ? this.#fetch(packet, from, true) : 0;
      if (h !== hash) continue;
      const reference = Atomics.load(slots, i * 2 + 1);
      if (reference > 0) {
        const node = reference * 8;
        const name = nameOffset(bytes, node);
        if (bytes[node + NAME_LENGTH_AT] !== length + 2 || bytes[name] !== 1 || bytes[name + 1] !== 0x2a) continue;
        let k = 0;
        while (k < length && bytes[name + 2 + k] === LOWER[packet[from + k]]) k++;
        if (k === length) {
          this.hits++;
          return node;
        }
      } else if (reference < 0) {
        const node = this.#fetch(packet, from, true);
        if (node !== 0) return node;
      }
    }
  }

  /**
   * The offset of the directory of NSEC3 entries (denial-layout.ts) of the zone whose apex is at
   * packet[from, end) and has the hash sum `sum`; 0 if the zone is not signed, or read from the
   * store.
   */
  findDirectory(packet: Uint8Array, from: number, end: number, sum: number): number {
    const { bytes } = this;
    const slots = this.#slots;
    const mask = this.#mask;
    const length = end - from;
    const hash = finishHash((sum + Math.imul(this.#multipliers[length], DIRECTORY_MARK)) | 0);
    for (let i = hash & mask; ; i = (i + 1) & mask) {
      const h = slots[i * 2];
      if (h === 0) return 0;
      if (h !== hash) continue;
      const node = Atomics.load(slots, i * 2 + 1) * 8;
      const name = node + NODE_HEADER;
      if (node <= 0 || bytes[node + NAME_LENGTH_AT] !== length + 1 || bytes[name] !== DIRECTORY_MARK) continue;
      let k = 0;
      while (k < length && bytes[name + 1 + k] === LOWER[packet[from + k]]) k++;
      if (k === length) return node;
    }
  }

  /** The word of a directory with its apex: see denial-layout.ts. */
  readApex(directory: number): number {
    const start = directory + directoryStart(this.bytes[directory + NAME_LENGTH_AT]);
    return Atomics.load(this.words, (start >>> 2) + APEX_WORD);
  }

  /** The offset of an NSEC3 entry from the store: see NodeStore. 0: there is none. */
  fetchEntry(packet: Uint8Array, from: number, hash: Uint8Array): number {
    this.fetches++;
    this.#hasFetched = true;
    const at = this.#scratch + 2 * MAX_NODE;
    return this.#store.fetchEntry(packet, from, hash, this.bytes, at, ENTRY_SCRATCH) === 0 ? 0 : at;
  }

  /** The offset of an NSEC entry from the store: see NodeStore. 0: there is none. */
  fetchOrdered(packet: Uint8Array, apex: number, key: Uint8Array, from: number, end: number): number {
    this.fetches++;
    this.#hasFetched = true;
    const at = this.#scratch + 2 * MAX_NODE;
    const wanted = key.subarray(from, end);
    const length = this.#store.fetchOrdered?.(packet, apex, wanted, this.bytes, at, ENTRY_SCRATCH) ?? 0;
    return length === 0 ? 0 : at;
  }

  #fetch(packet: Uint8Array, from: number, wildcard: boolean): number {
    this.fetches++;
    this.#hasFetched = true;
    const at = this.#scratch + this.#half;
    if (this.#store.fetch(packet, from, wildcard, this.bytes, at, MAX_NODE) === 0) return 0;
    this.#half ^= MAX_NODE;
    return at;
  }

  #updateSlots(): void {
    if (this.#generation === FILLING) this.leaveStore();
    this.#generation = Atomics.load(this.#header, GENERATION);
    if (this.#port === null) return;
    for (
      let message = receiveMessageOnPort(this.#port);
      message !== undefined;
      message = receiveMessageOnPort(this.#port)
    ) {
      this.#setSlots(new Int32Array(message.message as SharedArrayBuffer));
    }
  }

  #setSlots(slots: Int32Array): void {
    this.#slots = slots;
    this.#mask = slots.length / 2 - 1;
  }
}
