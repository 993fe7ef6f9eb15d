/**
 * Gives memory back to the system when clients have released much of it: an attack must not leave
 * the process as large as it made it.
 */
import type { MemoryBudget } from '../exchange/client-memory.ts';

/** Bytes: for less the thread is not stopped. */
const WORTH = 32 * 1024 * 1024;
/** Seconds for which half of it, or less, has been held. */
const CALM = 3;

export class MemoryReturn {
  readonly #budget: MemoryBudget;
  readonly #release: () => void;
  /** Bytes that were held at most since the last time. */
  #most = 0;
  #calm = 0;

  /** `release`: releaseMemory of core/nameserver. */
  constructor(budget: MemoryBudget, release: () => void) {
    this.#budget = budget;
    this.#release = release;
  }

  /** To be called once a second. */
  look(): void {
    const { held } = this.#budget;
    this.#most = Math.max(this.#most, held);
    const isLess = this.#most - held >= WORTH && held * 2 <= this.#most;
    this.#calm = isLess ? this.#calm + 1 : 0;
    if (this.#calm < CALM) return;
    this.#calm = 0;
    this.#most = held;
    this.#release();
  }
}
