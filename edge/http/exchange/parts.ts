/**
 * Parts of a body that wait. Small ones are put together: each by itself would hold many times what
 * it weighs.
 */

/** Bytes: shorter parts are put together, into memory of so many. */
const SMALL = 512;
const GATHERED = 1024;

export class Parts {
  #list: Uint8Array[] = [];
  /** Memory of the last part, if it is one of those put together, and how much of it is used. */
  #tail: Buffer | null = null;
  #tailLength = 0;

  get count(): number {
    return this.#list.length;
  }

  /** Not empty; the bytes are not to be changed afterwards. */
  push(part: Uint8Array): void {
    const list = this.#list;
    // The first is given out as it is, if its reader keeps up.
    if (part.length >= SMALL || list.length === 0) {
      list.push(part);
      this.#tail = null;
      return;
    }
    if (this.#tail === null || this.#tailLength + part.length > GATHERED) {
      this.#tail = Buffer.allocUnsafeSlow(GATHERED);
      this.#tailLength = 0;
      list.push(part);
    }
    this.#tail.set(part, this.#tailLength);
    this.#tailLength += part.length;
    list[list.length - 1] = this.#tail.subarray(0, this.#tailLength);
  }

  /** The first one, which is the reader's from here on. Undefined: there is none. */
  shift(): Uint8Array | undefined {
    const part = this.#list.shift();
    if (this.#list.length === 0) this.#tail = null;
    return part;
  }

  /** All of them, which are the taker's from here on. */
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
