/**
 * Counts requests for rate limits, in memory that all threads of the node share
 * (edge/policy/rules/rate-memory.ts).
 *
 * The algorithm is GCRA (ITU-T I.371), which stores the theoretical arrival time of each key.
 * Threads write without locks, so two simultaneous requests may count as one. The table has a fixed
 * size: a full bucket evicts the key with the earliest time.
 */
import { BUCKETS, type RateMemory, viewRateMemory, WAYS } from './rate-memory.ts';

/** The low hash fills the low 21 bits of a tag; the high hash fills the other 32. */
const LOW_BITS = 2 ** 21;
const MAX_TAG = 2 ** 53;

export interface Rate {
  /** Milliseconds between requests, on average. */
  readonly interval: number;
  /** Maximum number of requests in a burst. */
  readonly burst: number;
}

/** A limit with the two hashes of its name. */
export interface RateScope extends Rate {
  readonly low: number;
  readonly high: number;
}

export class RateTable {
  readonly #memory: RateMemory;

  constructor(memory: SharedArrayBuffer) {
    this.#memory = viewRateMemory(memory);
  }

  /** `name`: separates the keys of different limits. */
  scopeOf(name: string, { interval, burst }: Rate): RateScope {
    const { seeds } = this.#memory;
    // A changed limit counts from zero, since stored times depend on the interval.
    const text = `${name} ${interval} ${burst}`;
    return { interval, burst, low: hash(seeds[0], text) ^ seeds[1], high: hash(seeds[2], text) ^ seeds[3] };
  }

  /** Counts a request. Returns 0 if it conforms, otherwise milliseconds until one would. */
  count(scope: RateScope, key: string, now: number): number {
    const { interval, burst } = scope;
    const tag = (hash(scope.high, key) >>> 0) * LOW_BITS + (hash(scope.low, key) >>> 11) + 1;
    const { slots } = this.#memory;
    const slot = this.#slotOf(tag);
    const before = slots[slot * 2] === tag ? Math.max(slots[slot * 2 + 1], now) : now;
    const excess = before - now - (burst - 1) * interval;
    if (excess > 0.001) return excess;
    this.#store(slot, tag, before + interval);
    const { pending } = this.#memory;
    if (pending !== null) {
      pending.limits[slot * 2] = interval;
      pending.limits[slot * 2 + 1] = burst;
      Atomics.add(pending.requests, slot, 1);
    }
    return 0;
  }

  /** Adds the usage of another node. `debit`: its requests times the interval, milliseconds. */
  add(tag: number, debit: number, now: number): void {
    if (!Number.isInteger(tag) || tag < 1 || tag > MAX_TAG) return;
    const { slots } = this.#memory;
    const slot = this.#slotOf(tag);
    const time = slots[slot * 2 + 1];
    if (slots[slot * 2] === tag) slots[slot * 2 + 1] = Math.max(time, now) + debit;
    // A remote key does not evict a key with a later time.
    else if (time < now + debit) this.#store(slot, tag, now + debit);
  }

  #store(slot: number, tag: number, time: number): void {
    const { slots, pending } = this.#memory;
    if (pending !== null && slots[slot * 2] !== tag) Atomics.store(pending.requests, slot, 0);
    slots[slot * 2 + 1] = time;
    slots[slot * 2] = tag;
  }

  /** The slot of the tag, or the slot in its bucket with the earliest time. */
  #slotOf(tag: number): number {
    const { slots } = this.#memory;
    const first = ((tag - 1) % BUCKETS) * WAYS;
    let best = first;
    for (let slot = first; slot < first + WAYS; slot++) {
      if (slots[slot * 2] === tag) return slot;
      if (slots[slot * 2 + 1] < slots[best * 2 + 1]) best = slot;
    }
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
