/**
 * Layout of the memory of rate limits, which all threads of a node share:
 *
 *     seeds of the hashes ┆ slots: tag of the key, time in milliseconds since 1970
 *
 * In a cluster, two arrays with an entry for each slot follow: interval and burst of the limit, and
 * the number of unsent requests.
 */

/** Slots of a bucket. */
export const WAYS = 4;
export const BUCKETS = 16_384;
export const SLOTS = BUCKETS * WAYS;
/** Number of values in a slot. */
const SLOT = 2;
const SEEDS = 2;
const SLOTS_BYTES = SLOTS * SLOT * Float64Array.BYTES_PER_ELEMENT;
/** Bytes of the secret, from which the seeds are taken. */
export const RATE_SECRET_BYTES = SEEDS * Float64Array.BYTES_PER_ELEMENT;
const PENDING_OFFSET = RATE_SECRET_BYTES + 2 * SLOTS_BYTES;

/** Usage that a node of a cluster has not sent yet. */
interface PendingUsage {
  /** For each slot, `interval` and `burst` of its limit. */
  readonly limits: Float64Array;
  /** For each slot, the number of requests not yet sent to other nodes. */
  readonly requests: Int32Array;
}

export interface RateMemory {
  readonly seeds: Int32Array;
  /** For each slot, the tag of its key (0: none) and the time. */
  readonly slots: Float64Array;
  /** Null: counts are not shared. */
  readonly pending: PendingUsage | null;
}

/** `secret`: equal on all nodes, so their tags are equal. Visitors must not know it. */
export function createRateMemory(secret: Uint8Array, isShared: boolean): SharedArrayBuffer {
  const bytes = isShared ? PENDING_OFFSET + SLOTS * Int32Array.BYTES_PER_ELEMENT : RATE_SECRET_BYTES + SLOTS_BYTES;
  const memory = new SharedArrayBuffer(bytes);
  new Uint8Array(memory, 0, RATE_SECRET_BYTES).set(secret.subarray(0, RATE_SECRET_BYTES));
  return memory;
}

export const viewRateMemory = (memory: SharedArrayBuffer): RateMemory => ({
  seeds: new Int32Array(memory, 0, RATE_SECRET_BYTES / Int32Array.BYTES_PER_ELEMENT),
  slots: new Float64Array(memory, RATE_SECRET_BYTES, SLOTS * SLOT),
  pending:
    memory.byteLength > PENDING_OFFSET
      ? {
          limits: new Float64Array(memory, RATE_SECRET_BYTES + SLOTS_BYTES, SLOTS * SLOT),
          requests: new Int32Array(memory, PENDING_OFFSET, SLOTS),
        }
      : null,
});
