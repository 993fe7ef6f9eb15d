/**
 * The memory of rate limits, which all threads of a node share:
 *
 *     seeds of the hashes ┆ slots: tag of the key, time in milliseconds since 1970
 *
 * and in a cluster, for each slot: interval and burst of the limit, requests that were not sent
 */

/** Slots of a bucket. */
export const WAYS = 4;
export const BUCKETS = 16_384;
export const SLOTS = BUCKETS * WAYS;
/** Numbers of a slot. */
const SLOT = 2;
const SEEDS = 2;
const SLOTS_BYTES = SLOTS * SLOT * Float64Array.BYTES_PER_ELEMENT;
/** Bytes of the secret that the seeds are. */
export const RATE_SECRET_BYTES = SEEDS * Float64Array.BYTES_PER_ELEMENT;
const PENDING_OFFSET = RATE_SECRET_BYTES + 2 * SLOTS_BYTES;

/** What a node of a cluster knows of a slot to send its usage. */
interface PendingUsage {
  /** For each slot, `interval` and `burst` of its limit. */
  readonly limits: Float64Array;
  /** For each slot, requests that were not sent to other nodes. */
  readonly requests: Int32Array;
}

export interface RateMemory {
  readonly seeds: Int32Array;
  /** For each slot, the tag of its key (0: none), and the time. */
  readonly slots: Float64Array;
  /** Null: counts are not shared. */
  readonly pending: PendingUsage | null;
}

/** `secret`: the same on all nodes, so that their hashes are equal, and unknown to visitors. */
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
