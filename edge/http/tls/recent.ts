/** What is dear to make and large to keep: that which was asked for lately, in a bounded number. */
export class Recent<Key, Value> {
  readonly #capacity: number;
  readonly #drop: (value: Value) => void;
  /** In the order in which they came, or were passed over when their turn to go had come. */
  readonly #held = new Map<Key, Held<Value>>();
  /**
   * Stands before the one whose turn is next. One for ever: a new one would walk over all that has
   * gone, as a Map keeps the places.
   */
  readonly #turns = this.#held.entries();

  /**
   * `capacity`: one at least. `drop` gets each value that is no longer kept; while one is made
   * there are as many as that next to it.
   */
  constructor(capacity: number, drop: (value: Value) => void = () => {}) {
    this.#capacity = capacity;
    this.#drop = drop;
  }

  get size(): number {
    return this.#held.size;
  }

  /**
   * What `make` made for the key, now or before. What it throws is thrown, and leaves all as it
   * was.
   */
  of(key: Key, make: () => Value): Value {
    const held = this.#held.get(key);
    if (held !== undefined) {
      held.isWanted = true;
      return held.value;
    }
    const value = make();
    // Before it comes, else it could be what goes: it is the only one that nobody has asked for
    // again.
    if (this.#held.size >= this.#capacity) this.#dropOne();
    this.#held.set(key, { value, isWanted: false });
    return value;
  }

  clear(): void {
    while (this.#held.size > 0) this.#dropOne();
  }

  /**
   * The first that was not asked for since its last turn (a clock's second chance); the hits write
   * no more than a mark.
   */
  #dropOne(): void {
    for (;;) {
      const [key, held] = this.#turns.next().value as [Key, Held<Value>];
      this.#held.delete(key);
      if (!held.isWanted) {
        this.#drop(held.value);
        return;
      }
      held.isWanted = false;
      this.#held.set(key, held);
    }
  }
}

interface Held<Value> {
  readonly value: Value;
  /** It was asked for since its last turn. */
  isWanted: boolean;
}
