/**
 * The ids that a write has taken for its new rows. If its draft runs again, it gets the same ids in
 * the same order. Ids that were not committed return to the pool.
 */
import type { Id } from '../../store/keys.ts';
import type { IdPool } from '../journal.ts';
import { Intervals } from './intervals.ts';

/**
 * The draft needs more ids than this node has leased. The missing ids are leased, and the draft
 * runs again.
 */
export class OutOfIds extends Error {
  readonly table: number;
  readonly count: number;

  constructor(table: number, count: number) {
    super(`${count} ids of table ${table} must be leased`);
    this.table = table;
    this.count = count;
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
  readonly #pool: IdPool;
  readonly #kinds = new Map<number, Kind>();

  constructor(pool: IdPool) {
    this.#pool = pool;
  }

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
    const first = own.take(count) ?? this.#pool.take(table, count);
    // A draft that takes ids one by one doubles its ids with each lease, so it reruns only a few
    // times.
    if (first === undefined) throw new OutOfIds(table, Math.max(count, taken.length));
    taken.push({ first, count });
    kind.used++;
    return first;
  }

  /** Leases the ids that a run lacked. Rejects like a commit. */
  async supply({ table, count }: OutOfIds): Promise<void> {
    const start = await this.#pool.lease(table, count);
    this.#kinds.get(table)?.own.add({ start, end: start + count });
  }

  /**
   * Returns ids to the pool: those that the last run did not use, and with `all` also the others,
   * if it is certain that they were not committed.
   */
  release(all: boolean): void {
    for (const [table, { taken, used, own }] of this.#kinds) {
      for (const { first, count } of all ? taken : taken.slice(used)) own.add({ start: first, end: first + count });
      for (const interval of own.all) this.#pool.release(table, interval);
    }
    this.#kinds.clear();
  }
}
