/**
 * Counts requests for rate limits, in memory that all threads of the node share.
 *
 * The algorithm is GCRA (ITU-T I.371): one time for each key, before which no request conforms.
 * Threads write without locks, so that two requests at the same moment may count as one. The table
 * has a fixed size: when a bucket is full, the key that would be forgotten first gives way.
 */

/** Slots of a key's bucket. */
const WAYS = 4;
const BUCKETS = 16_384;
/** Two numbers for each slot: the tag of the key, and its time in milliseconds since 1970. */
const SLOT = 2;
/** The first number of the table is the seed of the hashes. */
const HEADER = 1;

export function createRateMemory(): SharedArrayBuffer {
  const memory = new SharedArrayBuffer((HEADER + BUCKETS * WAYS * SLOT) * 8);
  // Visitors cannot choose keys that share a bucket.
  new Float64Array(memory)[0] = Math.floor(Math.random() * 0xffffffff);
  return memory;
}

export interface Rate {
  /** Milliseconds between requests, on average. */
  readonly interval: number;
  /** Requests that may come at once. */
  readonly burst: number;
}

export class RateTable {
  readonly #numbers: Float64Array;
  readonly #seed: number;

  constructor(memory: SharedArrayBuffer) {
    this.#numbers = new Float64Array(memory);
    this.#seed = this.#numbers[0];
  }

  /** Counts a request. 0: it conforms; else the milliseconds after which the next one does. */
  count(scope: string, key: string, { interval, burst }: Rate, now: number): number {
    const low = hash(hash(this.#seed | 0, scope) ^ 0x5f, key);
    const high = hash(hash(~this.#seed | 0, scope) ^ 0x2d, key);
    const tag = (high >>> 0) * 2_097_152 + (low >>> 11) + 1;
    const slot = this.#slotOf((low & (BUCKETS - 1)) >>> 0, tag, now);
    const numbers = this.#numbers;
    const before = numbers[slot] === tag ? Math.max(numbers[slot + 1], now) : now;
    const excess = before - now - (burst - 1) * interval;
    if (excess > 0.001) return excess;
    numbers[slot] = tag;
    numbers[slot + 1] = before + interval;
    return 0;
  }

  /** The slot of the tag, or the one to use for it. */
  #slotOf(bucket: number, tag: number, now: number): number {
    const numbers = this.#numbers;
    const first = HEADER + bucket * WAYS * SLOT;
    let best = first;
    for (let slot = first; slot < first + WAYS * SLOT; slot += SLOT) {
      if (numbers[slot] === tag) return slot;
      if (numbers[slot + 1] < numbers[best + 1]) best = slot;
    }
    if (numbers[best + 1] > now) numbers[best + 1] = 0;
    return best;
  }
}

/** FNV-1a with a final mix. */
function hash(seed: number, text: string): number {
  let value = seed ^ 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value = Math.imul(value ^ (value >>> 15), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return value ^ (value >>> 16);
}
