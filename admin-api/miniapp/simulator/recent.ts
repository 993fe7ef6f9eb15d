/** The latest entries of a log; the oldest ones are dropped. */
export class Recent<Entry> {
  #entries: readonly Entry[] = [];

  constructor(private readonly limit: number) {}

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  add(entry: Entry): void {
    this.#entries = [...this.#entries, entry].slice(-this.limit);
  }

  /** Does nothing if the entry was dropped. */
  replace(previous: Entry, entry: Entry): void {
    this.#entries = this.#entries.map((other) => (other === previous ? entry : other));
  }

  clear(): void {
    this.#entries = [];
  }
}
