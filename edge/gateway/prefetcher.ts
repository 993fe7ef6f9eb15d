/**
 * The purged responses that this thread fetches again: few at a time, at a low rate, sites in turn,
 * and none while visitors wait. What goes wrong is counted, and left to the next visitor.
 *
 *     purge ─► listed URLs ───────────────────────────┐
 *           ─► most requested responses ─► owned here ┴─► claimed ─► wait ─► fetch ─► cache
 */
import { FairQueue } from '../../core/base/fair-queue.ts';
import type { CachePurge, OnPurged, PurgedResponse } from '../cache/store/cache-store.ts';
import type { PrefetchResult } from '../proxy/prefetch.ts';

/** How a prefetch ends, for the metrics. */
export type PrefetchEnd = Exclude<PrefetchResult, 'elsewhere' | 'yielded'> | 'dropped';

export interface PrefetchTask {
  readonly domainId: string;
  readonly response: PurgedResponse;
  /** Called with the key of the response before it is fetched. */
  mayFetch(key: string): boolean;
}

interface PrefetcherOptions {
  fetch(task: PrefetchTask): Promise<PrefetchResult>;
  /** Whether visitors of any site wait. */
  isBusy(): boolean;
  /** Whether this node owns a key of the cache. */
  owns(key: string): boolean;
  /** False: another thread of this node fetches the response. */
  claim(response: string, sequence: number): boolean;
  /** Responses of a purge that this thread fetches at most, in addition to listed URLs. */
  share(): number;
  onEnd(result: PrefetchEnd, count: number): void;
  /** Tests have their own. */
  readonly clock?: Clock;
}

/** Milliseconds. */
interface Clock {
  now(): number;
  later(ms: number, run: () => void): void;
}

/**
 * Tasks that wait, each with a URL, and fetches at a time. Of both, a domain gets no more than it
 * leaves for others: half if it is alone.
 */
const MAX_WAITING = 4000;
const MAX_CONCURRENT = 4;
/** Between two starts: 25 a second. */
const INTERVAL_MS = 40;
/** Until a task whose site is busy is tried again. */
const YIELD_MS = 250;
/** A task that waits for longer is dropped: visitors have fetched what they need. */
const MAX_WAIT_MS = 60_000;

interface Waiting extends PrefetchTask {
  readonly since: number;
}

const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  later: (ms, run) => void setTimeout(run, ms).unref(),
};

export class Prefetcher {
  readonly #options: PrefetcherOptions;
  readonly #clock: Clock;
  readonly #queue = new FairQueue<Waiting>();
  /** Tasks of each domain, also those that are tried again later; and its fetches. */
  readonly #waiting = new Counts();
  readonly #running = new Counts();
  #isTickDue = false;
  #isClosed = false;

  constructor(options: PrefetcherOptions) {
    this.#options = options;
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

  /** Rules decide about the key, so its owner is known only when they have run. */
  #addUrl({ domainId }: CachePurge, url: string, sequence: number): void {
    const { owns, claim } = this.#options;
    const response = { key: url, selecting: [] };
    const mayFetch = (key: string): boolean => owns(key) && claim(idOf({ key, selecting: [] }), sequence);
    this.#put({ domainId, response, mayFetch });
  }

  #addMostRequested({ domainId }: CachePurge, responses: readonly PurgedResponse[], sequence: number): void {
    const { owns, claim, share } = this.#options;
    let left = share();
    for (const response of responses) {
      if (left === 0) return;
      const { key } = response;
      if (!owns(key) || !claim(idOf(response), sequence)) continue;
      left--;
      // Another key: it depends on the visitor, or a rule has rewritten the path.
      this.#put({ domainId, response, mayFetch: (fetched) => fetched === key });
    }
  }

  #put(task: PrefetchTask): void {
    if (!this.#waiting.hasShare(task.domainId, MAX_WAITING)) {
      this.#options.onEnd('dropped', 1);
      return;
    }
    this.#waiting.add(task.domainId, 1);
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
    if (late.length > 0) this.#options.onEnd('dropped', late.length);
    for (const { domainId } of late) this.#waiting.add(domainId, -1);
    if (this.#queue.size === 0 || this.#running.total >= MAX_CONCURRENT) return;
    const mayRun = (domainId: string): boolean => this.#running.hasShare(domainId, MAX_CONCURRENT);
    const task = this.#options.isBusy() ? undefined : this.#queue.take(mayRun);
    if (task !== undefined) {
      this.#waiting.add(task.domainId, -1);
      void this.#run(task);
    }
    if (this.#queue.size > 0) this.#tickLater(task === undefined ? YIELD_MS : INTERVAL_MS);
  };

  async #run(task: Waiting): Promise<void> {
    this.#running.add(task.domainId, 1);
    // An internal error has no request to report it on. The next visitor meets it again.
    const result = await this.#options.fetch(task).catch(() => 'failed' as const);
    this.#running.add(task.domainId, -1);
    if (result === 'yielded') this.#retry(task);
    else if (result !== 'elsewhere') this.#options.onEnd(result, 1);
    if (this.#queue.size > 0) this.#tickLater(INTERVAL_MS);
  }

  #retry(task: Waiting): void {
    if (this.#clock.now() - task.since > MAX_WAIT_MS) {
      this.#options.onEnd('dropped', 1);
      return;
    }
    this.#waiting.add(task.domainId, 1);
    this.#clock.later(YIELD_MS, () => {
      if (this.#isClosed) return;
      // It is claimed already.
      this.#queue.put({ ...task, mayFetch: () => true }, task.domainId);
      this.#tickLater(INTERVAL_MS);
    });
  }
}

/** By domain. */
class Counts {
  readonly #counts = new Map<string, number>();
  total = 0;

  /** Whether one more is allowed: a first one, or no more than what is left of `limit`. */
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
