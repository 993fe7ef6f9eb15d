/**
 * The packed entries in memory, as bytes in a few blocks. As objects, a million entries would be
 * about ten million objects that the garbage collector marks.
 *
 *     small ─► [block][block]            new entries, a tenth of the memory
 *     main  ─► [block][block][block]…    entries that proved popular
 *
 * The algorithm is S3-FIFO (Yang et al., SOSP 2023). The oldest entry of `small` moves to `main` if
 * it had a hit, else it is evicted. So a scan displaces only a tenth of the memory. A new entry is
 * inserted into `main` if `small` evicted it recently. In `main` an entry with a hit gets another
 * round.
 *
 * Entries are appended to the last block of a queue and removed from the first block in order, so
 * there are no holes to manage. An address is bytes / 8 from the start of block 0. Blocks are
 * reused. Small bodies follow their heads, and are copied on a read because the block may be
 * reused. Larger bodies are separate buffers, which live as long as they are referenced.
 *
 *     entry    0 length    4 a    8 b of the hash    12 next entry of the URL (address + 1)
 *             16 flags    17 hits, up to 3           20 head (entry.ts), body, encoded bodies
 */
import { MemoryBlocks } from './memory-blocks.ts';
import { MemoryIndex } from './memory-index.ts';

const HEADER_BYTES = 20;
const DEAD = 1;
/** The entry is also in the hot set, and is not evicted. */
const PINNED = 2;
/** Other variants of the URL were evicted. All entries of a URL have the same flag. */
const PARTIAL = 4;
const MAX_HITS = 3;
/** Maximum steps of one call that spare popular entries. Later steps evict regardless of hits. */
const MAX_ROUNDS = 2000;

interface MemoryLogOptions {
  /** Total bytes: blocks, separate bodies and index. */
  readonly limit: number;
  /** Whether the oldest entry of a queue is void; `headAt`: offset of its head. */
  isVoid(block: Buffer, headAt: number): boolean;
  /** Called when an entry is evicted. */
  onEvict(wasVoid: boolean): void;
  /** Called when a pinned entry is evicted. */
  onUnpin(block: Buffer, headAt: number): void;
}

interface Queue {
  /** Blocks by number, oldest first. */
  readonly blocks: number[];
  /** Offset of the oldest entry in the first block. */
  head: number;
  /** Offset of the next entry in the last block. */
  tail: number;
  /** Bytes that a sweep still has to visit. */
  bytesToSweep: number;
}

export class MemoryLog {
  /** Entries that a lookup can find. */
  count = 0;
  /** Bytes of separate bodies, and bytes that the owner has added (`addOutside`). */
  outside = 0;
  readonly #options: MemoryLogOptions;
  /** Current limit in bytes for blocks and separate bodies; at most `#maxLimit`. */
  #limit: number;
  readonly #maxLimit: number;
  readonly #blocks: MemoryBlocks;
  /** Offset of the end of the entries in a full block. */
  readonly #ends: number[] = [];
  readonly #index: MemoryIndex;
  readonly #small: Queue = { blocks: [], head: 0, tail: 0, bytesToSweep: 0 };
  readonly #main: Queue = { blocks: [], head: 0, tail: 0, bytesToSweep: 0 };
  /** The ghosts of S3-FIFO: b of entries that `small` evicted recently, indexed by a. */
  readonly #ghosts: Uint32Array;
  readonly #outside = new Map<number, readonly Uint8Array[]>();
  #roundsLeft = 0;

  constructor(options: MemoryLogOptions) {
    this.#options = options;
    // 256 bytes a slot: entries are larger, so the blocks are usually full before the index.
    const slots = 2 ** Math.max(8, Math.min(26, Math.floor(Math.log2(Math.max(1, options.limit / 256)))));
    this.#index = new MemoryIndex(slots);
    this.#ghosts = new Uint32Array(slots >>> 2);
    const size = Math.max(64 * 1024, Math.min(1024 * 1024, 2 ** Math.floor(Math.log2(options.limit / 64))));
    this.#blocks = new MemoryBlocks(size);
    this.#maxLimit = options.limit - this.#index.bytes - this.#ghosts.byteLength;
    this.#limit = this.#maxLimit;
  }

