/**
 * A bounded map with second-chance (clock) eviction. A hit only sets a flag, so it costs one
 * lookup.
 */
export class RecentMap<V, K = string> {
  readonly #entries = new Map<K, Entry<V, K>>();
  /** The clock: all entries. A new entry replaces an evicted one. */
  readonly #ring: Entry<V, K>[] = [];
  /** Index of the next candidate for eviction. */
  #hand = 0;

  /** `capacity`: 1 or more. `onEvict` receives each value that is evicted or cleared. */
  constructor(
    private readonly capacity: number,
    private readonly onEvict: (value: V) => void = () => {},
  ) {}

  get size(): number {
    return this.#ring.length;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.isUsed = true;
    return entry.value;
  }

  set(key: K, value: V): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#add(key, value);
    } else {
      entry.value = value;
      entry.isUsed = true;
    }
  }

  /**
   * The value of the key, or a new one by `make`. While `make` runs, the map may hold `capacity`
   * other values. If `make` throws, the map is unchanged.
   */
  of(key: K, make: () => V): V {
    const entry = this.#entries.get(key);
    if (entry !== undefined) {
      entry.isUsed = true;
      return entry.value;
    }
    const value = make();
    this.set(key, value);
    return value;
  }

  /** Does not call `onEvict`. */
  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    const last = this.#ring.pop()!;
    if (last === entry) return;
    this.#ring[entry.at] = last;
    last.at = entry.at;
  }

  clear(): void {
    for (const { value } of this.#ring.splice(0)) this.onEvict(value);
    this.#entries.clear();
  }

  #add(key: K, value: V): void {
    const ring = this.#ring;
    let entry: Entry<V, K>;
    if (ring.length < this.capacity) {
      entry = { key, value, at: ring.length, isUsed: false };
      ring.push(entry);
    } else {
      entry = this.#evict();
      entry.key = key;
      entry.value = value;
    }
    this.#entries.set(key, entry);
  }

  /** Evicts the first entry that was not used since the hand last passed it. */
  #evict(): Entry<V, K> {
    for (;;) {
      const at = this.#hand < this.#ring.length ? this.#hand : 0;
      this.#hand = at + 1;
      const entry = this.#ring[at];
      if (!entry.isUsed) {
        this.#entries.delete(entry.key);
        this.onEvict(entry.value);
        return entry;
      }
      entry.isUsed = false;
    }
  }
}

interface Entry<V, K> {
  key: K;
  value: V;
  /** Index in the clock. */
  at: number;
  /** Used since the hand last passed it. */
  isUsed: boolean;
}
