/**
 * Counts connections, in total and for each client, over all threads of TCP and TLS. Each thread
 * writes its own slice of shared memory and reads the slices of the others. Clients (IPv4
 * addresses, /64 of IPv6) are counted by a keyed hash, which allocates nothing. A client cannot
 * choose the clients that it shares a count with; with 65,536 counts, collisions are rare.
 *
 * The maximum of a thread reserves a part of all connections for the other threads. A thread that
 * is full therefore always has own connections to close for a new client.
 */
import type { Client } from '../net/address/client.ts';

const BUCKETS = 65_536;
/** Words of a slice: the total, then the buckets. */
const SLICE = BUCKETS + 1;
const KEYS = 8;

export interface SharedLimits {
  readonly counts: SharedArrayBuffer;
  /** Odd multipliers, one for each hashed byte of an address. */
  readonly keys: Int32Array;
}

export function shareLimits(threads: number): SharedLimits {
  const keys = crypto.getRandomValues(new Int32Array(KEYS)).map((key) => key | 1);
  return { counts: new SharedArrayBuffer(threads * SLICE * Int32Array.BYTES_PER_ELEMENT), keys };
}

/** Resets the counts of a thread that has ended. */
export function forgetThread({ counts }: SharedLimits, thread: number): void {
  new Int32Array(counts, thread * SLICE * Int32Array.BYTES_PER_ELEMENT, SLICE).fill(0);
}

/** Reasons to reject a connection. */
export const FULL = -1;
export const CLIENT_FULL = -2;

export class ConnectionLimits {
  readonly #counts: Int32Array;
  readonly #threads: number;
  readonly #own: number;
  readonly #keys: Int32Array;
  /** Connections of this thread. */
  readonly #maxOwn: number;

  /** `thread`: from 0. */
  constructor(
    shared: SharedLimits,
    thread: number,
    private readonly maxConnections: number,
    private readonly maxPerAddress: number,
  ) {
    this.#counts = new Int32Array(shared.counts);
    this.#threads = this.#counts.length / SLICE;
    this.#own = thread * SLICE;
    this.#keys = shared.keys;
    this.#maxOwn = maxConnections - (this.#threads - 1) * Math.floor(maxConnections / (2 * this.#threads));
  }

  /** Connections of this thread. */
  get open(): number {
    return this.#counts[this.#own];
  }

  /** Counts a connection of `client`. Returns the argument for `leave`, FULL or CLIENT_FULL. */
  enter(client: Client): number {
    const counts = this.#counts;
    const own = this.#own;
    const bucket = 1 + this.#bucketOf(client);
    // Checked before FULL: the caller closes another connection after FULL, which must not happen
    // for a client above its own limit.
    if (this.#sum(bucket) >= this.maxPerAddress) return CLIENT_FULL;
    if (counts[own] >= this.#maxOwn || this.#sum(0) >= this.maxConnections) return FULL;
    counts[own]++;
    counts[own + bucket]++;
    return bucket;
  }

  /** Half of the connections are in use, of all or of a client. `bucket`: a result of `enter`. */
  isPressed(bucket: number): boolean {
    return 2 * this.#sum(bucket) >= this.maxPerAddress || 2 * this.#sum(0) >= this.maxConnections;
  }

  /** Connections of a client. `bucket`: a result of `enter`. */
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
