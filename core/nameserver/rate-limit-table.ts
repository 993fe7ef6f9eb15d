/**
 * Token buckets in shared memory, one table for all UDP threads. The packets of a client are spread
 * over the threads by their ports, so separate tables would multiply the limit by the number of
 * threads.
 *
 *   set   one cache line: 8 buckets of { hash of the account, time at which the bucket is full }
 *
 * A bucket is one word, by the generic cell rate algorithm (ITU-T I.371). Taking a token moves the
 * time at which the bucket is full again by one interval. A bucket whose time is a second ahead is
 * empty.
 *
 * A bucket whose time has passed is full, as the bucket of a new account is. So it can be
 * reassigned without loss, and nothing has to be swept. If no bucket of a set is full, the fullest
 * is reassigned.
 *
 * Threads change a bucket by compare-and-swap. Two threads may put one account into two buckets, or
 * lose its first token; each such race costs one token.
 *
 * Memory: a response occupies a bucket for one interval, so BUCKETS suffice for BUCKETS × rate
 * responses a second: 6.5 million at the default rate.
 */

/**
 * 256 KB: the table is read at random for every response and should fit into the cache of a core.
 */
const BUCKETS = 1 << 15;
const WAYS = 8;
const BUCKET_WORDS = 2;
const SET_WORDS = WAYS * BUCKET_WORDS;
/**
 * Units per millisecond. Times have 32 bits and wrap around after 70 minutes, so only their
 * differences are compared.
 */
const UNITS_PER_MS = 1024;
const SECOND = 1000 * UNITS_PER_MS;

export function createBuckets(count = BUCKETS): SharedArrayBuffer {
  return new SharedArrayBuffer(count * BUCKET_WORDS * Int32Array.BYTES_PER_ELEMENT);
}

/**
 * Converts a time of `performance.now()`, which all threads of a process share, to units of the
 * table.
 */
export function toUnits(milliseconds: number): number {
  return (milliseconds * UNITS_PER_MS) | 0;
}

export class RateTable {
  readonly #words: Int32Array;
  readonly #mask: number;
  /** Units between two tokens. */
  readonly #interval: number;
  /** Largest distance between now and the time of a bucket that still has a token. */
  readonly #maxAhead: number;

  /**
   * `rate`: tokens a second and capacity of a bucket, 1 to MAX_RATE. `buffer`: from createBuckets.
   */
  constructor(buffer: SharedArrayBuffer, rate: number) {
    this.#words = new Int32Array(buffer);
    this.#mask = this.#words.length / SET_WORDS - 1;
    this.#interval = Math.round(SECOND / rate);
    this.#maxAhead = this.#interval * (rate - 1);
  }

  /**
   * Takes a token of the account with this hash, at `now` in units. Returns false if none is left.
   * Hot.
   */
  take(hash: number, now: number): boolean {
    const words = this.#words;
    const set = (hash & this.#mask) * SET_WORDS;
    for (let at = set; at < set + SET_WORDS; at += BUCKET_WORDS)
      if (words[at] === hash) return this.#takeFrom(at + 1, now);
    const at = this.#victim(set, now);
    // Plain stores cost half as much. A thread that sees the new account with the old time takes
    // the first token from that time.
    words[at + 1] = (now + this.#interval) | 0 || 1;
    words[at] = hash;
    return true;
  }

  /** Returns a token to the account with this hash. */
  refund(hash: number, now: number): void {
    const words = this.#words;
    const interval = this.#interval;
    const set = (hash & this.#mask) * SET_WORDS;
    for (let at = set; at < set + SET_WORDS; at += BUCKET_WORDS) {
      if (words[at] !== hash) continue;
      for (;;) {
        const full = Atomics.load(words, at + 1);
        const ahead = aheadOf(now, full);
        if (ahead === 0) return;
        const fuller = ahead < interval ? now : full - interval;
        if (Atomics.compareExchange(words, at + 1, full, fuller | 0 || 1) === full) return;
      }
    }
  }

  /** The first full bucket of a set, or else the fullest. */
  #victim(set: number, now: number): number {
    const words = this.#words;
    let victim = set;
    let least = 2 * SECOND;
    for (let at = set; at < set + SET_WORDS && least > 0; at += BUCKET_WORDS) {
      const ahead = aheadOf(now, words[at + 1]);
      if (ahead >= least) continue;
      least = ahead;
      victim = at;
    }
    return victim;
  }

  #takeFrom(at: number, now: number): boolean {
    const words = this.#words;
    const interval = this.#interval;
    const maxAhead = this.#maxAhead;
    for (;;) {
      const full = Atomics.load(words, at);
      const ahead = aheadOf(now, full);
      if (ahead > maxAhead) return false;
      if (Atomics.compareExchange(words, at, full, (now + ahead + interval) | 0 || 1) === full) return true;
    }
  }
}

/**
 * Time until a bucket is full. It is never more than a second, plus the difference between the
 * clocks of two batches. A longer time means that the bucket was unused while the time wrapped
 * around. A bucket that has never been used has the time 0.
 */
function aheadOf(now: number, full: number): number {
  const ahead = (full - now) | 0;
  return full === 0 || ahead < 0 || ahead > 2 * SECOND ? 0 : ahead;
}

/**
 * HalfSipHash-1-3 of four 32-bit words (Aumasson and Bernstein). It is the 32-bit variant of
 * SipHash, as in the hash tables of the Linux kernel. Without the key, an attacker cannot aim at
 * the bucket of another client. Hot: allocates nothing. `key`: two
 * words; `words`: four.
 */
export function halfSipHash(key: Int32Array, words: Int32Array): number {
  let v0 = key[0];
  let v1 = key[1];
  let v2 = key[0] ^ 0x6c796765;
  let v3 = key[1] ^ 0x74656462;
  for (let i = 0; i < 7; i++) {
    const word = i < 4 ? words[i] : 0;
    // After the words, three finalization rounds without input.
    if (i === 4) v2 ^= 0xff;
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  return v1 ^ v3;
}
