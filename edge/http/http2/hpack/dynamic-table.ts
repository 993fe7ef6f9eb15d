/**
 * The dynamic table (RFC 7541 sections 2.3.2 and 4), a ring of entries. The ring grows with the
 * entries, up to `maxSize`, so an idle connection takes little memory.
 */
import type { Entry } from './entry.ts';

const FIRST_SLOTS = 16;

export class DynamicTable {
  /** Of power-of-two length; slots outside of [#oldest, #oldest + count) are undefined. */
  #ring: (Entry | undefined)[] = [];
  #oldest = 0;
  #count = 0;
  #size = 0;
  #maxSize: number;

  /** `maxSize`: bytes as RFC 7541 section 4.1 counts them. */
  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get count(): number {
    return this.#count;
  }

  get size(): number {
    return this.#size;
  }

  get maxSize(): number {
    return this.#maxSize;
  }

  /** The entry inserted `age` insertions before the newest; undefined: none. */
  at(age: number): Entry | undefined {
    if (age >= this.#count) return undefined;
    return this.#ring[(this.#oldest + this.#count - 1 - age) & (this.#ring.length - 1)];
  }

  /**
   * Evicts entries to make room, then inserts. An entry larger than the table only empties it (RFC
   * 7541 section 4.4).
   */
  insert(entry: Entry): void {
    this.#evictTo(this.#maxSize - entry.size);
    if (entry.size > this.#maxSize) return;
    if (this.#count === this.#ring.length) this.#grow();
    this.#ring[(this.#oldest + this.#count) & (this.#ring.length - 1)] = entry;
    this.#count++;
    this.#size += entry.size;
  }

  clear(): void {
    this.#evictTo(0);
  }

  resize(maxSize: number): void {
    this.#maxSize = maxSize;
    this.#evictTo(maxSize);
  }

  #evictTo(size: number): void {
    while (this.#size > size && this.#count > 0) {
      const slot = this.#oldest & (this.#ring.length - 1);
      this.#size -= (this.#ring[slot] as Entry).size;
      this.#ring[slot] = undefined;
      this.#oldest = (slot + 1) & (this.#ring.length - 1);
      this.#count--;
    }
  }

  /** Doubles the ring. The table holds at most maxSize / 32 entries, which limits the ring. */
  #grow(): void {
    const ring = new Array<Entry | undefined>(Math.max(FIRST_SLOTS, this.#ring.length * 2)).fill(undefined);
    for (let i = 0; i < this.#count; i++) ring[i] = this.#ring[(this.#oldest + i) & (this.#ring.length - 1)];
    this.#ring = ring;
    this.#oldest = 0;
  }

  /** Allocated slots, for tests: fewer than twice maxSize / 32, or FIRST_SLOTS. */
  get slots(): number {
    return this.#ring.length;
  }
}
