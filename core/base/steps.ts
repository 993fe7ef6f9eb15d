/** Splits long work into steps, so that it does not block the event loop. */
import { setImmediate } from 'node:timers/promises';

/** Milliseconds between two yields to the event loop. */
const TURN = 2;

export class Steps {
  #since = performance.now();

  /**
   * Resolves at once, or after a yield to the event loop if the last yield was some milliseconds
   * ago.
   */
  async next(): Promise<void> {
    if (performance.now() - this.#since < TURN) return;
    await setImmediate();
    this.#since = performance.now();
  }
}
