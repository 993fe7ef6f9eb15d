/** What is due at which second. */
export class Schedule<T> {
  readonly #buckets = new Map<number, Set<T>>();
  readonly #places = new Map<T, number>();

  /** At a time in seconds; once each, the time that is given last counts. */
  put(item: T, at: number): void {
    this.remove(item);
    const second = Math.ceil(at);
    const bucket = this.#buckets.get(second);
    if (bucket === undefined) this.#buckets.set(second, new Set([item]));
    else bucket.add(item);
    this.#places.set(item, second);
  }

  remove(item: T): void {
    const second = this.#places.get(item);
    if (second === undefined) return;
    this.#places.delete(item);
    const bucket = this.#buckets.get(second)!;
    bucket.delete(item);
    if (bucket.size === 0) this.#buckets.delete(second);
  }

  /**
   * Takes out what is due. There are at most a few thousand buckets: nothing is put further ahead
   * than an hour.
   */
  take(now: number): T[] {
    const due: T[] = [];
    for (const [second, bucket] of this.#buckets) {
      if (second > now) continue;
      for (const item of bucket) {
        due.push(item);
        this.#places.delete(item);
      }
      this.#buckets.delete(second);
    }
    return due;
  }
}
