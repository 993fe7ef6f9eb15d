/**
 * How many connections there are, in all and of each client, over the threads of TCP and TLS: each
 * thread counts its own in a slice of shared memory and reads the others'. Clients (IPv4 addresses,
 * /64 of IPv6) are counted by a keyed hash of their address, so that nothing is allocated and
 * nobody can choose whom to share a count with; of 65,536 counts, two clients share one by chance
 * seldom.
 *
 * Each thread may have a part of all connections that others leave it: a thread that is full always
 * has connections of its own that it can close for a newcomer.
 */
import type { Client } from '../net/address/client.ts';

const BUCKETS = 65_536;
/** A slice: the count of all, then the buckets. */
const SLICE = BUCKETS + 1;
const KEYS = 8;

export interface SharedLimits {
  readonly counts: SharedArrayBuffer;
  /** Odd multipliers, one for each byte of an address that counts. */
  readonly keys: Int32Array;
}

export function shareLimits(threads: number): SharedLimits {
  const keys = crypto.getRandomValues(new Int32Array(KEYS)).map((key) => key | 1);
  return { counts: new SharedArrayBuffer(threads * SLICE * Int32Array.BYTES_PER_ELEMENT), keys };
}

/** What a thread held is gone with it. To be called when it has ended. */
export function forgetThread({ counts }: SharedLimits, thread: number): void {
  new Int32Array(counts, thread * SLICE * Int32Array.BYTES_PER_ELEMENT, SLICE).fill(0);
}

/** Why a connection is not taken. */
export const FULL = -1;
export const CLIENT_FULL = -2;

export class ConnectionLimits {
  readonly #counts: Int32Array;
  readonly #threads: number;
  readonly #own: number;
  readonly #keys: Int32Array;
  readonly #maxConnections: number;
  /** Connections of this thread. */
  readonly #maxOwn: number;
  readonly #maxPerAddress: number;

  /** `thread`: from 0. */
  constructor(shared: SharedLimits, thread: number, maxConnections: number, maxPerAddress: number) {
    this.#counts = new Int32Array(shared.counts);
    this.#threads = this.#counts.length / SLICE;
    this.#own = thread * SLICE;
    this.#keys = shared.keys;
    this.#maxConnections = maxConnections;
    this.#maxOwn = maxConnections - (this.#threads - 1) * Math.floor(maxConnections / (2 * this.#threads));
    this.#maxPerAddress = maxPerAddress;
  }

  /** Connections of this thread. */
  get open(): number {
    return this.#counts[this.#own];
  }

  /**
   * Counts a connection of `client`. Returns what `leave` takes it back by, FULL or CLIENT_FULL.
   */
  enter(client: Client): number {
    const counts = this.#counts;
    const own = this.#own;
    const bucket = 1 + this.#bucketOf(client);
    // First: where all is full another's connection is closed to make room, and not for one that is
    // not taken then.
    if (this.#sum(bucket) >= this.#maxPerAddress) return CLIENT_FULL;
    if (counts[own] >= this.#maxOwn || this.#sum(0) >= this.#maxConnections) return FULL;
    counts[own]++;
    counts[own + bucket]++;
    return bucket;
  }

  /** Connections of a client, by what `enter` returned for one. */
  held(bucket: number): number {
    return this.#sum(bucket);
  }

  heldBy(client: Client): number {
    return this.#sum(1 + this.#bucketOf(client));
  }

  leave(bucket: number): void {
    this.#counts[this.#own]--;
    this.#counts[this.#own + bucket]--;
  }

  #sum(at: number): number {
    let sum = 0;
    for (let i = 0; i < this.#threads; i++) sum += this.#counts[i * SLICE + at];
    return sum;
  }

  #bucketOf({ address, length }: Client): number {
    let hash = length;
    for (let i = 0, n = length === 4 ? 4 : KEYS; i < n; i++)
      hash = Math.imul(hash ^ address[i], this.#keys[i]) ^ (hash >>> 15);
    hash = Math.imul(hash ^ (hash >>> 16), this.#keys[0]);
    return (hash >>> 16) & (BUCKETS - 1);
  }
}
