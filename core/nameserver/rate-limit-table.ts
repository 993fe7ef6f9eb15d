/**
 * Token buckets in shared memory, one table for all UDP threads: packets of one client are spread over the threads by their ports, so that with tables of
 * their own a limit would be as many times itself as there are threads.
 *
 *   set   one cache line: 8 buckets of { hash of the account, time at which the bucket is full again }
 *
 * A bucket is one word, by the generic cell rate algorithm (ITU-T I.371): a token taken moves the time at which it is full again by one interval; what lies a second
 * ahead has no token left. A bucket whose time has passed is full, which is what an account that nobody knows has as well: it may be given to another without
 * any loss, and nothing has to be swept. A set in which none has passed gives away the fullest. Threads change a bucket by compare-and-swap;
 * that two put the same account into two buckets, or one loses its first token, is possible and costs a token.
 *
 * Memory: a bucket is in use for one interval a response, so BUCKETS suffice for BUCKETS × rate responses a second: 6.5 million at the standard rate.
 */

/** 256 KB: what is looked up at random with every response should stay in the cache of its core. */
export const BUCKETS = 1 << 15;
const WAYS = 8;
const BUCKET_WORDS = 2;
const SET_WORDS = WAYS * BUCKET_WORDS;
/** A millisecond's. Times are 32 bits and go around after 70 minutes; they are compared by their difference. */
const UNITS = 1024;
const SECOND = 1000 * UNITS;
/** Responses a second: an interval is ten units at least. */
export const MAX_RATE = 100_000;

export function createBuckets(count = BUCKETS): SharedArrayBuffer {
  return new SharedArrayBuffer(count * BUCKET_WORDS * Int32Array.BYTES_PER_ELEMENT);
}

/** A time of `performance.now()`, which is one for all threads of a process, in the table's units. */
export function toUnits(milliseconds: number): number {
  return (milliseconds * UNITS) | 0;
}

export class RateTable {
  readonly #words: Int32Array;
  readonly #mask: number;
  /** Units from one token to the next. */
  readonly #interval: number;
  /** How far ahead of now a bucket may be when a token is taken. */
  readonly #most: number;

  /** `rate`: tokens a second, and how many a bucket holds; 1 to MAX_RATE. `buffer`: as createBuckets gives it. */
  constructor(buffer: SharedArrayBuffer, rate: number) {
    this.#words = new Int32Array(buffer);
    this.#mask = this.#words.length / SET_WORDS - 1;
    this.#interval = Math.round(SECOND / rate);
    this.#most = this.#interval * (rate - 1);
  }

  /** Takes a token of the account with this hash, at `now` in units. False when there is none. Hot. */
  take(hash: number, now: number): boolean {
    const words = this.#words;
    const set = (hash & this.#mask) * SET_WORDS;
    for (let at = set; at < set + SET_WORDS; at += BUCKET_WORDS)
      if (words[at] === hash) return this.#takeFrom(at + 1, now);
    const at = this.#victim(set, now);
    // Plain stores, which cost half as much: who sees the new account with the old time takes its first token from that.
    words[at + 1] = (now + this.#interval) | 0 || 1;
    words[at] = hash;
    return true;
  }

  /** Gives a token of the account with this hash back. */
  giveBack(hash: number, now: number): void {
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

  /** The first bucket of a set that is full, or else the one that is next to it. */
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
    const most = this.#most;
    for (;;) {
      const full = Atomics.load(words, at);
      const ahead = aheadOf(now, full);
      if (ahead > most) return false;
      if (Atomics.compareExchange(words, at, full, (now + ahead + interval) | 0 || 1) === full) return true;
    }
  }
}

/**
 * How far a bucket is from full. None is ever more than a second ahead, give or take how much the clocks of two batches differ: what seems to be
 * has been left alone since the time went around. 0 is that of a bucket that nobody has used.
 */
function aheadOf(now: number, full: number): number {
  const ahead = (full - now) | 0;
  return full === 0 || ahead < 0 || ahead > 2 * SECOND ? 0 : ahead;
}
