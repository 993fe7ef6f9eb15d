/**
 * Shares the counts of rate limits between the nodes of a cluster, approximately. Four times a
 * second, a node sends its usage of each limit since the previous message. The other nodes add that
 * to their own counts:
 *
 *     message: for each key, its tag f64, and its requests times the interval in milliseconds f64
 *
 * A node sends a key once its requests reach a minimum share of the burst, so visitors with few
 * requests cost nothing. The unsent usage of all other nodes together is at most an eighth of the
 * burst. Messages are not repeated: after a loss, only the sender has counted the usage.
 *
 * N: number of nodes. I: interval between requests. D: milliseconds from a request until all nodes
 * have counted it. In any T milliseconds, the nodes accept at most
 *
 *     burst + T / I                    the limit
 *     + burst / 8                      usage that nodes have not sent
 *     + (N - 1) × (burst + D / I)      requests that other nodes accept meanwhile
 *
 * The nodes refuse no request that a single counter would accept with a burst that is smaller by an
 * eighth and by D / I. test/edge/policy/rules/rate-sharing.test.ts checks both bounds.
 */
import { SLOTS, viewRateMemory } from './rate-memory.ts';
import { RateTable } from './rate-table.ts';

/** The connections to the other nodes of the cluster. */
export interface UsageChannel {
  /** Number of nodes that would receive a message now. */
  countReceivers(): number;
  send(usage: Buffer): void;
  /** Calls `listener` with each message of another node. */
  follow(listener: (usage: Buffer) => void): void;
}

interface RateSharingOptions {
  readonly memory: SharedArrayBuffer;
  readonly channel: UsageChannel;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/** Milliseconds between messages. */
export const SHARING_INTERVAL = 250;
/**
 * Maximum keys of a message. Keys with the largest share of their burst come first. The share of a
 * key that is left out grows until it is sent.
 */
const MAX_KEYS = 1024;
const ENTRY_BYTES = 16;
/** The unsent usage of all nodes together is at most 1 / PARTS of a burst. */
const PARTS = 8;
/** The largest burst and interval of a rule (core/site/rules/schema.ts). */
const MAX_DEBIT = 1_000_000 * 86_400_000;
/** Number of classes of keys. A class is a power of two of the share of the burst. */
const CLASSES = 31;

export class RateSharing {
  readonly #table: RateTable;
  readonly #limits: Float64Array;
  readonly #requests: Int32Array;
  readonly #slots: Float64Array;
  readonly #channel: UsageChannel;
  readonly #clock: () => number;
  readonly #classes = new Int32Array(CLASSES);
  #hadReceivers = false;
  /** Slots whose usage may be sent. */
  readonly #found = new Int32Array(SLOTS);
  /** Numbers of keys sent and received, for the metrics. */
  sent = 0;
  received = 0;

  /** `memory`: created with `isShared`. */
  constructor({ memory, channel, clock = Date.now }: RateSharingOptions) {
    const { pending, slots } = viewRateMemory(memory);
    if (pending === null) throw new TypeError('The memory of the rate limits has no room for pending usage.');
    this.#table = new RateTable(memory);
    this.#limits = pending.limits;
    this.#requests = pending.requests;
    this.#slots = slots;
    this.#channel = channel;
    this.#clock = clock;
    channel.follow((usage) => this.#receive(usage));
  }

  /** Sends the usage of this node. Must be called every SHARING_INTERVAL. */
  send(): void {
    const receivers = this.#channel.countReceivers();
    if (receivers === 0) {
      this.#hadReceivers = false;
      return;
    }
    // Usage from the time without receivers is not sent.
    if (!this.#hadReceivers) this.#requests.fill(0);
    this.#hadReceivers = true;
    const usage = this.#collect(PARTS * (receivers + 1));
    if (usage.length > 0) this.#channel.send(usage);
  }

  /** Collects keys whose requests are at least 1 / `parts` of their burst. */
  #collect(parts: number): Buffer {
    const found = this.#find(parts);
    const { keys, least, spare } = this.#select();
    const usage = Buffer.allocUnsafe(keys * ENTRY_BYTES);
    let length = 0;
    let spareLeft = spare;
    for (let i = 0; i < found && length < usage.length; i++) {
      const slot = this.#found[i];
      const level = this.#classOf(slot, parts);
      if (level < least || (level === least && spareLeft-- <= 0)) continue;
      if (this.#take(slot, usage, length)) length += ENTRY_BYTES;
    }
    this.sent += length / ENTRY_BYTES;
    return usage.subarray(0, length);
  }

  /** Finds slots with enough requests and counts them by class. Returns their number. */
  #find(parts: number): number {
    const requests = this.#requests;
    this.#classes.fill(0);
    let found = 0;
    for (let slot = 0; slot < SLOTS; slot++) {
      if (requests[slot] <= 0) continue;
      const level = this.#classOf(slot, parts);
      if (level < 0) continue;
      this.#classes[level]++;
      this.#found[found++] = slot;
    }
    return found;
  }

  /** Returns the number of keys to send, the lowest class, and its number of keys. */
  #select(): { readonly keys: number; readonly least: number; readonly spare: number } {
    const classes = this.#classes;
    let room = MAX_KEYS;
    for (let least = CLASSES - 1; ; least--) {
      if (least === 0 || classes[least] > room) {
        const spare = Math.min(classes[least], room);
        return { keys: MAX_KEYS - room + spare, least, spare };
      }
      room -= classes[least];
    }
  }

  /** The binary logarithm of the share of the burst, in parts. -1: below one part. */
  #classOf(slot: number, parts: number): number {
    const share = (this.#requests[slot] * parts) / this.#limits[slot * 2 + 1];
    return share >= 1 ? Math.min(CLASSES - 1, Math.floor(Math.log2(share))) : -1;
  }

  /** Moves the usage of a slot to a message. False: another key has replaced the slot's key. */
  #take(slot: number, usage: Buffer, at: number): boolean {
    const tag = this.#slots[slot * 2];
    const requests = Atomics.exchange(this.#requests, slot, 0);
    const debit = requests * this.#limits[slot * 2];
    if (this.#slots[slot * 2] !== tag || !isDebit(debit)) return false;
    usage.writeDoubleLE(tag, at);
    usage.writeDoubleLE(debit, at + 8);
    return true;
  }

  /** Skips malformed entries, since the sender may run another version. */
  #receive(usage: Buffer): void {
    const now = this.#clock();
    const end = Math.min(usage.length, MAX_KEYS * ENTRY_BYTES) - ENTRY_BYTES;
    for (let at = 0; at <= end; at += ENTRY_BYTES) {
      const debit = usage.readDoubleLE(at + 8);
      if (!isDebit(debit)) continue;
      this.#table.add(usage.readDoubleLE(at), debit, now);
      this.received++;
    }
  }
}

const isDebit = (debit: number): boolean => debit > 0 && debit <= MAX_DEBIT;
