/**
 * Prefetches purged responses on this thread: few at a time, at a low rate, with sites in turn, and
 * never while visitors wait. A failed prefetch is only counted: the next visitor's request fetches.
 *
 *     purge ─► listed URLs ───────────────────────────┐
 *           ─► most requested responses ─► owned here ┴─► claimed ─► wait ─► fetch ─► cache
 */
import { FairQueue } from '../../core/base/fair-queue.ts';
import type { CachePurge, OnPurged, PurgedResponse } from '../cache/store/cache-store.ts';
import { hashOf } from '../peers/owner.ts';
import type { PrefetchResult } from '../proxy/prefetch.ts';

const CLASSES = 65_536;

/** How a prefetch ends, for the metrics. */
export type PrefetchEnd = Exclude<PrefetchResult, 'elsewhere' | 'yielded'> | 'dropped';

export interface PrefetchTask {
  readonly domainId: string;
  readonly response: PurgedResponse;
  /** Called with the key before the fetch. */
  mayFetch(key: string): boolean;
}

interface PrefetcherOptions {
  fetch(task: PrefetchTask): Promise<PrefetchResult>;
  /** Whether requests of visitors are waiting, for any site. */
  isBusy(): boolean;
  /** Whether this node owns a key of the cache. */
  owns(key: string): boolean;
  /** False: another thread of this node fetches the response. */
  claim(response: string, sequence: number): boolean;
  /** Maximum responses of a purge that this thread prefetches, in addition to listed URLs. */
  share(): number;
  onEnd(result: PrefetchEnd, count: number): void;
  /** For tests; default: the system clock. */
  readonly clock?: Clock;
}

/** Milliseconds. */
interface Clock {
  now(): number;
  later(ms: number, run: () => void): void;
}

/**
 * Maximum number of queued tasks and of concurrent fetches. A domain may use only as much of either
 * limit as it leaves free for other domains: half if it is the only domain.
 */
const MAX_WAITING = 4000;
const MAX_CONCURRENT = 4;
/** Minimum milliseconds between the starts of two fetches: 25 a second. */
const INTERVAL_MS = 40;
/** Milliseconds until a task of a busy site is retried. */
const YIELD_MS = 250;
/** A task queued for longer is dropped: visitors' requests have fetched popular URLs by then. */
const MAX_WAIT_MS = 60_000;

interface QueuedTask extends PrefetchTask {
  readonly since: number;
}

const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  later: (ms, run) => void setTimeout(run, ms).unref(),
};

export class Prefetcher {
  readonly #clock: Clock;
  readonly #queue = new FairQueue<QueuedTask>();
  /** Tasks of each domain, queued or waiting for a retry. */
  readonly #queued = new Counts();
  /** Fetches in progress of each domain. */
  readonly #running = new Counts();
  #isTickDue = false;
  #isClosed = false;

  constructor(private readonly options: PrefetcherOptions) {
    this.#clock = options.clock ?? SYSTEM_CLOCK;
  }

  readonly add: OnPurged = (purge, sequence, responses) => {
    for (const url of purge.urls) this.#addUrl(purge, url, sequence);
    this.#addMostRequested(purge, responses, sequence);
  };

  close(): void {
    this.#isClosed = true;
    this.#queue.clear();
  }

