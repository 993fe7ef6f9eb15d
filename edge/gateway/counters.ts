/** What a thread counts of the requests that it has answered: by what they came to, by status, by what the cache did, by the time of the origin. */
import type { CacheOutcome } from '../cache/outcome.ts';
import type { OriginFault, VisitorFault } from '../origin/origin.ts';

/** What a request came to. */
export const DESTINATIONS = ['site', 'admin', 'challenge', 'redirect', 'unknown', 'misdirected'] as const;
export type Destination = (typeof DESTINATIONS)[number];

const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
export const CACHE_OUTCOMES: readonly CacheOutcome[] = ['none', 'bypass', 'miss', 'hit', 'revalidated', 'stale'];
export const ORIGIN_FAULTS: readonly Exclude<OriginFault, VisitorFault>[] = [
  'forbidden',
  'unresolved',
  'refused',
  'connect-timeout',
  'tls',
  'reset',
  'malformed',
  'header-timeout',
  'idle-timeout',
  'busy',
];
/** Upper bounds of the buckets of the origin's time, in seconds. */
export const ORIGIN_BOUNDS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** By destination and class of status: the name of its column, which `metrics.ts` reads. */
export const REQUEST_COLUMNS = DESTINATIONS.flatMap((destination) =>
  CLASSES.map((status) => ({ destination, status, column: `${destination}_${status}` })),
);
const BUCKETS = [...ORIGIN_BOUNDS, Number.POSITIVE_INFINITY];

/** Whole numbers that only grow, but for `origin_seconds`. */
export const GATEWAY_COLUMNS: readonly string[] = [
  ...REQUEST_COLUMNS.map(({ column }) => column),
  ...CACHE_OUTCOMES.map((outcome) => `cache_${outcome}`),
  ...ORIGIN_FAULTS.map((fault) => `fault_${fault}`),
  ...BUCKETS.map((bound) => `origin_${bound}`),
  'origin_seconds',
  'bytes',
  'cut',
  'log_dropped',
];

const AT: ReadonlyMap<string, number> = new Map(GATEWAY_COLUMNS.map((name, i) => [name, i]));
const at = (name: string): number => AT.get(name) ?? Number.NaN;

const FIRST_OF: Readonly<Record<Destination, number>> = Object.fromEntries(
  DESTINATIONS.map((destination) => [destination, at(`${destination}_1xx`)]),
) as Record<Destination, number>;
const CACHE: Readonly<Record<CacheOutcome, number>> = Object.fromEntries(
  CACHE_OUTCOMES.map((outcome) => [outcome, at(`cache_${outcome}`)]),
) as Record<CacheOutcome, number>;
const ORIGIN = at(`origin_${ORIGIN_BOUNDS[0]}`);
const SECONDS = at('origin_seconds');
const BYTES = at('bytes');
const CUT = at('cut');
const DROPPED = at('log_dropped');

export class GatewayCounters {
  readonly #values: Float64Array;

  /** `memory`: a double for each of GATEWAY_COLUMNS. */
  constructor(memory: SharedArrayBuffer) {
    this.#values = new Float64Array(memory);
  }

  /** An exchange has ended. `bytes`: of the response's body. */
  ended(destination: Destination, status: number, bytes: number): void {
    const values = this.#values;
    // 499, which is no status, stands among 4xx: who asked went away.
    values[FIRST_OF[destination] + Math.min(4, Math.max(0, Math.floor(status / 100) - 1))]++;
    values[BYTES] += bytes;
  }

  cached(outcome: CacheOutcome): void {
    this.#values[CACHE[outcome]]++;
  }

  /** The head of a response came after so many milliseconds. */
  answered(milliseconds: number): void {
    const seconds = milliseconds / 1000;
    let bucket = 0;
    while (bucket < ORIGIN_BOUNDS.length && seconds > ORIGIN_BOUNDS[bucket]) bucket++;
    this.#values[ORIGIN + bucket]++;
    this.#values[SECONDS] += seconds;
  }

  failed(fault: OriginFault): void {
    if (fault !== 'aborted') this.#values[at(`fault_${fault}`)]++;
  }

  /** A response that did not go out whole. */
  cut(): void {
    this.#values[CUT]++;
  }

  /** Lines of the access log that nobody took. */
  dropped(lines: number): void {
    this.#values[DROPPED] += lines;
  }
}
