/** Items that wait, each for somebody: who waits with one has the next turn, however many another waits with. */
export class FairQueue<T> {
  /** In the order of their turns; nobody without items. A Set keeps the order in which its items came. */
  readonly #waiting = new Map<string, Set<T>>();
  readonly #places = new Map<T, string>();

  get size(): number {
    return this.#places.size;
  }

  has(item: T): boolean {
    return this.#places.has(item);
  }

  /** An item that waits already keeps its place. */
  put(item: T, who: string): void {
    if (this.#places.has(item)) return;
    this.#places.set(item, who);
    const items = this.#waiting.get(who);
    if (items === undefined) this.#waiting.set(who, new Set([item]));
    else items.add(item);
  }

  remove(item: T): void {
    const who = this.#places.get(item);
    if (who === undefined) return;
    this.#places.delete(item);
    const items = this.#waiting.get(who)!;
    items.delete(item);
    if (items.size === 0) this.#waiting.delete(who);
  }

  /** Takes out the oldest item of whose turn it is, who is the last in line then. */
  take(): T | undefined {
    for (const [who, items] of this.#waiting)
      for (const item of items) {
        this.remove(item);
        if (items.size > 0) {
          this.#waiting.delete(who);
          this.#waiting.set(who, items);
        }
        return item;
      }
    return undefined;
  }

  clear(): void {
    this.#waiting.clear();
    this.#places.clear();
  }
}
