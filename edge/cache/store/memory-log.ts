/**
 * The entries in memory, packed: a million of them as objects would be some ten million for the garbage collector to mark; here they are the bytes of some blocks.
 *
 *     small ─► [block][block]            S3-FIFO (Yang et al., SOSP 2023): what comes goes to `small`, a tenth of the memory; what was asked for meanwhile moves on
 *     main  ─► [block][block][block]…    to `main` when its turn comes, the rest goes, so that a scan passes through the tenth. Whoever was put out of
 *                                        `small` lately goes to `main` at once. In `main` what was asked for gets another round.
 *
 * Entries are appended to the last block of a queue and leave at the first, in order, so there are no holes to manage. A place is bytes / 8 from the begin of block 0;
 * blocks are used again. Bodies up to a few KB are behind their heads, and are copied out when asked for, since their block may be used again; larger ones are
 * buffers of their own, which live as long as anybody holds them.
 *
 *     an entry   0 length   4 a   8 b of its hash   12 next of the URL (place + 1)   16 flags   17 times asked for, to 3   20 head (entry.ts), body, codings
 */
import { MemoryBlocks } from './memory-blocks.ts';
import { MemoryIndex } from './memory-index.ts';

const HEADER = 20;
const DEAD = 1;
/** Is kept whatever its turn: it is in the hot set, too. */
const PINNED = 2;
/** Others of its URL were put out: the same for all entries of a URL. */
const PARTIAL = 4;
const MOST_ASKED = 3;
/** Entries that get another round before, in one call, what comes next goes whatever it is: a call is bounded. */
const ROUNDS = 2000;

export interface MemoryLogOptions {
  /** Bytes in all: blocks, bodies outside, index. */
  readonly limit: number;
  /** Asked about an entry whose turn it is, by its head: whether it is void. */
  isVoid(block: Buffer, headAt: number): boolean;
  /** An entry has left when its turn came. */
  onEvict(wasVoid: boolean): void;
  /** One that was pinned goes, by its head. */
  onUnpin(block: Buffer, headAt: number): void;
}

interface Queue {
  /** Blocks by number, oldest first. */
  readonly blocks: number[];
  /** Where the oldest entry begins in the first block, and the next will in the last. */
  head: number;
  tail: number;
  /** Bytes that a sweep has before it. */
  toSweep: number;
}

export class MemoryLog {
  /** Entries that can be found. */
  count = 0;
  /** Of bodies outside, and what the owner counts (`addOutside`). */
  outside = 0;
  readonly #options: MemoryLogOptions;
  readonly #limit: number;
  readonly #blocks: MemoryBlocks;
  /** Where entries end in a block that is full. */
  readonly #ends: number[] = [];
  readonly #index: MemoryIndex;
  readonly #small: Queue = { blocks: [], head: 0, tail: 0, toSweep: 0 };
  readonly #main: Queue = { blocks: [], head: 0, tail: 0, toSweep: 0 };
  /** b of the hashes that were put out of `small`, by a. */
  readonly #ghosts: Uint32Array;
  readonly #outside = new Map<number, readonly Uint8Array[]>();
  #rounds = 0;

  constructor(options: MemoryLogOptions) {
    this.#options = options;
    // 256 bytes for each slot: entries are larger, so blocks are full before the index is, as a rule.
    const slots = 2 ** Math.max(8, Math.min(26, Math.floor(Math.log2(Math.max(1, options.limit / 256)))));
    this.#index = new MemoryIndex(slots);
    this.#ghosts = new Uint32Array(slots >>> 2);
    const size = Math.max(64 * 1024, Math.min(1024 * 1024, 2 ** Math.floor(Math.log2(options.limit / 64))));
    this.#blocks = new MemoryBlocks(size);
    this.#limit = options.limit - this.#index.bytes - this.#ghosts.byteLength;
  }

  /** Bytes that are taken of the system, the index among them. */
  get bytes(): number {
    return this.#blocks.bytes + this.outside + this.#index.bytes + this.#ghosts.byteLength;
  }

  /** Bytes of a block: no entry is longer. */
  get blockBytes(): number {
    return this.#blocks.size;
  }

  /** Place of the first entry under a hash, or -1; the others follow by `next`. */
  find(a: number, b: number): number {
    return this.#index.find(a, b);
  }

  next(place: number): number {
    return this.#word(place, 3) - 1;
  }

  blockOf(place: number): Buffer {
    return this.#blocks.blockOf(place);
  }

  /** Where in its block the head of an entry begins. */
  headAt(place: number): number {
    return this.#blocks.at(place) + HEADER;
  }

  /** Body and codings that are outside, else undefined: then they are behind the head. */
  outsideOf(place: number): readonly Uint8Array[] | undefined {
    return this.#outside.get(place);
  }

