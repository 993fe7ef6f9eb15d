/**
 * A receive window (RFC 9113 section 6.9). Consumed bytes are returned to the client in large
 * steps.
 */

export class ReceiveWindow {
  readonly #size: number;
  #available: number;
  #consumed = 0;

  /**
   * `size`: bytes to which the window is refilled. `available`: bytes of the window that the client
   * knows at present, if they differ.
   */
  constructor(size: number, available = size) {
    this.#size = size;
    this.#available = available;
  }

  /** Bytes that the client may still send. */
  get available(): number {
    return this.#available;
  }

  /** Counts the bytes of a flow-controlled frame. False: they exceed the window. */
  receive(bytes: number): boolean {
    if (bytes > this.#available) return false;
    this.#available -= bytes;
    return true;
  }

  /**
   * Counts consumed or discarded bytes. Returns the increment for a WINDOW_UPDATE; 0: none is
   * needed yet, since fewer than half of `size` are consumed.
   */
  give(bytes: number): number {
    this.#consumed += bytes;
    if (this.#consumed * 2 < this.#size) return 0;
    const increment = this.#consumed;
    this.#consumed = 0;
    this.#available += increment;
    return increment;
  }
}
