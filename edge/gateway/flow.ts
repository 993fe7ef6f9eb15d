/**
 * Messages from a thread to the main thread, of which few may be unprocessed: the queue between
 * threads has no limit of its own. The receiver increments the number in `processed` afterwards.
 */

const MAX_IN_FLIGHT = 2;

export class Flow {
  readonly #processed = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #sent = 0;

  /** Whether the main thread keeps up. */
  get isOpen(): boolean {
    return this.#sent - Atomics.load(this.#processed, 0) < MAX_IN_FLIGHT;
  }

  /** Counts a message, and returns the memory that it must carry. */
  next(): SharedArrayBuffer {
    this.#sent++;
    return this.#processed.buffer as SharedArrayBuffer;
  }
}