  /** Bytes allocated from the system, including the index. */
  get bytes(): number {
    return this.#blocks.bytes + this.outside + this.#index.bytes + this.#ghosts.byteLength;
  }

  /** Bytes of a block, which limits the length of an entry. */
  get blockBytes(): number {
    return this.#blocks.size;
  }

  /** Address of the first entry with a hash, or -1. `next` returns the others. */
  find(a: number, b: number): number {
    return this.#index.find(a, b);
  }

  next(address: number): number {
    return this.#word(address, 3) - 1;
  }

  blockOf(address: number): Buffer {
    return this.#blocks.blockOf(address);
  }

  /** The offset of an entry's head in its block. */
  headAt(address: number): number {
    return this.#blocks.offsetOf(address) + HEADER_BYTES;
  }

  /** The separate body and encoded bodies. Undefined: they follow the head. */
  outsideOf(address: number): readonly Uint8Array[] | undefined {
    return this.#outside.get(address);
  }

  /** Counts a hit. Returns the number of earlier hits, up to 3. */
  touch(address: number): number {
    const block = this.blockOf(address);
    const at = this.#blocks.offsetOf(address) + 17;
    const hits = block[at];
    if (hits < MAX_HITS) block[at] = hits + 1;
    return hits;
  }

  /** Pins or unpins the entries of a URL: pinned entries are in the hot set. */
  pin(a: number, b: number, isPinned: boolean): void {
    this.#flagAll(a, b, PINNED, isPinned);
  }

