/** How far purges and invalidations are on this node, in memory that its threads share. */
import { hashOf } from './owner.ts';

const CLASSES = 65_536;

const ANNOUNCED = 0;
const EXECUTED = 1;

export const sharePurgePositions = (): SharedArrayBuffer => new SharedArrayBuffer(16);

/**
 * The progress of purges on this node, as sequences of the journal, which all nodes share. The main
 * thread writes them; edge threads read them.
 *
 *     requesting node: announce a purge ─► the cache executes it ─► a request takes its mark
 *     owner:           the cache executes all purges of a group ─► `executed` increases
 *
 * The owner answers only if its `executed` has reached the `announced` of the requesting node. So
 * its response is not older than any purge that the requesting node's mark covers.
 */
export class PurgePositions {
  readonly #values: BigInt64Array;

  constructor(memory: SharedArrayBuffer) {
    this.#values = new BigInt64Array(memory);
  }

  /** Call it before the cache executes the purges up to journal entry `sequence`. */
  announce(sequence: number): void {
    Atomics.store(this.#values, ANNOUNCED, BigInt(sequence));
  }

  /** Call it after the cache has executed all purges up to journal entry `sequence`. */
  complete(sequence: number): void {
    Atomics.store(this.#values, EXECUTED, BigInt(sequence));
  }

  /** Read this after the mark of a request. */
  get announced(): number {
    return Number(Atomics.load(this.#values, ANNOUNCED));
  }

  /** Read this before a lookup. */
  get executed(): number {
    return Number(Atomics.load(this.#values, EXECUTED));
  }
}

export const shareInvalidations = (): SharedArrayBuffer => new SharedArrayBuffer(CLASSES * 8);

/**
 * Times at which unsafe requests, such as POST, last invalidated URLs (RFC 9111 section 4.4). All
 * threads of this node share them. This node must not use an owner's response that is older than
 * the invalidation. URLs share 65,536 classes: a collision costs a request to the origin.
 */
export class Invalidations {
  readonly #times: BigInt64Array;

  constructor(memory: SharedArrayBuffer) {
    this.#times = new BigInt64Array(memory);
  }

  /** `now`: milliseconds since 1970. */
  record(key: string, now: number): void {
    Atomics.store(this.#times, hashOf(key) & (CLASSES - 1), BigInt(now));
  }

  /** Milliseconds since 1970; 0: never. */
  lastOf(key: string): number {
    return Number(Atomics.load(this.#times, hashOf(key) & (CLASSES - 1)));
  }
}
