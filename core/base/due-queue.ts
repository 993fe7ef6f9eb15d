interface Entry<Key> {
  readonly key: Key;
  readonly at: number;
}

/** Maximum of replaced entries in the heap, unless there are more keys. */
const MAX_SKIPPED = 64;

/**
 * Keys by due time, in a binary heap. A key has one time. Replaced entries stay in the heap and are
 * skipped.
 */
export class DueQueue<Key> {
  #heap: Entry<Key>[] = [];
  readonly #times = new Map<Key, number>();

  /** Number of keys. */
  get size(): number {
    return this.#times.size;
  }

  /** The earliest time; null: there is none. */
  get first(): number | null {
    for (let entry = this.#heap[0]; entry !== undefined; entry = this.#heap[0]) {
      if (this.#times.get(entry.key) === entry.at) return entry.at;
      this.#pop();
    }
    return null;
  }

  has(key: Key): boolean {
    return this.#times.has(key);
  }

  /** Replaces the time of the key. `at` null: nothing is due. */
  set(key: Key, at: number | null): void {
    if (at === null) {
      this.#times.delete(key);
      return;
    }
    if (this.#times.get(key) === at) return;
    this.#times.set(key, at);
    this.#push({ key, at });
    if (this.#heap.length <= MAX_SKIPPED + 2 * this.#times.size) return;
    this.#heap = [];
    for (const [other, time] of this.#times) this.#push({ key: other, at: time });
  }

  /** Removes and returns the key that is due earliest; null: no key is due at `now`. */
  take(now: number): Key | null {
    const at = this.first;
    if (at === null || at > now) return null;
    const { key } = this.#heap[0];
    this.#pop();
    this.#times.delete(key);
    return key;
  }

  #push(entry: Entry<Key>): void {
    const heap = this.#heap;
    let i = heap.push(entry) - 1;
    for (let above = (i - 1) >> 1; i > 0 && heap[above].at > entry.at; above = (i - 1) >> 1) {
      heap[i] = heap[above];
      i = above;
    }
    heap[i] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let i = 0;
    for (let below = 1; below < heap.length; below = 2 * i + 1) {
      if (below + 1 < heap.length && heap[below + 1].at < heap[below].at) below++;
      if (heap[below].at >= last.at) break;
      heap[i] = heap[below];
      i = below;
    }
    heap[i] = last;
  }
}
