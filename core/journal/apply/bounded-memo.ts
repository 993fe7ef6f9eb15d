/** What was read once, by id. */

/** Values kept at most; with one more all are read anew. */
const MOST = 20_000;
const ABSENT = Symbol('absent');

/** Laid over another, it shows what that one has until it is void here, and leaves the other as it is. */
export class Known<T> {
  readonly #under: Known<T> | null;
  readonly #values = new Map<string, T>();
  /** What is not to be seen of what is under; null: nothing of it. */
  #void: Set<string> | null = new Set();

  constructor(under: Known<T> | null = null) {
    this.#under = under;
  }

  /** `isKept`: whether what was read may be kept. */
  get(id: string, read: () => T, isKept: (value: T) => boolean = always): T {
    const known = this.#find(id);
    if (known !== ABSENT) return known;
    const value = read();
    if (!isKept(value)) return value;
    if (this.#values.size >= MOST) this.clear();
    this.#values.set(id, value);
    return value;
  }

  delete(id: string): void {
    this.#values.delete(id);
    if (this.#under !== null) this.#void?.add(id);
  }

  /** Takes over what another one, which is laid over this one, has read. What is void there has to be void here. */
  adopt(over: Known<T>): void {
    for (const [id, value] of over.#values) this.get(id, () => value);
  }

  clear(): void {
    this.#values.clear();
    this.#void = null;
  }

  #find(id: string): T | typeof ABSENT {
    const value = this.#values.get(id);
    if (value !== undefined || this.#values.has(id)) return value as T;
    if (this.#under === null || this.#void === null || this.#void.has(id)) return ABSENT;
    return this.#under.#find(id);
  }
}

const always = (): boolean => true;
