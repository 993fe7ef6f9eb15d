/**
 * How far this node has executed purges, as sequences of the journal, which all nodes share. The
 * main thread writes them; edge threads read them.
 *
 *     asking node: a purge is announced here ─► the cache executes it ─► a request takes its mark
 *     owner:       the cache has executed the purges of a group ─► the group counts as executed
 *
 * So a response of an owner that has executed what the asking node has announced is not older than
 * a purge that the mark of the asking node covers.
 */

const ANNOUNCED = 0;
const EXECUTED = 1;

export const sharePurgePositions = (): SharedArrayBuffer => new SharedArrayBuffer(16);

export class PurgePositions {
  readonly #values: BigInt64Array;

  constructor(memory: SharedArrayBuffer) {
    this.#values = new BigInt64Array(memory);
  }

  /** Before the cache executes purges of entries up to `sequence`. */
  announce(sequence: number): void {
    Atomics.store(this.#values, ANNOUNCED, BigInt(sequence));
  }

  /** After the cache has executed all purges of entries up to `sequence`. */
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
