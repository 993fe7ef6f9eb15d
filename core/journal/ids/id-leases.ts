/**
 * The ids of new rows. A table of counters stores the next id that is not leased, for each kind of
 * row. A node leases a block of ids with an ordinary write, then assigns these ids without further
 * writes. Only the log decides which node gets a block. Two concurrent leases conflict, and the
 * loser reads the counter again. Clocks are not involved.
 *
 *   - After a crash, the rest of the block is lost. The counter is already past it.
 *   - A lease with an unknown outcome is not used, even if it is in the log.
 *   - The counter is a row, so a snapshot or a replaced store contains it together with the rows
 *     that it counts. A node leases only at the end of the log.
 *   - A commit with an unknown outcome keeps its ids; see IdTaker.
 *   - A stopping node returns the end of its block, if no node has leased after it.
 */
import { randomBytes } from 'node:crypto';
import { UnavailableError } from '../../base/errors.ts';
import { withTimeout } from '../../base/timers.ts';
import type { Environment } from '../../store/environment.ts';
import type { Id } from '../../store/keys.ts';
import { type IdCounter, idCounters } from '../../store/rows.ts';
import { type Draft, write } from '../draft/draft.ts';
import { type Interval, Intervals } from '../draft/id-taker.ts';
import type { IdPool, Journal } from '../journal.ts';

/** Minimum and maximum ids of a block. A small installation gets small ids without gaps. */
const MIN_BLOCK = 16;
const MAX_BLOCK = 4096;
/**
 * Milliseconds. If a block is used up sooner than SHORT_LIFE, the next block is twice as large. If
 * it lasts longer than LONG_LIFE, the next block is half as large.
 */
const SHORT_LIFE = 10_000;
const LONG_LIFE = 600_000;
/** Milliseconds before a failed background lease is retried. */
const RETRY_PAUSE = 1000;
/** Milliseconds that a stop waits for the return of unused ids. */
const RETURN_DEADLINE = 1000;
const BY = 'ids';

interface Waiter {
  readonly count: number;
  readonly resolve: (first: Id) => void;
  readonly reject: (error: unknown) => void;
}

interface Kind {
  readonly table: number;
  readonly free: Intervals;
  readonly waiting: Waiter[];
  /** Size of the last block. */
  block: number;
  /** Times of performance.now(). */
  leasedAt: number;
  pausedUntil: number;
  /** A lease is being written. */
  isLeasing: boolean;
}

interface IdLeasesOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  /** As performance.now(). */
  readonly now?: () => number;
}

export class IdLeases implements IdPool {
  readonly #environment: Environment;
  readonly #journal: Journal;
  readonly #now: () => number;
  readonly #kinds = new Map<number, Kind>();
  #isClosed = false;

  constructor({ environment, journal, now = () => performance.now() }: IdLeasesOptions) {
    this.#environment = environment;
    this.#journal = journal;
    this.#now = now;
  }

  take(table: number, count: number): Id | undefined {
    if (this.#isClosed) return undefined;
    const kind = this.#kind(table);
    const first = kind.free.take(count);
    if (kind.free.size < kind.block / 2 && kind.block > 0) this.#leaseAhead(kind);
    return first;
  }

  lease(table: number, count: number): Promise<Id> {
    if (this.#isClosed) return Promise.reject(stopping());
    const kind = this.#kind(table);
    return new Promise((resolve, reject) => {
      kind.waiting.push({ count, resolve, reject });
      void this.#serve(kind);
    });
  }

  release(table: number, interval: Interval): void {
    this.#kind(table).free.add(interval);
  }

  /**
   * Returns the unused end of each block, if writes are possible. Call it after the last write.
   * Never rejects, and waits RETURN_DEADLINE at most.
   */
  async close(canWrite = true): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const ends = [...this.#kinds.values()].flatMap(({ table, free }) => {
      const last = free.all.at(-1);
      return last === undefined ? [] : [{ table, ...last }];
    });
    for (const { free } of this.#kinds.values()) free.clear();
    if (ends.length === 0 || !canWrite) return;
    const done = write(this.#environment, this.#journal, BY, (draft) => {
      for (const { table, start, end } of ends)
        if (counterOf(draft, table)?.next === end) putCounter(draft, table, start);
    }).catch(() => {});
    await withTimeout(done, RETURN_DEADLINE, () => {});
  }

  #kind(table: number): Kind {
    let kind = this.#kinds.get(table);
    if (kind === undefined) {
      kind = {
        table,
        free: new Intervals(),
        waiting: [],
        isLeasing: false,
        block: 0,
        leasedAt: Number.NEGATIVE_INFINITY,
        pausedUntil: Number.NEGATIVE_INFINITY,
      };
      this.#kinds.set(table, kind);
    }
    return kind;
  }

  #leaseAhead(kind: Kind): void {
    if (kind.isLeasing || this.#now() < kind.pausedUntil) return;
    kind.isLeasing = true;
    this.#leaseBlock(kind, 0)
      .catch(() => {
        // A write that needs the ids reports the error.
        kind.pausedUntil = this.#now() + RETRY_PAUSE;
      })
      .finally(() => {
        kind.isLeasing = false;
        void this.#serve(kind);
      });
  }

  /** Gives ids to all waiting writes in order, with as few leases as possible. Never rejects. */
  async #serve(kind: Kind): Promise<void> {
    this.#answerFromFree(kind);
    if (kind.isLeasing || kind.waiting.length === 0) return;
    kind.isLeasing = true;
    try {
      while (kind.waiting.length > 0) {
        const needed = kind.waiting.reduce((sum, { count }) => sum + count, 0);
        await this.#leaseBlock(kind, needed);
        if (this.#isClosed) throw stopping();
        this.#answerFromFree(kind);
      }
    } catch (error) {
      for (const { reject } of kind.waiting.splice(0)) reject(error);
    } finally {
      kind.isLeasing = false;
    }
  }

  #answerFromFree({ waiting, free }: Kind): void {
    while (waiting.length > 0) {
      const first = free.take(waiting[0].count);
      if (first === undefined) return;
      waiting.shift()?.resolve(first);
    }
  }

  /** Leases at least `needed` ids, and a block for the next writes. */
  async #leaseBlock(kind: Kind, needed: number): Promise<void> {
    const now = this.#now();
    const age = now - kind.leasedAt;
    const factor = age < SHORT_LIFE ? 2 : age < LONG_LIFE ? 1 : 0.5;
    const block = Math.min(MAX_BLOCK, Math.max(MIN_BLOCK, kind.block * factor));
    // A large write leases only the ids that it needs.
    const count = Math.max(needed, block);
    const { result: start } = await write(this.#environment, this.#journal, BY, (draft) => {
      const next = counterOf(draft, kind.table)?.next ?? 1;
      if (next + count > Number.MAX_SAFE_INTEGER) throw new Error(`table ${kind.table} has no ids left`);
      putCounter(draft, kind.table, next + count);
      return next;
    });
    kind.block = block;
    kind.leasedAt = now;
    if (!this.#isClosed) kind.free.add({ start, end: start + count });
  }
}

const stopping = (): UnavailableError =>
  new UnavailableError('stopping', 'The service is stopping; nothing was written.');

const counterOf = (draft: Draft, table: number): IdCounter | undefined =>
  draft.row(idCounters, idCounters.key({ table, next: 0, lease: '' }));

const putCounter = (draft: Draft, table: number, next: Id): void =>
  draft.put(idCounters, { table, next, lease: randomBytes(8).toString('hex') });
