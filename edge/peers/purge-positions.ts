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

const ANNOUNCED = 0;
const EXECUTED = 1;

export const sharePurgePositions = (): SharedArrayBuffer => new SharedArrayBuffer(16);

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
