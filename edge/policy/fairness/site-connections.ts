/**
 * Counts the connections of each site over all threads, in shared memory. Each thread writes its
 * own counts and reads the counts of all threads. A site may hold three times as many connections
 * as are free, so a single site gets at most three quarters. Even during a flood, other sites find
 * free connections.
 *
 * Counters are indexed by a keyed hash of the site. Sites with equal hashes share a counter.
 */
import { randomInt } from 'node:crypto';

const BUCKETS = 16_384;
/** Counters of a thread: the total, then the buckets. */
const SLICE = BUCKETS + 1;
/** A site may hold this many times as many connections as are free. */
const WEIGHT = 3;

export interface SharedSiteCounts {
  readonly counts: SharedArrayBuffer;
  readonly key: number;
}

export const shareSiteCounts = (threads: number): SharedSiteCounts => ({
  counts: new SharedArrayBuffer(threads * SLICE * Int32Array.BYTES_PER_ELEMENT),
  key: randomInt(2 ** 32),
});

export class SiteConnections {
  readonly #counts: Int32Array;
  readonly #own: number;
  readonly #threads: number;
  readonly #key: number;

  /** `max`: limit for all sites. Clears the counts of the previous thread with this index. */
  constructor(
    { counts, key }: SharedSiteCounts,
    thread: number,
    private readonly max: number,
  ) {
    this.#counts = new Int32Array(counts);
    this.#threads = this.#counts.length / SLICE;
    this.#own = thread * SLICE;
    this.#key = key;
    this.#counts.fill(0, this.#own, this.#own + SLICE);
  }

  /** The bucket of a site, for `enter` and `leave`. */
  bucketOf(site: string): number {
    let hash = this.#key;
    for (let i = 0; i < site.length; i++) hash = Math.imul(hash ^ site.charCodeAt(i), 0x0100_0193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x85eb_ca6b);
    return 1 + ((hash ^ (hash >>> 13)) & (BUCKETS - 1));
  }

  /** `limit`: the site's own limit. False: the site has reached its limit or its share. */
  enter(bucket: number, limit: number): boolean {
    const held = this.heldBy(bucket);
    if (held >= limit || held >= WEIGHT * (this.max - this.#sum(0))) return false;
    this.#counts[this.#own]++;
    this.#counts[this.#own + bucket]++;
    return true;
  }

  /** The site holds half of its limit or of its share. */
  isPressed(bucket: number, limit: number): boolean {
    return 2 * this.heldBy(bucket) >= Math.min(limit, WEIGHT * (this.max - this.#sum(0)));
  }

  leave(bucket: number): void {
    this.#counts[this.#own]--;
    this.#counts[this.#own + bucket]--;
  }

  heldBy(bucket: number): number {
    return this.#sum(bucket);
  }

  #sum(at: number): number {
    let sum = 0;
    for (let i = 0; i < this.#threads; i++) sum += this.#counts[i * SLICE + at];
    return sum;
  }
}
