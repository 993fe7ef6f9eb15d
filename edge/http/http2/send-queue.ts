/** What of a stream's body waits to be sent, in the order in which it came. */
import type { ClientMemory } from '../exchange/client-memory.ts';
import { Parts } from '../exchange/parts.ts';
import { BUFFER, giveBuffer, takeBuffer, weightOf } from '../transport/buffers.ts';

/**
 * Bytes that are lent are kept in a buffer of the thread if they fill that much of it: less gets
 * memory of its own size.
 */
const WORTH = BUFFER / 4;

export class SendQueue {
  #part: Uint8Array | null = null;
  #partAt = 0;
  /** Those behind `#part`; null while there never were any. */
  #more: Parts | null = null;
  readonly #memory: ClientMemory;
  /** Bytes that are charged for the parts. */
  #charged = 0;

  /** `memory`: charged for each part until all of it has left. */
  constructor(memory: ClientMemory) {
    this.#memory = memory;
  }

  /** Not empty; the bytes stay as they are. */
  push(part: Uint8Array): void {
    const weight = weightOf(part);
    this.#charged += weight;
    this.#memory.hold(weight);
    if (this.#part === null) this.#part = part;
    else {
      this.#more ??= new Parts();
      this.#more.push(part);
    }
  }

  /** Not empty; the bytes are copied. */
  pushCopy(part: Uint8Array): void {
    for (let from = 0; from < part.length; from += BUFFER) {
      const { length } = part.subarray(from, from + BUFFER);
      const copy = length < WORTH ? Buffer.allocUnsafeSlow(length) : takeBuffer().subarray(0, length);
      copy.set(part.subarray(from, from + length));
      this.push(copy);
    }
  }

  /**
   * Moves the next `length` bytes, of those that are here, to target[at …]. False: they are there
   * no more, as their writer gave their memory away.
   */
  move(target: Buffer, at: number, length: number): boolean {
    const end = at + length;
    for (let to = at; to < end; ) {
      const part = this.#part;
      if (part === null || part.length <= this.#partAt) return false;
      const data = Math.min(end - to, part.length - this.#partAt);
      target.set(data === part.length ? part : part.subarray(this.#partAt, this.#partAt + data), to);
      to += data;
      this.#partAt += data;
      if (this.#partAt < part.length) return true;
      this.#next(part);
    }
    return true;
  }

  clear(): void {
    for (let part = this.#part; part !== null; part = this.#part) this.#next(part);
    // A part whose memory its writer gave away weighs nothing any more.
    this.#release(this.#charged);
  }

  /** `part`: the first, which nobody needs any more. */
  #next(part: Uint8Array): void {
    this.#partAt = 0;
    this.#part = this.#more?.shift() ?? null;
    this.#release(Math.min(weightOf(part), this.#charged));
    giveBuffer(part);
  }

  #release(bytes: number): void {
    if (bytes === 0) return;
    this.#charged -= bytes;
    this.#memory.release(bytes);
  }
}
