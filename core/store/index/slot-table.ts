/**
 * The hash table of the index: slots of two words, the hash of a name and the reference of its
 * node. Reading threads use the same memory. An empty slot has hash 0, and that of a removed name
 * reference 0.
 *
 * A table that is nearly full moves to a larger one in small steps, with each insertion: moving
 * millions of slots at once would take some tenths of a second. Until then, readers have the old
 * table, and changes are made in both.
 */
import { largeMemory } from '../../os/memory.ts';

/** Share of used slots, including slots of removed names, above which the table grows. */
const MAX_LOAD = 0.66;
/** Slots that an insertion moves: the table is less than 0.73 full when all are moved. */
const MOVED_PER_INSERTION = 16;

export class SlotTable {
  #slots: Int32Array;
  #mask: number;
  /** Slots with a hash. */
  #used = 0;
  /** Slots with a reference. */
  #names = 0;
  /** The larger table, while slots are moved to it. */
  #next: SlotTable | null = null;
  /** Slots before this one are moved. */
  #moved = 0;

  /** `onGrown`: called when readers need the slots of a larger table. */
  constructor(
    slots: SharedArrayBuffer,
    private readonly onGrown: (slots: SharedArrayBuffer) => void,
  ) {
    this.#slots = new Int32Array(slots);
    this.#mask = this.#slots.length / 2 - 1;
  }

  /** The number of slots of a table for `count` names. */
  static sizeFor(count: number): number {
    let size = 1024;
    while (size * MAX_LOAD < count) size *= 2;
    return size;
  }

  get size(): number {
    return this.#mask + 1;
  }

  /** The first slot with this hash, or the first from `from` on; -1: there is none. */
  find(hash: number, from = hash): number {
    for (let i = from & this.#mask; this.#slots[i * 2] !== 0; i = (i + 1) & this.#mask)
      if (this.#slots[i * 2] === hash) return i;
    return -1;
  }

  /** The reference in a slot; 0: its name was removed. */
  reference(slot: number): number {
    return this.#slots[slot * 2 + 1];
  }

  /** Sets the reference in the slot of a name; 0: removes the name. */
  set(slot: number, reference: number): void {
    const old = this.reference(slot);
    if (this.#next !== null && slot < this.#moved) this.#next.#replace(this.#slots[slot * 2], old, reference);
    Atomics.store(this.#slots, slot * 2 + 1, reference);
    if (reference === 0) this.#names--;
  }

  #replace(hash: number, old: number, reference: number): void {
    let slot = this.find(hash);
    while (slot >= 0 && this.reference(slot) !== old) slot = this.find(hash, slot + 1);
    if (slot >= 0) this.set(slot, reference);
  }

  /** Adds a name. */
  insert(hash: number, reference: number): void {
    if (this.#next === null && (this.#used + 1) / this.size > MAX_LOAD) this.#beginGrowing(1);
    const slot = this.#insert(hash, reference);
    if (this.#next === null) return;
    if (slot < this.#moved) this.#next.#insert(hash, reference);
    this.#move(MOVED_PER_INSERTION);
  }

  /** Makes room for so many names at once, before readers use the table. */
  reserve(count: number): void {
    if ((this.#used + count) / this.size <= MAX_LOAD) return;
    this.#beginGrowing(count);
    this.#move(this.size);
  }

  #insert(hash: number, reference: number): number {
    let i = hash & this.#mask;
    while (this.#slots[i * 2] !== 0 && this.#slots[i * 2 + 1] !== 0) i = (i + 1) & this.#mask;
    if (this.#slots[i * 2] === 0) this.#used++;
    this.#names++;
    // Between these two writes, a reader finds either a node with another name, or no name.
    Atomics.store(this.#slots, i * 2 + 1, reference);
    Atomics.store(this.#slots, i * 2, hash);
    return i;
  }

  /** Removed names are not moved, so the new table may be no larger. */
  #beginGrowing(added: number): void {
    let size = this.size;
    while ((this.#names + added) / size > MAX_LOAD / 1.5) size *= 2;
    this.#next = new SlotTable(largeMemory(size * 8), this.onGrown);
    this.#moved = 0;
  }

  #move(count: number): void {
    const next = this.#next!;
    const end = Math.min(this.size, this.#moved + count);
    for (let i = this.#moved; i < end; i++) {
      const reference = this.reference(i);
      if (this.#slots[i * 2] !== 0 && reference !== 0) next.#insert(this.#slots[i * 2], reference);
    }
    this.#moved = end;
    if (end < this.size) return;
    this.#slots = next.#slots;
    this.#mask = next.#mask;
    this.#used = next.#used;
    this.#names = next.#names;
    this.#next = null;
    this.onGrown(this.#slots.buffer as SharedArrayBuffer);
  }
}
