/**
 * A bounded map that evicts entries which were not used recently. It has two generations: when the
 * young generation is full, it replaces the old generation, whose entries are evicted. A hit of a
 * hot key is a hit in the young generation, which costs one lookup and no write.
 */
export class RecentMap<V, K = string> {
  readonly #capacity: number;
  readonly #onEvict: ((value: V) => void) | undefined;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  /**
   * Keeps at most 2 × `capacity` entries, and at least the `capacity` entries that were used last.
   * `onEvict` receives each evicted value.
   */
  constructor(capacity: number, onEvict?: (value: V) => void) {
    this.#capacity = capacity;
    this.#onEvict = onEvict;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(key: K): V | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) return value;
    const old = this.#old.get(key);
    if (old !== undefined) {
      this.set(key, old);
    }
    return old;
  }

  set(key: K, value: V): void {
    this.#old.delete(key);
    if (this.#young.size >= this.#capacity && !this.#young.has(key)) {
      if (this.#onEvict !== undefined) for (const evicted of this.#old.values()) this.#onEvict(evicted);
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
