/**
 * Collapsed forwarding across the threads of a node. Before a thread fetches a missing or stale
 * response, it claims the URL in shared memory. Other threads wait, and then find the response on
 * the disk that all threads share.
 *
 *     claim ─► fetch ─► on disk ─► release: 'shared'
 *           ─► another thread holds the claim: wait ─► look up, or fetch
 *
 * URLs share 65,536 slots of 64 bits. If another URL holds the slot, a thread fetches without a
 * claim. A claim is a lease that expires, because its thread may have died.
 *
 *     slot   b of the URL's hash (32) · milliseconds (29) · awaited (1) · state (2)
 */
import { KeyHash } from './key-hash.ts';

/** How the fetch of another thread ended. */
export type NodeFlightResult =
  | 'shared' // the response is on disk; look it up
  | 'failed' // no response, or none on disk
  | 'passed' // the response is for one visitor only
  | 'timeout';

const CLASSES = 65_536;
const RESULTS = ['failed', 'passed', 'shared'] as const;
const SHARED = 2;
const CLAIMED = 3;
const AWAITED = 4n;
/** Modulus of the time in a slot, which wraps around after six days. */
const TIMES = 2 ** 29;

export const shareNodeFlights = (): SharedArrayBuffer => new SharedArrayBuffer(CLASSES * 8);

interface NodeFlightsOptions {
  readonly memory: SharedArrayBuffer;
  /** Seeds of the URL hash, the same in all threads. */
  readonly seeds: readonly [number, number];
  /** Milliseconds after which a claim expires. */
  readonly lease: number;
  /** Whole milliseconds, the same in all threads. */
  readonly clock?: () => number;
}

/** Monotonic, and the same in all threads of a process. */
function uptime(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + Math.floor(nanoseconds / 1e6);
}

export class NodeFlights {
  readonly slots: BigInt64Array;
  readonly #hash: KeyHash;
  readonly #lease: number;
  readonly #clock: () => number;

  constructor({ memory, seeds, lease, clock = uptime }: NodeFlightsOptions) {
    this.slots = new BigInt64Array(memory);
    this.#hash = new KeyHash(...seeds);
    this.#lease = Math.max(1, lease);
    this.#clock = clock;
  }

  get now(): number {
    return this.#clock();
  }

  /** Claims a URL, or returns another thread's claim. Undefined: another URL holds the slot. */
  claim(domainId: string, key: string): Claim | undefined {
    const { a, b } = this.#hash.of(domainId, key);
    const claim = new Claim(this, a & (CLASSES - 1), b);
    if (claim.take(true)) return claim;
    return claim.isOfUrl(Atomics.load(this.slots, claim.slot)) ? claim : undefined;
  }

  /** Milliseconds until a claim expires. */
  leftOf(value: bigint): number {
    const since = Number(value & 0xffffffffn) >>> 3;
    return this.#lease - (((this.#clock() % TIMES) - since + TIMES) % TIMES);
  }

  valueOf(b: number, state: number): bigint {
    const time = this.#clock() % TIMES;
    return BigInt.asIntN(64, (BigInt(b) << 32n) | BigInt(time * 8 + state));
  }
}

const stateOf = (value: bigint): number => Number(value & 3n);

/** A thread's view of the slot of a URL. */
export class Claim {
  readonly slot: number;
  readonly #flights: NodeFlights;
  readonly #b: number;
  /** The value of the slot while this thread holds the claim, else null. */
  #own: bigint | null = null;

  constructor(flights: NodeFlights, slot: number, b: number) {
    this.#flights = flights;
    this.slot = slot;
    this.#b = b;
  }

  /** Whether this thread holds the claim. */
  get isOwn(): boolean {
    return this.#own !== null;
  }

  isOfUrl(value: bigint): boolean {
    return Number(BigInt.asUintN(32, value >> 32n)) === this.#b;
  }

  /**
   * Tries to take the claim. False: another thread holds it. `looksAgain`: also false if another
   * thread has shared the response recently, perhaps after this thread's lookup.
   */
  take(looksAgain = false): boolean {
    const { slots } = this.#flights;
    for (;;) {
      const current = Atomics.load(slots, this.slot);
      const state = stateOf(current);
      const isRecent = this.#flights.leftOf(current) > 0;
      if (isRecent && state === CLAIMED) return false;
      if (isRecent && looksAgain && state === SHARED && this.isOfUrl(current)) return false;
      const own = this.#flights.valueOf(this.#b, CLAIMED);
      if (Atomics.compareExchange(slots, this.slot, current, own) !== current) continue;
      this.#own = own;
      return true;
    }
  }

  /** Calls `onAwaited` when another thread starts to wait. For the holder of the claim. */
  watch(onAwaited: () => void): void {
    const own = this.#own;
    if (own === null) return;
    const { async, value } = Atomics.waitAsync(this.#flights.slots, this.slot, own);
    const onChange = (): void => {
      if (this.#own !== own) return;
      const current = Atomics.load(this.#flights.slots, this.slot);
      if (current === (own | AWAITED)) onAwaited();
      else if (current === own) this.watch(onAwaited);
    };
    if (async) void value.then(onChange);
    else onChange();
  }

  /** Waits at most `timeout` milliseconds for the holder of the claim. */
  async wait(timeout: number): Promise<NodeFlightResult> {
    const { slots } = this.#flights;
    const end = this.#flights.now + timeout;
    for (;;) {
      const current = Atomics.load(slots, this.slot);
      // After a release, another URL may have taken the slot. The result is lost.
      if (!this.isOfUrl(current)) return 'failed';
      const state = stateOf(current);
      if (state !== CLAIMED) return RESULTS[state];
      const left = Math.min(end - this.#flights.now, this.#flights.leftOf(current));
      if (left <= 0) return 'timeout';
      const awaited = current | AWAITED;
      if (awaited !== current) {
        if (Atomics.compareExchange(slots, this.slot, current, awaited) !== current) continue;
        Atomics.notify(slots, this.slot);
      }
      const { async, value } = Atomics.waitAsync(slots, this.slot, awaited, left);
      if (async) await value;
    }
  }

  /** Wakes the waiting threads. Later calls do nothing. */
  release(result: Exclude<NodeFlightResult, 'timeout'>): void {
    const own = this.#own;
    if (own === null) return;
    this.#own = null;
    const { slots } = this.#flights;
    const next = this.#flights.valueOf(this.#b, RESULTS.indexOf(result));
    // If the claim has expired and another thread has taken it, only the wake-up remains.
    if (Atomics.compareExchange(slots, this.slot, own, next) !== own)
      Atomics.compareExchange(slots, this.slot, own | AWAITED, next);
    Atomics.notify(slots, this.slot);
  }
}
