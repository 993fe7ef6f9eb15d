/**
 * Which purged responses a thread of this node fetches again, so that no two do. Responses share
 * 65,536 classes: after a collision, the second one is fetched when a visitor requests it.
 */
import { hashOf } from '../peers/owner.ts';

const CLASSES = 65_536;

export const sharePrefetchClaims = (): SharedArrayBuffer => new SharedArrayBuffer(CLASSES * 8);

export class PrefetchClaims {
  /** The last purge of which a response of the class was claimed. */
  readonly #sequences: BigInt64Array;

  constructor(memory: SharedArrayBuffer) {
    this.#sequences = new BigInt64Array(memory);
  }

  /** False: another thread has claimed it. `sequence`: of the purge. */
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
