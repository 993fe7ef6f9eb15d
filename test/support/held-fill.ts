/**
 * Fills an index in the background, as a start does, and stops before what has changed meanwhile.
 */
import type { Environment } from '../../core/store/environment.ts';
import { fillIndex } from '../../core/store/index/build.ts';
import type { IndexWriter } from '../../core/store/index/writer.ts';

export class HeldFill {
  readonly #filled: Promise<void>;
  readonly #release: () => void;

  private constructor(filled: Promise<void>, release: () => void) {
    this.#filled = filled;
    this.#release = release;
  }

  /** Resolves when all names of the store are in the index. Later changes wait for `finish`. */
  static async start(index: IndexWriter, environment: Environment, directory: string): Promise<HeldFill> {
    const { filling } = index;
    if (filling === null) throw new Error('The index is complete.');
    const betweenCommits = filling.betweenCommits.bind(filling);
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isScanning = true;
    const scanned = new Promise<void>((resolve) => {
      filling.betweenCommits = async (work) => {
        // First the snapshots are taken, then changes are applied.
        if (!isScanning) {
          resolve();
          await released;
        }
        isScanning = false;
        return betweenCommits(work);
      };
    });
    const filled = fillIndex(index, environment, { directory, namesPerThread: 2 });
    await Promise.race([scanned, filled]);
    return new HeldFill(filled, release);
  }

  /** Resolves when the index is complete. */
  finish(): Promise<void> {
    this.#release();
    return this.#filled;
  }
}
