/**
 * The streams of a session by id: a hash table with open addressing. A Map replaces its table when
 * it grows or is rehashed, and the old table refers to the new one. Once the old table is in V8's
 * old generation, young collections keep all later streams alive, even closed ones.
 */

interface Identified {
  /** Odd, and higher than the ids of all streams opened before. */
  readonly id: number;
}

/** A power of two. */
const LEAST_SLOTS = 16;

export class StreamTable<T extends Identified> {
  size = 0;
  #slots: (T | null)[] = new Array<T | null>(LEAST_SLOTS).fill(null);

  get(id: number): T | undefined {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let at = (id >> 1) & mask; ; at = (at + 1) & mask) {
      const stream = slots[at];
      if (stream === null) return undefined;
      if (stream.id === id) return stream;
    }
  }

  /** The id must not be in the table. */
  add(stream: T): void {
    if (this.size * 2 >= this.#slots.length) this.#grow();
    this.size++;
    this.#put(stream);
  }

  /** False: it is not in the table. */
  delete(id: number): boolean {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = (id >> 1) & mask;
    for (let stream = slots[at]; stream === null || stream.id !== id; stream = slots[at]) {
      if (stream === null) return false;
      at = (at + 1) & mask;
    }
    this.size--;
    // Entries after the gap that a lookup could no longer reach move into it.
    for (let next = (at + 1) & mask; ; next = (next + 1) & mask) {
      const stream = slots[next];
      if (stream === null) break;
      const home = (stream.id >> 1) & mask;
      if (((next - home) & mask) < ((next - at) & mask)) continue;
      slots[at] = stream;
      at = next;
    }
    slots[at] = null;
    return true;
  }

  /** In unspecified order. Streams that are deleted or added during the iteration are skipped. */
  *values(): IterableIterator<T> {
    for (const stream of this.#all()) if (this.get(stream.id) === stream) yield stream;
  }

  #all(): T[] {
    return this.#slots.filter((stream) => stream !== null);
  }

  #put(stream: T): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = (stream.id >> 1) & mask;
    while (slots[at] !== null) at = (at + 1) & mask;
    slots[at] = stream;
  }

  #grow(): void {
    const streams = this.#all();
    const oldSlots = this.#slots;
    this.#slots = new Array<T | null>(oldSlots.length * 2).fill(null);
    oldSlots.fill(null);
    for (const stream of streams) this.#put(stream);
  }
}
