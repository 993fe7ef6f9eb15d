/**
 * How much a client may still send (RFC 9113 section 6.9): a window that is given back in large
 * steps as bytes are taken.
 */

export class ReceiveWindow {
  readonly #size: number;
  #available: number;
  #owed = 0;

  /**
   * `size`: the size to which it is refilled, bytes; `available`: what the client believes to have
   * now, if that differs.
   */
  constructor(size: number, available = size) {
    this.#size = size;
    this.#available = available;
  }

  /** Bytes that the client may still send. */
  get available(): number {
    return this.#available;
  }

  /** Bytes of a flow-controlled frame came. False: more than the window held. */
  receive(bytes: number): boolean {
    if (bytes > this.#available) return false;
    this.#available -= bytes;
    return true;
  }

  /**
   * Bytes were taken, or dropped. Returns the increment to announce now; 0: not yet, since half of
   * the window is still open.
   */
  give(bytes: number): number {
    this.#owed += bytes;
    if (this.#owed === 0 || this.#owed * 2 < this.#size) return 0;
    const increment = this.#owed;
    this.#owed = 0;
    this.#available += increment;
    return increment;
  }
}
