/** The queued parts of a stream's response body, in order. */
import type { ClientMemory } from '../exchange/client-memory.ts';
import { Parts } from '../exchange/parts.ts';
import { BUFFER, giveBuffer, takeBuffer, weightOf } from '../transport/buffers.ts';

/**
 * Lent bytes are copied into a buffer of the thread's pool if they fill at least this much of it.
 * Fewer bytes get memory of their own size.
 */
const MIN_POOLED = BUFFER / 4;

export class SendQueue {
  #part: Uint8Array | null = null;
  #partAt = 0;
  /** Parts after `#part`; null until a second part is queued. */
  #more: Parts | null = null;
  readonly #memory: ClientMemory;
  /** Bytes charged for the parts. */
  #charged = 0;

  /** `memory`: charged for each part until all its bytes are moved to the output. */
  constructor(memory: ClientMemory) {
    this.#memory = memory;
  }

  /** `part` must not be empty, and its bytes must not change. */
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

  /** Copies `part`, which must not be empty. */
  pushCopy(part: Uint8Array): void {
    for (let from = 0; from < part.length; from += BUFFER) {
      const { length } = part.subarray(from, from + BUFFER);
      const copy = length < MIN_POOLED ? Buffer.allocUnsafeSlow(length) : takeBuffer().subarray(0, length);
      copy.set(part.subarray(from, from + length));
      this.push(copy);
    }
  }

  /**
   * Moves the next `length` queued bytes to target[at …]. False: the bytes are lost, since their
   * writer has detached the memory.
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
    // A part with detached memory has no weight, so its charge remains.
    this.#release(this.#charged);
  }

  /** Drops the first part, `part`, and moves to the next one. */
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
