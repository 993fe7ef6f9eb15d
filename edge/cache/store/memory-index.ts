/**
 * Hash of a URL ─► place of its newest entry in memory: open addressing with linear probing, two words a slot. A deletion moves back what stood behind it, so that
 * there are no graves and a miss ends at the first empty slot. 8 bytes a slot, at most three quarters of them in use.
 */
export class MemoryIndex {
  /** Slots in use. */
  count = 0;
  readonly capacity: number;
  readonly #mask: number;
  /** b of the hash; 0: empty. */
  readonly #tags: Uint32Array;
  /** Bytes / 8 from the begin of the memory; where the slot is empty, of no meaning. */
  readonly #places: Uint32Array;

  /** `capacity`: a power of two. */
  constructor(capacity: number) {
    this.capacity = capacity;
    this.#mask = capacity - 1;
    this.#tags = new Uint32Array(capacity);
    this.#places = new Uint32Array(capacity);
  }

  get isFull(): boolean {
    return this.count >= this.capacity - (this.capacity >>> 2);
  }

  get bytes(): number {
    return this.capacity * 8;
  }

  /** The place, or -1. Two URLs with the same b that probe the same slots would be one here: the reader compares URLs, and one of them is a miss. */
  find(a: number, b: number): number {
    const slot = this.#slot(a, b);
    return slot < 0 ? -1 : this.#places[slot];
  }

  set(a: number, b: number, place: number): void {
    let slot = a & this.#mask;
    while (this.#tags[slot] !== 0 && this.#tags[slot] !== b) slot = (slot + 1) & this.#mask;
    if (this.#tags[slot] === 0) this.count++;
    this.#tags[slot] = b;
    this.#places[slot] = place;
  }

  /** `homeOf`: a of the hash of the entry at a place, which the slots themselves don't tell. */
  delete(a: number, b: number, homeOf: (place: number) => number): void {
    let hole = this.#slot(a, b);
    if (hole < 0) return;
    const mask = this.#mask;
    this.count--;
    for (let slot = (hole + 1) & mask; this.#tags[slot] !== 0; slot = (slot + 1) & mask) {
      // It may move only to where its own probing still passes.
      const home = homeOf(this.#places[slot]) & mask;
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
      this.#tags[hole] = this.#tags[slot];
      this.#places[hole] = this.#places[slot];
      hole = slot;
    }
    this.#tags[hole] = 0;
  }

  #slot(a: number, b: number): number {
    const mask = this.#mask;
    for (let slot = a & mask; this.#tags[slot] !== 0; slot = (slot + 1) & mask) if (this.#tags[slot] === b) return slot;
    return -1;
  }
}
