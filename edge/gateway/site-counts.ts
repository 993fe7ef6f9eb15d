/**
 * Counts the responses of each site exactly, for the statistics.
 *
 * A thread sends its counts to the main thread every second. While the main thread cannot keep up,
 * the thread keeps counting. A request is lost only if the table is full.
 */
import { BatchFlow } from '../../core/base/batch-flow.ts';
import { CACHED_BYTES, cacheColumn, SENT_BYTES, statusColumn } from '../../core/observe/statistics/columns.ts';
import type { CacheOutcome } from '../cache/visit.ts';
import type { Site } from '../sites/site.ts';
import { CACHE_OUTCOMES } from './counters.ts';

/** Milliseconds from the first count of a batch until it is sent. */
const FLUSH_DELAY_MS = 1000;
/** Maximum sites in a batch. */
const MAX_SITES = 4096;
/** Statuses have three digits. */
const STATUSES = 1000;

const CACHE: Readonly<Record<CacheOutcome, number>> = Object.fromEntries(
  CACHE_OUTCOMES.map((outcome, i) => [outcome, i]),
) as Record<CacheOutcome, number>;

interface SiteCount {
  readonly domainId: string;
  sent: number;
  cached: number;
  /** Cache outcome × STATUSES + status ─► requests. */
  readonly requests: Map<number, number>;
}

interface SiteCountsOptions {
  /** Sends counts. The receiver increments the number in `added` afterwards. */
  send(counts: Float64Array, added: SharedArrayBuffer): void;
  onLost(requests: number): void;
}

export class SiteCounts {
  readonly #sites = new Map<string, SiteCount>();
  /** The count of the last response's site: consecutive responses are often of one site. */
  #last: SiteCount | null = null;
  readonly #flow = new BatchFlow({ delayMs: FLUSH_DELAY_MS, flush: () => this.#send() });

  constructor(private readonly options: SiteCountsOptions) {}

  /** `bytes`: of the response body. */
  count({ domainId }: Site, status: number, outcome: CacheOutcome, bytes: number): void {
    let site = this.#last;
    if (site === null || site.domainId !== domainId) {
      site = this.#siteOf(domainId);
      if (site === null) return;
      this.#last = site;
    }
    const key = CACHE[outcome] * STATUSES + status;
    site.requests.set(key, (site.requests.get(key) ?? 0) + 1);
    site.sent += bytes;
    if (outcome === 'hit' || outcome === 'revalidated' || outcome === 'stale') site.cached += bytes;
  }

  /** Sends the remaining counts. */
  close(): void {
    this.#flow.flush();
  }

  #siteOf(domainId: string): SiteCount | null {
    let site = this.#sites.get(domainId);
    if (site !== undefined) return site;
    if (this.#sites.size >= MAX_SITES) {
      if (!this.#flow.isOpen) {
        this.options.onLost(1);
        return null;
      }
      this.#flow.flush();
    }
    site = { domainId, sent: 0, cached: 0, requests: new Map() };
    this.#sites.set(domainId, site);
    this.#flow.schedule();
    return site;
  }

  #send(): void {
    if (this.#sites.size === 0) return;
    const counts: number[] = [];
    for (const site of this.#sites.values()) appendCounts(counts, site);
    this.#sites.clear();
    this.#last = null;
    this.options.send(Float64Array.from(counts), this.#flow.next());
  }
}

/** Appends the counts of a site as Collector.addSites reads them. */
function appendCounts(counts: number[], { domainId, sent, cached, requests }: SiteCount): void {
  const columns = new Map<number, number>();
  const add = (column: number, count: number): void => {
    if (count > 0) columns.set(column, (columns.get(column) ?? 0) + count);
  };
  for (const [key, count] of requests) {
    add(statusColumn(key % STATUSES), count);
    add(cacheColumn(CACHE_OUTCOMES[Math.floor(key / STATUSES)]), count);
  }
  add(SENT_BYTES, sent);
  add(CACHED_BYTES, cached);
  counts.push(Number(domainId), columns.size);
  for (const [column, count] of columns) counts.push(column, count);
}
