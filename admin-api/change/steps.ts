/** Work in steps that lets others have the event loop. */
import { setImmediate } from 'node:timers/promises';

/** Milliseconds between two turns of the event loop. */
const TURN = 5;

export class Steps {
  #since = performance.now();

  /** Resolves at once, or after a turn of the event loop when the last one was some milliseconds ago. */
  async next(): Promise<void> {
    if (performance.now() - this.#since < TURN) return;
    await setImmediate();
    this.#since = performance.now();
  }
}
