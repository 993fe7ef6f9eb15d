/**
 * The streams of a session by their ids, in a table of open addressing. A Map leaves its old table
 * when it grows or is rehashed, and that refers to the new one: once it is in V8's old generation,
 * each collection of the young one keeps all streams since, closed or not.
 */

interface Identified {
  /** Odd, and higher than those of all streams opened before. */
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
    // Those behind it that would not be found over a gap move into it.
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

  /** In no certain order, without those that are deleted or added meanwhile. */
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
    const before = this.#slots;
    this.#slots = new Array<T | null>(before.length * 2).fill(null);
    before.fill(null);
    for (const stream of streams) this.#put(stream);
  }
}
