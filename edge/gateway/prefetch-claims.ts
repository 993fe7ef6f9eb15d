/**
 * Claims of purged responses, so that only one thread of this node prefetches each. Responses share
 * 65,536 classes: after a collision, the second response is fetched when a visitor requests it.
 */
import { hashOf } from '../peers/owner.ts';

const CLASSES = 65_536;

export const sharePrefetchClaims = (): SharedArrayBuffer => new SharedArrayBuffer(CLASSES * 8);

export class PrefetchClaims {
  /** For each class, the sequence of the last purge with a claimed response. */
  readonly #sequences: BigInt64Array;

  constructor(memory: SharedArrayBuffer) {
    this.#sequences = new BigInt64Array(memory);
  }

  /** False: a thread has claimed the class for this purge. `sequence`: of the purge. */
  claim(response: string, sequence: number): boolean {
    const at = hashOf(response) & (CLASSES - 1);
    const wanted = BigInt(sequence);
    for (;;) {
      const last = Atomics.load(this.#sequences, at);
      if (last >= wanted) return false;
      if (Atomics.compareExchange(this.#sequences, at, last, wanted) === last) return true;
    }
  }
}
