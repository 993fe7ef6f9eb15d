/**
 * Connections of each site over all threads, in shared memory: each thread counts its own and reads
 * the others'. A site may have three times as many as are left over, so one alone has three
 * quarters, and however many are flooded, the next site finds some.
 *
 * Sites are counted by a keyed hash; two of them share a count seldom.
 */
import { randomInt } from 'node:crypto';

const BUCKETS = 16_384;
/** A slice: the count of all, then the buckets. */
const SLICE = BUCKETS + 1;
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
  readonly #most: number;

  /** `most`: connections of all sites. Forgets what the thread's predecessor counted. */
  constructor({ counts, key }: SharedSiteCounts, thread: number, most: number) {
    this.#counts = new Int32Array(counts);
    this.#threads = this.#counts.length / SLICE;
    this.#own = thread * SLICE;
    this.#key = key;
    this.#most = most;
    this.#counts.fill(0, this.#own, this.#own + SLICE);
  }

  /** What `enter` and `leave` count a site by. */
  bucketOf(site: string): number {
    let hash = this.#key;
    for (let i = 0; i < site.length; i++) hash = Math.imul(hash ^ site.charCodeAt(i), 0x0100_0193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x85eb_ca6b);
    return 1 + ((hash ^ (hash >>> 13)) & (BUCKETS - 1));
  }

  /** `limit`: of the site's own. False: it has its share. */
  enter(bucket: number, limit: number): boolean {
    const held = this.heldBy(bucket);
    if (held >= limit || held >= WEIGHT * (this.#most - this.#sum(0))) return false;
    this.#counts[this.#own]++;
    this.#counts[this.#own + bucket]++;
    return true;
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
