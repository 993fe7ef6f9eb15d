/** What is dear to make and large to keep: that which was used last, in a bounded number. */
export class Recent<Value> {
  readonly #capacity: number;
  readonly #drop: (value: Value) => void;
  /** The least recently used first. */
  readonly #values = new Map<string, Value>();

  /** `drop` gets each value that is no longer kept. */
  constructor(capacity: number, drop: (value: Value) => void = () => {}) {
    this.#capacity = capacity;
    this.#drop = drop;
  }

  get size(): number {
    return this.#values.size;
  }

  /** What `make` made for the key, now or before. What it throws is thrown, and leaves all as it was. */
  of(key: string, make: () => Value): Value {
    const values = this.#values;
    const known = values.get(key);
    if (known !== undefined) {
      values.delete(key);
      values.set(key, known);
      return known;
    }
    const made = make();
    values.set(key, made);
    if (values.size > this.#capacity) this.#dropOldest();
    return made;
  }

  clear(): void {
    while (this.#values.size > 0) this.#dropOldest();
  }

  #dropOldest(): void {
    for (const [key, value] of this.#values) {
      this.#values.delete(key);
      this.#drop(value);
      return;
    }
  }
}
