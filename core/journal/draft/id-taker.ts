/**
 * The ids that a write has taken for its new rows. If its draft runs again, it gets the same ids in
 * the same order. Ids that were not committed return to the pool.
 */
import type { Id } from '../../store/keys.ts';
import type { IdPool } from '../journal.ts';

/**
 * The draft needs more ids than this node has leased. The missing ids are leased, and the draft
 * runs again.
 */
export class OutOfIds extends Error {
  constructor(
    readonly table: number,
    readonly count: number,
  ) {
    super(`${count} ids of table ${table} must be leased`);
  }
}

interface Taken {
  readonly first: Id;
  readonly count: number;
}

interface Kind {
  readonly taken: Taken[];
  /** Number of items of `taken` that the current run of the draft has used. */
  used: number;
  /** Ids leased for this write only. */
  readonly own: Intervals;
}

export class IdTaker {
  readonly #kinds = new Map<number, Kind>();

  constructor(private readonly pool: IdPool) {}

  /** Starts another run of the draft. */
  restart(): void {
    for (const kind of this.#kinds.values()) kind.used = 0;
  }

  /** Returns the first of `count` consecutive ids. Throws OutOfIds. */
  take(table: number, count: number): Id {
    let kind = this.#kinds.get(table);
    if (kind === undefined) {
      kind = { taken: [], used: 0, own: new Intervals() };
      this.#kinds.set(table, kind);
    }
    const { taken, used, own } = kind;
    if (used < taken.length) {
      if (taken[used].count === count) return taken[kind.used++].first;
      // This run needs other ids than the previous run.
      for (const { first, count: size } of taken.splice(used)) own.add({ start: first, end: first + size });
    }
    const first = own.take(count) ?? this.pool.take(table, count);
    // A draft that takes ids one by one doubles its ids with each lease, so it reruns only a few
    // times.
    if (first === undefined) throw new OutOfIds(table, Math.max(count, taken.length));
    taken.push({ first, count });
    kind.used++;
    return first;
  }

  /** Rows of another attempt may still have the taken ids, so nothing gets them again. */
  abandon(): void {
    this.#kinds.clear();
  }

  /** Leases the ids that a run lacked. Rejects like a commit. */
  async supply({ table, count }: OutOfIds): Promise<void> {
    const start = await this.pool.lease(table, count);
    this.#kinds.get(table)?.own.add({ start, end: start + count });
  }

  /**
   * Returns ids to the pool: those that the last run did not use, and with `all` also the others,
   * if it is certain that they were not committed.
   */
  release(all: boolean): void {
    for (const [table, { taken, used, own }] of this.#kinds) {
      for (const { first, count } of all ? taken : taken.slice(used)) own.add({ start: first, end: first + count });
      for (const interval of own.all) this.pool.release(table, interval);
    }
    this.#kinds.clear();
  }
}

export interface Interval {
  readonly start: number;
  /** The first integer after the interval. */
  readonly end: number;
}

/** A set of integers, stored as the fewest possible intervals in ascending order. */
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