  /**
   * Whether other variants of the URL were evicted or never loaded. The disk may have more variants
   * than the memory.
   */
  isPartial(address: number): boolean {
    return (this.blockOf(address)[this.#blocks.offsetOf(address) + 16] & PARTIAL) !== 0;
  }

  setPartial(a: number, b: number, isPartial: boolean): void {
    this.#flagAll(a, b, PARTIAL, isPartial);
  }

  /**
   * Makes room for an entry and appends it as the first entry with its hash. Returns its address,
   * or -1: no room. `write` writes head and inner body at an offset of a block.
   */
  append(
    a: number,
    b: number,
    bytes: number,
    outside: readonly Uint8Array[] | undefined,
    write: (block: Buffer, at: number) => void,
  ): number {
    const length = (HEADER_BYTES + bytes + 7) & ~7;
    let size = 0;
    for (const part of outside ?? []) size += part.length;
    if (length > this.#blocks.size || !this.#makeRoom(size)) return -1;
    while (this.#index.isFull) if (!this.#evictOne()) return -1;
    const slot = a & (this.#ghosts.length - 1);
    const isGhost = this.#ghosts[slot] === b;
    if (isGhost) this.#ghosts[slot] = 0;
    const queue = isGhost ? this.#main : this.#small;
    const address = this.#reserve(queue, length);
    const block = this.blockOf(address);
    const at = this.#blocks.offsetOf(address);
    const words = this.#blocks.wordsOf(address);
    words.set([length, a, b, this.#index.find(a, b) + 1], at / 4);
    const first = words[at / 4 + 3] - 1;
    block[at + 16] = first >= 0 && this.isPartial(first) ? PARTIAL : 0;
    block[at + 17] = 0;
    if (outside !== undefined) this.#outside.set(address, outside);
    this.outside += size;
    write(block, at + HEADER_BYTES);
    this.#index.set(a, b, address);
    this.count++;
    return address;
  }

  /** Removes one entry with a hash. */
  drop(a: number, b: number, address: number): void {
    this.#unlink(a, b, address, -1);
    this.#markDead(address);
  }

  dropAll(a: number, b: number): void {
    for (let address = this.find(a, b); address >= 0; address = this.next(address)) this.#markDead(address);
    this.#index.delete(a, b, this.#homeOf);
  }

  /**
   * Counts bytes that the owner holds for entries; negative: it has released them. Evicts entries
   * to stay within the limit.
   */
  addOutside(bytes: number): void {
    this.outside += bytes;
    if (bytes > 0) this.#makeRoom(0);
  }

  /** Prepares a sweep, which visits all entries once and evicts void entries. */
  startSweep(): void {
    for (const queue of [this.#small, this.#main]) queue.bytesToSweep = queue.blocks.length * this.#blocks.size;
  }

  /**
   * Visits the next entries, the oldest first. Valid entries move to the end in order. False: the
   * sweep is complete.
   */
  sweep(entries: number): boolean {
    for (const queue of [this.#small, this.#main])
      for (; queue.bytesToSweep > 0 && queue.blocks.length > 0; entries--) {
        if (entries === 0) return true;
        queue.bytesToSweep -= this.#processOldest(queue, 'keep');
      }
    return false;
  }

  /**
   * Moves the limit towards a share of the maximum, and evicts entries to stay within it. One call
   * reduces it by an eighth of the maximum at most, to avoid blocking the thread.
   */
  limitTo(share: number): void {
    const wanted = Math.floor(this.#maxLimit * share);
    if (wanted === this.#limit) return;
    this.#limit = Math.max(wanted, this.#limit - Math.ceil(this.#maxLimit / 8));
    this.#makeRoom(0);
  }

  clear(): void {
    while (this.#small.blocks.length > 0) this.#processOldest(this.#small, 'drop');
    while (this.#main.blocks.length > 0) this.#processOldest(this.#main, 'drop');
  }

  #makeRoom(bytes: number): boolean {
    // Each queue needs a block for copies of entries that get another round; a third is spare.
    const room = this.#limit - 3 * this.#blocks.size - bytes;
    if (room < 0) return false;
    this.#roundsLeft = MAX_ROUNDS;
    while (this.#usedBytes > room) if (!this.#evictOne()) return false;
    // Free blocks must not take room from separate bodies.
    this.#blocks.trim(this.#limit - this.outside - bytes);
    return true;
  }

  get #usedBytes(): number {
    return (this.#small.blocks.length + this.#main.blocks.length) * this.#blocks.size + this.outside;
  }

  /** False: there are no entries. */
  #evictOne(): boolean {
    const small = this.#small.blocks.length;
    const main = this.#main.blocks.length;
    if (small + main === 0) return false;
    const isSmall = small > 0 && (main === 0 || small * 10 > small + main);
    this.#processOldest(isSmall ? this.#small : this.#main, this.#roundsLeft-- > 0 ? 'evict' : 'drop');
    return true;
  }

  /**
   * Processes the oldest entry of a queue, or releases the first block if it has no entry left.
   * Returns the number of processed bytes.
   */
  #processOldest(queue: Queue, action: 'evict' | 'keep' | 'drop'): number {
    const number = queue.blocks[0];
    if (queue.head >= (queue.blocks.length === 1 ? queue.tail : this.#ends[number])) {
      const rest = this.#blocks.size - queue.head;
      this.#release(queue);
      return rest;
    }
    const at = queue.head;
    const address = this.#blocks.addressOf(number, at);
    const block = this.blockOf(address);
    const length = this.#blocks.wordsOf(address)[at / 4];
    queue.head += length;
    const flags = block[at + 16];
    if ((flags & DEAD) !== 0) return length;
    const isVoid = this.#options.isVoid(block, at + HEADER_BYTES);
    if (isVoid || action === 'drop') this.#evict(queue, address, isVoid);
    else if (action === 'keep') this.#moveToEnd(address, queue);
    else if ((flags & PINNED) !== 0 || block[at + 17] > 0) {
      block[at + 17] = queue === this.#small ? 0 : Math.max(0, block[at + 17] - 1);
      this.#moveToEnd(address, this.#main);
    } else this.#evict(queue, address, false);
    return length;
  }

  /** Copies an entry to the end of a queue. */
  #moveToEnd(address: number, queue: Queue): void {
    const block = this.blockOf(address);
    const at = this.#blocks.offsetOf(address);
    const words = this.#blocks.wordsOf(address);
    const length = words[at / 4];
    // The source stays valid: a block is released only after its last entry was processed.
    const to = this.#reserve(queue, length);
    block.copy(this.blockOf(to), this.#blocks.offsetOf(to), at, at + length);
    const outside = this.#outside.get(address);
    if (outside !== undefined) {
      this.#outside.delete(address);
      this.#outside.set(to, outside);
    }
    this.#unlink(words[at / 4 + 1], words[at / 4 + 2], address, to);
  }

  #evict(queue: Queue, address: number, isVoid: boolean): void {
    const block = this.blockOf(address);
    const at = this.#blocks.offsetOf(address);
    const words = this.#blocks.wordsOf(address);
    const a = words[at / 4 + 1];
    const b = words[at / 4 + 2];
    if ((block[at + 16] & PINNED) !== 0) {
      this.#options.onUnpin(block, at + HEADER_BYTES);
      this.pin(a, b, false);
    }
    this.#options.onEvict(isVoid);
    if (!isVoid && queue === this.#small) this.#ghosts[a & (this.#ghosts.length - 1)] = b;
    this.#unlink(a, b, address, -1);
    this.#markDead(address);
    if (!isVoid) this.#flagAll(a, b, PARTIAL, true);
  }

  #flagAll(a: number, b: number, flag: number, isSet: boolean): void {
    for (let address = this.find(a, b); address >= 0; address = this.next(address)) {
      const block = this.blockOf(address);
      const at = this.#blocks.offsetOf(address) + 16;
      block[at] = isSet ? block[at] | flag : block[at] & ~flag;
    }
  }

  /** Removes an entry from the list of its URL. `replacement`: gets its position; -1: none. */
  #unlink(a: number, b: number, address: number, replacement: number): void {
    const next = this.next(address);
    const first = this.#index.find(a, b);
    if (first === address) {
      if (replacement >= 0) this.#index.set(a, b, replacement);
      else if (next >= 0) this.#index.set(a, b, next);
      else this.#index.delete(a, b, this.#homeOf);
      return;
    }
    let before = first;
    while (before >= 0 && this.next(before) !== address) before = this.next(before);
    if (before >= 0)
      this.#blocks.wordsOf(before)[this.#blocks.offsetOf(before) / 4 + 3] = (replacement >= 0 ? replacement : next) + 1;
  }

  /** The entry's bytes stay in the block, unreferenced, until the block is released. */
  #markDead(address: number): void {
    this.blockOf(address)[this.#blocks.offsetOf(address) + 16] |= DEAD;
    this.count--;
    const outside = this.#outside.get(address);
    if (outside === undefined) return;
    for (const part of outside) this.outside -= part.length;
    this.#outside.delete(address);
  }

  /** Reserves an address at the end of a queue. */
  #reserve(queue: Queue, length: number): number {
    const { blocks } = queue;
    if (blocks.length === 0 || queue.tail + length > this.#blocks.size) {
      if (blocks.length > 0) this.#ends[blocks[blocks.length - 1]] = queue.tail;
      else queue.head = 0;
      blocks.push(this.#blocks.allocate());
      queue.tail = 0;
    }
    const address = this.#blocks.addressOf(blocks[blocks.length - 1], queue.tail);
    queue.tail += length;
    return address;
  }

  #release(queue: Queue): void {
    const number = queue.blocks.shift();
    if (number !== undefined) this.#blocks.release(number);
    queue.head = 0;
    if (queue.blocks.length === 0) queue.tail = 0;
  }

  #word(address: number, index: number): number {
    return this.#blocks.wordsOf(address)[this.#blocks.offsetOf(address) / 4 + index];
  }

  readonly #homeOf = (address: number): number => this.#word(address, 1);
}
