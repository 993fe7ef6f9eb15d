/**
 * Collapsed forwarding. Of concurrent requests for the same missing URL, the first fetches from the
 * origin and the others follow: they wait for its stored response. If the response turns out not to
 * be storable, all followers go to the origin at once.
 */
import { withTimeout } from '../../core/base/timers.ts';
import type { Claim } from './store/node-flights.ts';

/** Milliseconds after which a key is judged again. */
const UNCACHEABLE_TTL = 10_000;
/** Minimum milliseconds between two extensions of an entry: one for each request costs too much. */
const MIN_EXTENSION = 1000;
const MAX_KEYS = 4096;
/** Longer keys are not recorded. */
const MAX_KEY_LENGTH = 1024;

/** The result of a flight for its followers. */
type FlightResult =
  | 'stored' // the response is stored; look it up
  | 'not-stored' // the response is for one visitor only, or the fetch failed
  | 'timeout';

/** How the fetch of a flight ends. */
export type FlightEnd =
  | 'stored' // the response is stored; other threads wait until it is on disk
  | 'failed' // no response, or none stored
  | 'passed'; // the response is for one visitor only

export class Flight {
  /** Number of waiting requests. All requests of other threads together count as one. */
  followers = 0;
  /** The claim of the URL, by any thread. Undefined: threads do not share fetches. */
  claim: Claim | undefined;
  readonly #result: Promise<FlightResult>;
  #settle: (result: FlightResult) => void = () => {};
  /** Called when a request starts to wait. */
  onFollower: () => void;

  constructor(onFollower: () => void) {
    this.onFollower = onFollower;
    this.#result = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Waits at most `timeout` milliseconds. */
  async wait(timeout: number): Promise<FlightResult> {
    this.followers++;
    this.onFollower();
    try {
      return await withTimeout(this.#result, timeout, (): FlightResult => 'timeout');
    } finally {
      this.followers--;
    }
  }

  /** Also counts waiting requests of other threads, if this thread owns the claim. */
  share(claim: Claim): void {
    this.claim = claim;
    claim.watch(() => {
      this.followers++;
      this.onFollower();
    });
  }

  settle(result: FlightResult): void {
    this.#settle(result);
  }
}

export class Flights {
  readonly #byKey = new Map<string, Flight>();

  get(key: string): Flight | undefined {
    return this.#byKey.get(key);
  }

  get count(): number {
    return this.#byKey.size;
  }

  start(key: string, onFollower: () => void): Flight {
    const flight = new Flight(onFollower);
    this.#byKey.set(key, flight);
    return flight;
  }

  /**
   * Resolves the followers of this thread, and releases the claim for other threads. After
   * `stored`, the writer releases the claim when the response is on disk. Later calls for the same
   * flight do nothing.
   */
  end(key: string, flight: Flight, result: FlightEnd): void {
    if (this.#byKey.get(key) === flight) this.#byKey.delete(key);
    flight.settle(result === 'stored' ? 'stored' : 'not-stored');
    if (result !== 'stored') flight.claim?.release(result);
  }
}

/**
 * Keys with a recent response that was not storable. Requests for such a key do not wait for each
 * other, and are forwarded with their range and conditions.
 */
export class UncacheableKeys {
  /** Expiry time in milliseconds since 1970, by key; the oldest entry first. */
  readonly #expiries = new Map<string, number>();

  has(key: string, now: number): boolean {
    const expiry = this.#expiries.get(key);
    if (expiry === undefined) return false;
    if (now < expiry && expiry - now <= UNCACHEABLE_TTL) return true;
    this.#expiries.delete(key);
    return false;
  }

  add(key: string, now: number): void {
    if (key.length > MAX_KEY_LENGTH) return;
    const expiry = this.#expiries.get(key);
    if (expiry !== undefined && Math.abs(now + UNCACHEABLE_TTL - expiry) < MIN_EXTENSION) return;
    this.#expiries.delete(key);
    this.#expiries.set(key, now + UNCACHEABLE_TTL);
    if (this.#expiries.size <= MAX_KEYS) return;
    for (const oldest of this.#expiries.keys()) {
      this.#expiries.delete(oldest);
      return;
    }
  }
}
