/**
 * Times at which unsafe requests, such as POST, last invalidated URLs (RFC 9111 section 4.4). All
 * threads of this node share them. This node must not use an owner's response that is older than
 * the invalidation. URLs share 65,536 classes: a collision costs a request to the origin.
 */
import { hashOf } from './owner.ts';

const CLASSES = 65_536;

export const shareInvalidations = (): SharedArrayBuffer => new SharedArrayBuffer(CLASSES * 8);

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
