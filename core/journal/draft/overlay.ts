/** The writes of a draft to one table, by key and in key order. */

export class Overlay {
  /** null: deleted. */
  readonly #values = new Map<string, Buffer | null>();
  /** Keys that are not in `#sorted` yet. */
  #fresh: string[] = [];
  #sorted: string[] = [];

  get(key: string): Buffer | null | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: Buffer | null): void {
    if (!this.#values.has(key)) this.#fresh.push(key);
    this.#values.set(key, value);
  }

  /** The writes with start ≤ key < end, in key order. Do not write before the iteration ends. */
  *between(start: string, end: string | undefined): Iterable<readonly [string, Buffer | null]> {
    const keys = this.#keys();
    for (let i = lowerBound(keys, start); i < keys.length && (end === undefined || keys[i] < end); i++)
      yield [keys[i], this.#values.get(keys[i])!];
  }

  /** The first write whose key is not less than `start`. */
  from(start: string): readonly [string, Buffer | null] | undefined {
    const keys = this.#keys();
    return this.#at(keys[lowerBound(keys, start)]);
  }

  /** The last write whose key is less than `end`. */
  before(end: string): readonly [string, Buffer | null] | undefined {
    const keys = this.#keys();
    return this.#at(keys[lowerBound(keys, end) - 1]);
  }

  #at(key: string | undefined): readonly [string, Buffer | null] | undefined {
    return key === undefined ? undefined : [key, this.#values.get(key)!];
  }

  /** A few new keys are inserted one by one; many are sorted together with the others. */
  #keys(): readonly string[] {
    if (this.#fresh.length > 64) this.#sorted = [...this.#sorted, ...this.#fresh].sort(byCodeUnit);
    else for (const key of this.#fresh) this.#sorted.splice(lowerBound(this.#sorted, key), 0, key);
    this.#fresh = [];
    return this.#sorted;
  }
}

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** First index whose key is not less than `key`. */
export function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
