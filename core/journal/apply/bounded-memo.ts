/** Values by id, cached after the first read. */

/** Maximum number of values. All are dropped when it is reached. */
const MAX_VALUES = 20_000;
const ABSENT = Symbol('absent');

/**
 * A memo above a lower memo returns its values until they are invalidated here. It never changes
 * the lower memo.
 */
export class Memo<K, T> {
  #lower: Memo<K, T> | null;
  readonly #values = new Map<K, T>();
  /** Ids of the lower memo that are invalid here; null: all of them. */
  #invalid: Set<K> | null = new Set();

  constructor(lower: Memo<K, T> | null = null) {
    this.#lower = lower;
  }

  /** `isKept`: whether the value may be cached. */
  get(id: K, read: () => T, isKept: (value: T) => boolean = always): T {
    const cached = this.#find(id);
    if (cached !== ABSENT) return cached;
    const value = read();
    if (!isKept(value)) return value;
    if (this.#values.size >= MAX_VALUES) this.clear();
    this.#values.set(id, value);
    return value;
  }

  /** Replaces the lower memo with one that has the same values. */
  rebase(lower: Memo<K, T>): void {
    this.#lower = lower;
  }

  delete(id: K): void {
    this.#values.delete(id);
    if (this.#lower !== null) this.#invalid?.add(id);
  }

  /**
   * Takes over the values of a memo above this one. Ids that are invalid there must be invalid
   * here.
   */
  adopt(upper: Memo<K, T>): void {
    for (const [id, value] of upper.#values) this.get(id, () => value);
  }

  clear(): void {
    this.#values.clear();
    this.#invalid = null;
  }

  #find(id: K): T | typeof ABSENT {
    const value = this.#values.get(id);
    if (value !== undefined || this.#values.has(id)) return value as T;
    if (this.#lower === null || this.#invalid === null || this.#invalid.has(id)) return ABSENT;
    return this.#lower.#find(id);
  }
}

const always = (): boolean => true;
