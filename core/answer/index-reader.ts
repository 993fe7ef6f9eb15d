/**
 * Finds nodes in the shared index for the name of a query. One for each thread; between `enter` and `leave` what it returned stays valid.
 * Hot: nothing here allocates once a name's node is in the arena.
 */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { MAX_NODE, NAME_LENGTH_AT, nameOffset } from '../store/answers.ts';
import {
  COMMITS,
  EPOCH,
  finishHash,
  GENERATION,
  MAX_LABELS,
  readerWord,
  SCRATCH,
  type SharedIndex,
} from '../store/index/layout.ts';
import { LOWER } from '../wire/name.ts';

/** Reads nodes that the arena has no room for. */
export interface NodeStore {
  /** Takes a new snapshot. */
  refresh(): void;
  /**
   * Copies the node of a name to `out` at `at` when it is no longer than `room`, and returns its length; 0 when the name has none.
   * The name is `*.` (if `wildcard`) before the labels at bytes[from].
   */
  fetch(bytes: Uint8Array, from: number, wildcard: boolean, out: Uint8Array, at: number, room: number): number;
}

/** Labels of a name, at most (RFC 1035 3.1: 255 bytes). */
export const LABELS = 128;

/** Names looked at ahead at a time. */
const AHEAD = 64;
/** Bytes of a name, at most (RFC 1035 3.1), without those of a label that goes past them. */
const MAX_NAME = 191;
/** An index with no more slots is in the processor's own caches: a name costs 60 ns ahead, and waits for nothing. */
const FEW = 1 << 16;
/** Bytes of a cache line; most nodes are in two. */
const LINE = 64;

export class IndexReader {
  /** The nodes. */
  readonly bytes: Uint8Array;
  /** Offsets in the packet of the labels of the name parsed last, and the hash sums of the suffixes that begin there. */
  readonly starts = new Int32Array(LABELS);
  readonly sums = new Int32Array(LABELS);
  /** Names found in the arena, and names looked for in the store, since whoever counts has set them to 0. */
  hits = 0;
  fetches = 0;
  /** Changes with every `enter`, so that what holds for a batch can be kept. */
  batch = 0;
  readonly #header: Int32Array;
  readonly #multipliers: Int32Array;
  readonly #word: number;
  readonly #scratch: number;
  readonly #port: MessagePort | null;
  readonly #store: NodeStore;
  #slots: Int32Array;
  #mask: number;
  #generation: number;
  #commits: number;
  #half = 0;
  /** Of the names looked at ahead: what their first slots refer to. */
  readonly #ahead = new Int32Array(AHEAD);
  /** What `warm` has read, added up. */
  seen = 0;

  constructor(shared: SharedIndex, reader: number, port: MessagePort | null, store: NodeStore) {
    this.#header = new Int32Array(shared.header);
    this.#multipliers = new Int32Array(shared.multipliers);
    this.bytes = new Uint8Array(shared.arena);
    this.#slots = new Int32Array(shared.slots);
    this.#mask = this.#slots.length / 2 - 1;
    this.#generation = shared.generation;
    this.#commits = Atomics.load(this.#header, COMMITS);
    this.#word = readerWord(reader);
    this.#scratch = reader * SCRATCH;
    this.#port = port;
    this.#store = store;
  }

  /** Before a batch: from now on nothing that can be found is reused. */
  enter(): void {
    this.batch = (this.batch + 1) | 0;
    Atomics.store(this.#header, this.#word, Atomics.load(this.#header, EPOCH));
    if (Atomics.load(this.#header, GENERATION) !== this.#generation) this.#takeSlots();
    const commits = Atomics.load(this.#header, COMMITS);
    if (commits !== this.#commits) {
      this.#commits = commits;
      this.#store.refresh();
    }
  }

  leave(): void {
    Atomics.store(this.#header, this.#word, 0);
  }

  /** The most labels that any name in the index has. */
  get maxLabels(): number {
    return this.#header[MAX_LABELS];
  }

  /**
   * Takes apart the labels from packet[from] on, which end with the root label at packet[end - 1], and hashes every suffix in one pass
   * from the right. `labels`: how many there are, with their offsets in `starts`.
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
   * Fetches the memory in which the `count` names will be looked for that begin at packets[at + i × stride], before they are: one after the other each would wait
   * for memory twice, for its slot and then for its node; so the processor waits for many at a time (80 ns less of 500 among 100,000 names). A name that is none costs a look at
   * something else. Between `enter` and `leave`.
   */
  warm(packets: Uint8Array, at: number, stride: number, count: number): void {
    const { bytes } = this;
    const slots = this.#slots;
    const mask = this.#mask;
    const multipliers = this.#multipliers;
    const ahead = this.#ahead;
    if (mask < FEW) return;
    for (let i = 0; i < count; i++) {
      const from = at + i * stride;
      let root = from;
      const most = from + MAX_NAME;
      while (root < most && packets[root] !== 0) root += (packets[root] & 63) + 1;
      let sum = 0;
      for (let p = root - 1; p >= from; p--) sum = (sum + Math.imul(multipliers[root - p], LOWER[packets[p]])) | 0;
      ahead[i & (AHEAD - 1)] = slots[(finishHash(sum) & mask) * 2 + 1];
    }
    // Added up so that no compiler takes the loads for useless.
    let seen = 0;
    for (let i = 0; i < count; i++) {
      const node = ahead[i & (AHEAD - 1)] * 8;
      if (node > 0) seen += bytes[node] + (bytes[node + LINE] | 0);
    }
    this.seen = seen;
  }

  /** Offset of the node of the name at packet[from, end), whose sum is given, or 0. */
  find(packet: Uint8Array, from: number, end: number, sum: number): number {
    const { bytes } = this;
    const slots = this.#slots;
    const mask = this.#mask;
    const hash = finishHash(sum);
    const length = end - from;
    for (let i = hash & mask; ; i = (i + 1) & mask) {
      const h = slots[i * 2];
      if (h === 0) return 0;
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

  /** Offset of the node of `*.` before the name at packet[from, end), whose sum is given, or 0. */
  findWildcard(packet: Uint8Array, from: number, end: number, sum: number): number {
    const { bytes } = this;
    const slots = this.#slots;
    const mask = this.#mask;
    const multipliers = this.#multipliers;
    const length = end - from;
    const hash = finishHash((sum + Math.imul(multipliers[length], 0x2a) + multipliers[length + 1]) | 0);
    for (let i = hash & mask; ; i = (i + 1) & mask) {
      const h = slots[i * 2];
      if (h === 0) return 0;
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

  #fetch(packet: Uint8Array, from: number, wildcard: boolean): number {
    this.fetches++;
    const at = this.#scratch + this.#half;
    if (this.#store.fetch(packet, from, wildcard, this.bytes, at, MAX_NODE) === 0) return 0;
    this.#half ^= MAX_NODE;
    return at;
  }

  #takeSlots(): void {
    this.#generation = Atomics.load(this.#header, GENERATION);
    if (this.#port === null) return;
    for (
      let message = receiveMessageOnPort(this.#port);
      message !== undefined;
      message = receiveMessageOnPort(this.#port)
    ) {
      this.#slots = new Int32Array(message.message as SharedArrayBuffer);
      this.#mask = this.#slots.length / 2 - 1;
    }
  }
}
