/** A bounded cache of expensive values, with second-chance (clock) eviction. */
export class Recent<Key, Value> {
  readonly #capacity: number;
  readonly #drop: (value: Value) => void;
  /** In order of insertion. An entry with a second chance moves to the end. */
  readonly #entries = new Map<Key, Entry<Value>>();
  /**
   * The clock's hand: its next entry is the next candidate for eviction. The iterator is never
   * replaced, since a new one would walk over the slots of deleted entries, which a Map keeps.
   */
  readonly #hand = this.#entries.entries();

  /**
   * `capacity`: 1 or more; while `make` runs, the cache may hold `capacity` other values. `drop`
   * receives each evicted value.
   */
  constructor(capacity: number, drop: (value: Value) => void = () => {}) {
    this.#capacity = capacity;
    this.#drop = drop;
  }

  get size(): number {
    return this.#entries.size;
  }

  /**
   * The cached value of the key, or a new one by `make`. If `make` throws, the cache is unchanged.
   */
  of(key: Key, make: () => Value): Value {
    const entry = this.#entries.get(key);
    if (entry !== undefined) {
      entry.isUsed = true;
      return entry.value;
    }
    const value = make();
    // Evict before the insertion. Otherwise the new entry could be the only unused one, and be
    // evicted itself.
    if (this.#entries.size >= this.#capacity) this.#evict();
    this.#entries.set(key, { value, isUsed: false });
    return value;
  }

  clear(): void {
    while (this.#entries.size > 0) this.#evict();
  }

  /**
   * Evicts the first entry that was not used since the hand last passed it. A hit only sets a flag.
   */
  #evict(): void {
    for (;;) {
      const [key, entry] = this.#hand.next().value as [Key, Entry<Value>];
      this.#entries.delete(key);
      if (!entry.isUsed) {
        this.#drop(entry.value);
        return;
      }
      entry.isUsed = false;
      this.#entries.set(key, entry);
    }
  }
}

interface Entry<Value> {
  readonly value: Value;
  /** Used since the hand last passed it. */
  isUsed: boolean;
}
