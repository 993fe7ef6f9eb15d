/**
 * A queue in which owners take turns, so that an owner with many items delays only itself. The
 * items of each owner stay in order.
 */
export class FairQueue<T, Owner = string> {
  /**
   * The owner of the next turn is first. Owners without items are not in the map. A Set keeps the
   * order of insertion.
   */
  readonly #items = new Map<Owner, Set<T>>();
  readonly #owners = new Map<T, Owner>();

  get size(): number {
    return this.#owners.size;
  }

  has(item: T): boolean {
    return this.#owners.has(item);
  }

  hasItemOf(owner: Owner): boolean {
    return this.#items.has(owner);
  }

  /** An item that is queued already keeps its position. */
  put(item: T, owner: Owner): void {
    if (this.#owners.has(item)) return;
    this.#owners.set(item, owner);
    const items = this.#items.get(owner);
    if (items === undefined) this.#items.set(owner, new Set([item]));
    else items.add(item);
  }

  /** False: the item is not queued. */
  remove(item: T): boolean {
    if (!this.#owners.has(item)) return false;
    const owner = this.#owners.get(item) as Owner;
    this.#owners.delete(item);
    const items = this.#items.get(owner)!;
    items.delete(item);
    if (items.size === 0) this.#items.delete(owner);
    return true;
  }

  /**
   * Removes and returns the oldest item of the next owner that `mayTake` allows. The owner moves to
   * the end of the line.
   */
  take(mayTake?: (owner: Owner) => boolean): T | undefined {
    for (const [owner, items] of this.#items) {
      if (mayTake !== undefined && !mayTake(owner)) continue;
      const [item] = items;
      this.remove(item);
      if (items.size > 0) {
        this.#items.delete(owner);
        this.#items.set(owner, items);
      }
      return item;
    }
    return undefined;
  }

  /** Removes and returns the first items of each owner while `isDue` is true. */
  takeWhile(isDue: (item: T) => boolean): T[] {
    const due: T[] = [];
    for (const items of this.#items.values())
      for (const item of items) {
        if (!isDue(item)) break;
        due.push(item);
      }
    for (const item of due) this.remove(item);
    return due;
  }

  /** Removes and returns all items. */
  clear(): T[] {
    return this.takeWhile(() => true);
  }
}