  /** Rules determine the key, so `mayFetch` checks the owner after they have run. */
  #addUrl({ domainId }: CachePurge, url: string, sequence: number): void {
    const { owns, claim } = this.options;
    const response = { key: url, selecting: [] };
    const mayFetch = (key: string): boolean => owns(key) && claim(idOf({ key, selecting: [] }), sequence);
    this.#put({ domainId, response, mayFetch });
  }

  #addMostRequested({ domainId }: CachePurge, responses: readonly PurgedResponse[], sequence: number): void {
    const { owns, claim, share } = this.options;
    let left = share();
    for (const response of responses) {
      if (left === 0) return;
      const { key } = response;
      if (!owns(key) || !claim(idOf(response), sequence)) continue;
      left--;
      // The key differs if it depends on the visitor, or if a rule has rewritten the path.
      this.#put({ domainId, response, mayFetch: (fetched) => fetched === key });
    }
  }

  #put(task: PrefetchTask): void {
    if (!this.#queued.hasShare(task.domainId, MAX_WAITING)) {
      this.options.onEnd('dropped', 1);
      return;
    }
    this.#queued.add(task.domainId, 1);
    this.#queue.put({ ...task, since: this.#clock.now() }, task.domainId);
    this.#tickLater(INTERVAL_MS);
  }

  #tickLater(ms: number): void {
    if (this.#isTickDue || this.#isClosed) return;
    this.#isTickDue = true;
    this.#clock.later(ms, this.#tick);
  }

  readonly #tick = (): void => {
    this.#isTickDue = false;
    if (this.#isClosed) return;
    const now = this.#clock.now();
    const late = this.#queue.takeWhile(({ since }) => now - since > MAX_WAIT_MS);
    if (late.length > 0) this.options.onEnd('dropped', late.length);
    for (const { domainId } of late) this.#queued.add(domainId, -1);
    if (this.#queue.size === 0 || this.#running.total >= MAX_CONCURRENT) return;
    const mayRun = (domainId: string): boolean => this.#running.hasShare(domainId, MAX_CONCURRENT);
    const task = this.options.isBusy() ? undefined : this.#queue.take(mayRun);
    if (task !== undefined) {
      this.#queued.add(task.domainId, -1);
      void this.#run(task);
    }
    if (this.#queue.size > 0) this.#tickLater(task === undefined ? YIELD_MS : INTERVAL_MS);
  };

  async #run(task: QueuedTask): Promise<void> {
    this.#running.add(task.domainId, 1);
    // There is no request to report an internal error on. The next visitor's request hits the same
    // error.
    const result = await this.options.fetch(task).catch(() => 'failed' as const);
    this.#running.add(task.domainId, -1);
    if (result === 'yielded') this.#retry(task);
    else if (result !== 'elsewhere') this.options.onEnd(result, 1);
    if (this.#queue.size > 0) this.#tickLater(INTERVAL_MS);
  }

  #retry(task: QueuedTask): void {
    if (this.#clock.now() - task.since > MAX_WAIT_MS) {
      this.options.onEnd('dropped', 1);
      return;
    }
    this.#queued.add(task.domainId, 1);
    this.#clock.later(YIELD_MS, () => {
      if (this.#isClosed) return;
      // This thread has claimed the response already.
      this.#queue.put({ ...task, mayFetch: () => true }, task.domainId);
      this.#tickLater(INTERVAL_MS);
    });
  }
}

/** Counts by domain. */
class Counts {
  readonly #counts = new Map<string, number>();
  total = 0;

  /** Whether the domain may add an item: its first, or fewer than are left of `limit`. */
  hasShare(domainId: string, limit: number): boolean {
    const left = limit - this.total;
    return left > 0 && (this.#counts.get(domainId) ?? 0) < Math.max(1, left);
  }

  add(domainId: string, change: 1 | -1): void {
    const count = (this.#counts.get(domainId) ?? 0) + change;
    this.total += change;
    if (count === 0) this.#counts.delete(domainId);
    else this.#counts.set(domainId, count);
  }
}

const idOf = ({ key, selecting }: PurgedResponse): string => [key, ...selecting].join('\0');

export const sharePrefetchClaims = (): SharedArrayBuffer => new SharedArrayBuffer(CLASSES * 8);

/**
 * Claims of purged responses, so that only one thread of this node prefetches each. Responses share
 * 65,536 classes: after a collision, the second response is fetched when a visitor requests it.
 */
export class PrefetchClaims {
  /** For each class, the sequence of the last purge with a claimed response. */
  readonly #sequences: BigInt64Array;

  constructor(memory: SharedArrayBuffer) {
    this.#sequences = new BigInt64Array(memory);
  }

  /** False: a thread has claimed the class for this purge. `sequence`: of the purge. */
  claim(response: string, sequence: number): boolean {
    const at = hashOf(response) & (CLASSES - 1);
    const wanted = BigInt(sequence);
    for (;;) {
      const last = Atomics.load(this.#sequences, at);
      if (last >= wanted) return false;
      if (Atomics.compareExchange(this.#sequences, at, last, wanted) === last) return true;
    }
  }
}
