/** Items by the second at which they are due. */
export class Schedule<T> {
  readonly #buckets = new Map<number, Set<T>>();
  readonly #dueSeconds = new Map<T, number>();

  /** `at`: seconds. Replaces an earlier time of the item. */
  put(item: T, at: number): void {
    this.remove(item);
    const second = Math.ceil(at);
    const bucket = this.#buckets.get(second);
    if (bucket === undefined) this.#buckets.set(second, new Set([item]));
    else bucket.add(item);
    this.#dueSeconds.set(item, second);
  }

  remove(item: T): void {
    const second = this.#dueSeconds.get(item);
    if (second === undefined) return;
    this.#dueSeconds.delete(item);
    const bucket = this.#buckets.get(second)!;
    bucket.delete(item);
    if (bucket.size === 0) this.#buckets.delete(second);
  }

  /**
   * Removes and returns the due items. Reads all buckets: there are at most a few thousand, since
   * no item is scheduled more than an hour ahead.
   */
  take(now: number): T[] {
    const due: T[] = [];
    for (const [second, bucket] of this.#buckets) {
      if (second > now) continue;
      for (const item of bucket) {
        due.push(item);
        this.#dueSeconds.delete(item);
      }
      this.#buckets.delete(second);
    }
    return due;
  }
}
