/**
 * A queue of body parts. Small parts are joined: a separate buffer for each would take many times
 * its length.
 */

/** Bytes. Shorter parts are joined, in buffers of JOINED bytes. */
const SMALL = 512;
const JOINED = 1024;

export class Parts {
  #list: Uint8Array[] = [];
  /** The buffer of the last part if that is a joined one, and its used length. */
  #tail: Buffer | null = null;
  #tailLength = 0;

  get count(): number {
    return this.#list.length;
  }

  /** `part`: not empty, and not changed afterwards. */
  push(part: Uint8Array): void {
    const list = this.#list;
    // The first part is not joined: a fast reader gets it without a copy.
    if (part.length >= SMALL || list.length === 0) {
      list.push(part);
      this.#tail = null;
      return;
    }
    if (this.#tail === null || this.#tailLength + part.length > JOINED) {
      this.#tail = Buffer.allocUnsafeSlow(JOINED);
      this.#tailLength = 0;
      list.push(part);
    }
    this.#tail.set(part, this.#tailLength);
    this.#tailLength += part.length;
    list[list.length - 1] = this.#tail.subarray(0, this.#tailLength);
  }

  /** Removes and returns the first part, which the reader owns; undefined: none. */
  shift(): Uint8Array | undefined {
    const part = this.#list.shift();
    if (this.#list.length === 0) this.#tail = null;
    return part;
  }

  /** Removes and returns all parts, which the caller owns. */
  take(): Uint8Array[] {
    const list = this.#list;
    this.clear();
    return list;
  }

  clear(): void {
    this.#list = [];
    this.#tail = null;
  }
}