  /** Counts that it was asked for. Returns how often it had been, up to 3. */
  touch(place: number): number {
    const block = this.blockOf(place);
    const at = this.#blocks.at(place) + 17;
    const asked = block[at];
    if (asked < MOST_ASKED) block[at] = asked + 1;
    return asked;
  }

  /** Whether entries under a hash are in the hot set: they stay as long. */
  pin(a: number, b: number, isPinned: boolean): void {
    this.#flagAll(a, b, PINNED, isPinned);
  }

  /** Whether others under this hash were put out, or never came: what is here is not all that the disk may have. */
  isPartial(place: number): boolean {
    return (this.blockOf(place)[this.#blocks.at(place) + 16] & PARTIAL) !== 0;
  }

  setPartial(a: number, b: number, isPartial: boolean): void {
    this.#flagAll(a, b, PARTIAL, isPartial);
  }

  /**
   * Makes room for an entry and appends it, first of those under its hash. Returns its place, or -1 when there is no room for it. `write` puts head and inner body at an
   * offset of a block.
   */
  append(
    a: number,
    b: number,
    bytes: number,
    outside: readonly Uint8Array[] | undefined,
    write: (block: Buffer, at: number) => void,
  ): number {
    const length = (HEADER + bytes + 7) & ~7;
    let size = 0;
    for (const part of outside ?? []) size += part.length;
    if (length > this.#blocks.size || !this.#makeRoom(size)) return -1;
    while (this.#index.isFull) if (!this.#evictOne()) return -1;
    const slot = a & (this.#ghosts.length - 1);
    const isKnown = this.#ghosts[slot] === b;
    if (isKnown) this.#ghosts[slot] = 0;
    const queue = isKnown ? this.#main : this.#small;
    const place = this.#reserve(queue, length);
    const block = this.blockOf(place);
    const at = this.#blocks.at(place);
    const words = this.#blocks.wordsOf(place);
    words.set([length, a, b, this.#index.find(a, b) + 1], at / 4);
    const first = words[at / 4 + 3] - 1;
    block[at + 16] = first >= 0 && this.isPartial(first) ? PARTIAL : 0;
    block[at + 17] = 0;
    if (outside !== undefined) this.#outside.set(place, outside);
    this.outside += size;
    write(block, at + HEADER);
    this.#index.set(a, b, place);
    this.count++;
    return place;
  }

  /** Makes one entry under a hash void. */
  drop(a: number, b: number, place: number): void {
    this.#unlink(a, b, place, -1);
    this.#bury(place);
  }

  dropAll(a: number, b: number): void {
    for (let place = this.find(a, b); place >= 0; place = this.next(place)) this.#bury(place);
    this.#index.delete(a, b, this.#homeOf);
  }

  /** Counts, or no longer, bytes that the owner holds for entries; puts out others to stay within the limit. */
  addOutside(bytes: number): void {
    this.outside += bytes;
    if (bytes > 0) this.#makeRoom(0);
  }

  /** From here on `sweep` goes over all entries once, to drop what is void. */
  startSweep(): void {
    for (const queue of [this.#small, this.#main]) queue.toSweep = queue.blocks.length * this.#blocks.size;
  }

  /** So many entries, the oldest first; those that stay go to the end, in their order. False: all have had their turn. */
  sweep(entries: number): boolean {
    for (const queue of [this.#small, this.#main])
      for (; queue.toSweep > 0 && queue.blocks.length > 0; entries--) {
        if (entries === 0) return true;
        queue.toSweep -= this.#turn(queue, 'keep');
      }
    return false;
  }

  clear(): void {
    while (this.#small.blocks.length > 0) this.#turn(this.#small, 'drop');
    while (this.#main.blocks.length > 0) this.#turn(this.#main, 'drop');
  }

  #makeRoom(bytes: number): boolean {
    // Copies of what gets another round need a block in each queue.
    const room = this.#limit - 3 * this.#blocks.size - bytes;
    if (room < 0) return false;
    this.#rounds = ROUNDS;
    while (this.#inUse > room) if (!this.#evictOne()) return false;
    // Blocks that wait to be used again are not held against bodies outside.
    this.#blocks.trim(this.#limit - this.outside - bytes);
    return true;
  }

  get #inUse(): number {
    return (this.#small.blocks.length + this.#main.blocks.length) * this.#blocks.size + this.outside;
  }

  /** False when there is nothing. */
  #evictOne(): boolean {
    const small = this.#small.blocks.length;
    const main = this.#main.blocks.length;
    if (small + main === 0) return false;
    const isSmall = small > 0 && (main === 0 || small * 10 > small + main);
    this.#turn(isSmall ? this.#small : this.#main, this.#rounds-- > 0 ? 'evict' : 'drop');
    return true;
  }

  /** The turn of the oldest entry of a queue, or of its first block when that has none left. Returns bytes that are done with. */
  #turn(queue: Queue, what: 'evict' | 'keep' | 'drop'): number {
    const number = queue.blocks[0];
    if (queue.head >= (queue.blocks.length === 1 ? queue.tail : this.#ends[number])) {
      const rest = this.#blocks.size - queue.head;
      this.#release(queue);
      return rest;
    }
    const at = queue.head;
    const place = this.#blocks.place(number, at);
    const block = this.blockOf(place);
    const length = this.#blocks.wordsOf(place)[at / 4];
    queue.head += length;
    const flags = block[at + 16];
    if ((flags & DEAD) !== 0) return length;
    const isVoid = this.#options.isVoid(block, at + HEADER);
    if (isVoid || what === 'drop') this.#leave(queue, place, isVoid);
    else if (what === 'keep') this.#move(place, queue);
    else if ((flags & PINNED) !== 0 || block[at + 17] > 0) {
      block[at + 17] = queue === this.#small ? 0 : Math.max(0, block[at + 17] - 1);
      this.#move(place, this.#main);
    } else this.#leave(queue, place, false);
    return length;
  }

  /** To the end of a queue. */
  #move(place: number, queue: Queue): void {
    const block = this.blockOf(place);
    const at = this.#blocks.at(place);
    const words = this.#blocks.wordsOf(place);
    const length = words[at / 4];
    // The block that is read from is released only when its last entry has had its turn.
    const to = this.#reserve(queue, length);
    block.copy(this.blockOf(to), this.#blocks.at(to), at, at + length);
    const outside = this.#outside.get(place);
    if (outside !== undefined) {
      this.#outside.delete(place);
      this.#outside.set(to, outside);
    }
    this.#unlink(words[at / 4 + 1], words[at / 4 + 2], place, to);
  }

  #leave(queue: Queue, place: number, isVoid: boolean): void {
    const block = this.blockOf(place);
    const at = this.#blocks.at(place);
    const words = this.#blocks.wordsOf(place);
    const a = words[at / 4 + 1];
    const b = words[at / 4 + 2];
    if ((block[at + 16] & PINNED) !== 0) {
      this.#options.onUnpin(block, at + HEADER);
      this.pin(a, b, false);
    }
    this.#options.onEvict(isVoid);
    if (!isVoid && queue === this.#small) this.#ghosts[a & (this.#ghosts.length - 1)] = b;
    this.#unlink(a, b, place, -1);
    this.#bury(place);
    if (!isVoid) this.#flagAll(a, b, PARTIAL, true);
  }

  #flagAll(a: number, b: number, flag: number, isSet: boolean): void {
    for (let place = this.find(a, b); place >= 0; place = this.next(place)) {
      const block = this.blockOf(place);
      const at = this.#blocks.at(place) + 16;
      block[at] = isSet ? block[at] | flag : block[at] & ~flag;
    }
  }

  /** Takes a place out of the entries of its URL, or puts another in its stead. */
  #unlink(a: number, b: number, place: number, instead: number): void {
    const next = this.next(place);
    const first = this.#index.find(a, b);
    if (first === place) {
      if (instead >= 0) this.#index.set(a, b, instead);
      else if (next >= 0) this.#index.set(a, b, next);
      else this.#index.delete(a, b, this.#homeOf);
      return;
    }
    let before = first;
    while (before >= 0 && this.next(before) !== place) before = this.next(before);
    if (before >= 0)
      this.#blocks.wordsOf(before)[this.#blocks.at(before) / 4 + 3] = (instead >= 0 ? instead : next) + 1;
  }

  /** What lies there takes room until its turn, and nothing else. */
  #bury(place: number): void {
    this.blockOf(place)[this.#blocks.at(place) + 16] |= DEAD;
    this.count--;
    const outside = this.#outside.get(place);
    if (outside === undefined) return;
    for (const part of outside) this.outside -= part.length;
    this.#outside.delete(place);
  }

  /** A place at the end of a queue. */
  #reserve(queue: Queue, length: number): number {
    const { blocks } = queue;
    if (blocks.length === 0 || queue.tail + length > this.#blocks.size) {
      if (blocks.length > 0) this.#ends[blocks[blocks.length - 1]] = queue.tail;
      else queue.head = 0;
      blocks.push(this.#blocks.take());
      queue.tail = 0;
    }
    const place = this.#blocks.place(blocks[blocks.length - 1], queue.tail);
    queue.tail += length;
    return place;
  }

  #release(queue: Queue): void {
    const number = queue.blocks.shift();
    if (number !== undefined) this.#blocks.release(number);
    queue.head = 0;
    if (queue.blocks.length === 0) queue.tail = 0;
  }

  #word(place: number, index: number): number {
    return this.#blocks.wordsOf(place)[this.#blocks.at(place) / 4 + index];
  }

  readonly #homeOf = (place: number): number => this.#word(place, 1);
}
