/**
 * Counts the requests of a thread by destination, status, cache outcome and response time of the
 * origin.
 */
import type { CacheOutcome } from '../cache/visit.ts';
import type { OriginFault, VisitorFault } from '../origin/origin.ts';
import type { PeerResult } from '../peers/cache-peers.ts';
import type { PrefetchEnd } from './prefetcher.ts';

/** The handler of a request. */
export const DESTINATIONS = ['site', 'admin', 'challenge', 'redirect', 'unknown', 'misdirected'] as const;
export type Destination = (typeof DESTINATIONS)[number];

const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
export const CACHE_OUTCOMES: readonly CacheOutcome[] = ['none', 'bypass', 'miss', 'hit', 'revalidated', 'stale'];
export const ORIGIN_FAULTS: readonly Exclude<OriginFault, VisitorFault>[] = [
  'forbidden',
  'unresolved',
  'refused',
  'unreachable',
  'connect-timeout',
  'tls',
  'reset',
  'malformed',
  'header-timeout',
  'idle-timeout',
  'busy',
  'down',
];
export const PEER_RESULTS: readonly PeerResult[] = ['hit', 'miss', 'failed'];
export const PREFETCH_ENDS: readonly PrefetchEnd[] = [
  ...(['stored', 'not-stored', 'present', 'excluded', 'failed', 'dropped'] as const),
];
/** Upper bounds of the histogram of origin response times, in seconds. */
export const ORIGIN_BOUNDS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The column for each destination and status class. `metrics.ts` reads them. */
export const REQUEST_COLUMNS = DESTINATIONS.flatMap((destination) =>
  CLASSES.map((status) => ({ destination, status, column: `${destination}_${status}` })),
);
const BUCKETS = [...ORIGIN_BOUNDS, Number.POSITIVE_INFINITY];

/** All columns are integers that only increase, except `origin_seconds`. */
export const GATEWAY_COLUMNS: readonly string[] = [
  ...REQUEST_COLUMNS.map(({ column }) => column),
  ...CACHE_OUTCOMES.map((outcome) => `cache_${outcome}`),
  ...ORIGIN_FAULTS.map((fault) => `fault_${fault}`),
  ...BUCKETS.map((bound) => `origin_${bound}`),
  'origin_seconds',
  'bytes',
  'cut',
  'log_dropped',
  'statistics_lost',
  'spans_dropped',
  'retries',
  ...PEER_RESULTS.map((result) => `peer_${result}`),
  'peer_served',
  ...PREFETCH_ENDS.map((end) => `prefetch_${end}`),
];

const POSITIONS: ReadonlyMap<string, number> = new Map(GATEWAY_COLUMNS.map((name, i) => [name, i]));
const positionOf = (name: string): number => POSITIONS.get(name) ?? Number.NaN;

const FIRST_COLUMN: Readonly<Record<Destination, number>> = Object.fromEntries(
  DESTINATIONS.map((destination) => [destination, positionOf(`${destination}_1xx`)]),
) as Record<Destination, number>;
const CACHE: Readonly<Record<CacheOutcome, number>> = Object.fromEntries(
  CACHE_OUTCOMES.map((outcome) => [outcome, positionOf(`cache_${outcome}`)]),
) as Record<CacheOutcome, number>;
const ORIGIN = positionOf(`origin_${ORIGIN_BOUNDS[0]}`);
const SECONDS = positionOf('origin_seconds');
const BYTES = positionOf('bytes');
const CUT = positionOf('cut');
const DROPPED = positionOf('log_dropped');
const LOST = positionOf('statistics_lost');
const SPANS = positionOf('spans_dropped');
const RETRIES = positionOf('retries');
const PEER_SERVED = positionOf('peer_served');

export class GatewayCounters {
  readonly #values: Float64Array;

  /** `memory`: a double for each of GATEWAY_COLUMNS. */
  constructor(memory: SharedArrayBuffer) {
    this.#values = new Float64Array(memory);
  }

  /** Counts an exchange that has ended. `bytes`: length of the response body. */
  countResponse(destination: Destination, status: number, bytes: number): void {
    const values = this.#values;
    // 499 (the client disconnected) is not an HTTP status, but counts as 4xx.
    values[FIRST_COLUMN[destination] + Math.min(4, Math.max(0, Math.floor(status / 100) - 1))]++;
    values[BYTES] += bytes;
  }

  countCacheOutcome(outcome: CacheOutcome): void {
    this.#values[CACHE[outcome]]++;
  }

  /** Records the time until the head of an origin's response arrived. */
  recordOriginTime(milliseconds: number): void {
    const seconds = milliseconds / 1000;
    let bucket = 0;
    while (bucket < ORIGIN_BOUNDS.length && seconds > ORIGIN_BOUNDS[bucket]) bucket++;
    this.#values[ORIGIN + bucket]++;
    this.#values[SECONDS] += seconds;
  }

  countFault(fault: OriginFault): void {
    if (fault !== 'aborted') this.#values[positionOf(`fault_${fault}`)]++;
  }

  /** Counts a response that was not sent completely. */
  countIncomplete(): void {
    this.#values[CUT]++;
  }

  /** Counts a retry of a request at another origin of its pool. */
  countRetry(): void {
    this.#values[RETRIES]++;
  }

  /** Counts a request to the peer that owns its key. */
  countPeerResult(result: PeerResult): void {
    this.#values[positionOf(`peer_${result}`)]++;
  }

  /** Counts prefetches of purged responses. */
  countPrefetches(end: PrefetchEnd, count: number): void {
    this.#values[positionOf(`prefetch_${end}`)] += count;
  }

  /** Counts a request from a peer. */
  countServedPeer(): void {
    this.#values[PEER_SERVED]++;
  }

  /** Counts lines that the access log has dropped. */
  countDroppedLines(lines: number): void {
    this.#values[DROPPED] += lines;
  }

  /** Counts spans that the thread has dropped. */
  countDroppedSpans(spans: number): void {
    this.#values[SPANS] += spans;
  }

  /** Counts requests that are missing from the statistics. */
  countLostRequests(requests: number): void {
    this.#values[LOST] += requests;
  }
}
