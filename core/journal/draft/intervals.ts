/** A set of integers, stored as the fewest possible intervals in ascending order. */

export interface Interval {
  readonly start: number;
  /** The first integer after the interval. */
  readonly end: number;
}

export class Intervals {
  #intervals: Interval[] = [];
  /** The number of integers in the set. */
  size = 0;

  get all(): readonly Interval[] {
    return this.#intervals;
  }

  /** Adds integers that are not in the set. */
  add({ start, end }: Interval): void {
    if (start >= end) return;
    this.size += end - start;
    const intervals = this.#intervals;
    let i = intervals.length;
    while (i > 0 && intervals[i - 1].start > start) i--;
    const joinsBefore = i > 0 && intervals[i - 1].end === start;
    const joinsAfter = i < intervals.length && intervals[i].start === end;
    const merged = {
      start: joinsBefore ? intervals[i - 1].start : start,
      end: joinsAfter ? intervals[i].end : end,
    };
    intervals.splice(joinsBefore ? i - 1 : i, Number(joinsBefore) + Number(joinsAfter), merged);
  }

  /**
   * Removes `count` consecutive integers from the first interval that is long enough. Returns the
   * lowest of them; undefined: no interval is long enough.
   */
  take(count: number): number | undefined {
    const i = this.#intervals.findIndex(({ start: from, end: to }) => to - from >= count);
    if (i < 0) return undefined;
    const { start, end } = this.#intervals[i];
    if (end - start === count) this.#intervals.splice(i, 1);
    else this.#intervals[i] = { start: start + count, end };
    this.size -= count;
    return start;
  }

  clear(): void {
    this.#intervals = [];
    this.size = 0;
  }
}
