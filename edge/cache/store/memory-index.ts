/**
 * Maps the hash of a URL to the address of its newest entry in memory. Open addressing with linear
 * probing. A deletion moves later slots back, so there are no tombstones, and a miss ends at the
 * first empty slot. Two words (8 bytes) per slot; at most three quarters are in use.
 */
export class MemoryIndex {
  /** Slots in use. */
  count = 0;
  readonly capacity: number;
  readonly #mask: number;
  /** b of the hash; 0: empty. */
  readonly #tags: Uint32Array;
  /** Bytes / 8 from the start of the memory; undefined content in an empty slot. */
  readonly #addresses: Uint32Array;

  /** `capacity`: a power of two. */
  constructor(capacity: number) {
    this.capacity = capacity;
    this.#mask = capacity - 1;
    this.#tags = new Uint32Array(capacity);
    this.#addresses = new Uint32Array(capacity);
  }

  get isFull(): boolean {
    return this.count >= this.capacity - (this.capacity >>> 2);
  }

  get bytes(): number {
    return this.capacity * 8;
  }

  /**
   * The address, or -1. Two URLs with the same b in the same run of slots share one slot. The
   * reader compares URLs, so one of the two is a miss.
   */
  find(a: number, b: number): number {
    const slot = this.#slot(a, b);
    return slot < 0 ? -1 : this.#addresses[slot];
  }

  set(a: number, b: number, address: number): void {
    let slot = a & this.#mask;
    while (this.#tags[slot] !== 0 && this.#tags[slot] !== b) slot = (slot + 1) & this.#mask;
    if (this.#tags[slot] === 0) this.count++;
    this.#tags[slot] = b;
    this.#addresses[slot] = address;
  }

  /** `homeOf`: returns a of the entry at an address, which the slots do not store. */
  delete(a: number, b: number, homeOf: (address: number) => number): void {
    let hole = this.#slot(a, b);
    if (hole < 0) return;
    const mask = this.#mask;
    this.count--;
    for (let slot = (hole + 1) & mask; this.#tags[slot] !== 0; slot = (slot + 1) & mask) {
      // A slot moves only if the hole is between its home and itself.
      const home = homeOf(this.#addresses[slot]) & mask;
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
      this.#tags[hole] = this.#tags[slot];
      this.#addresses[hole] = this.#addresses[slot];
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
