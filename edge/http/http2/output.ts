/**
 * Bytes on their way to a client: frames are written into one buffer, and leave in one write, one
 * at a time. While a write is pending the next buffer fills, so what a client does not take is
 * seen at once, and nothing piles up in the socket. A session that has nothing to send holds no
 * buffer.
 */

import type { ClientMemory } from '../exchange/client-memory.ts';
import { BUFFER, giveBuffer, takeBuffer } from '../transport/buffers.ts';
import type { Transport } from '../transport/transport.ts';

const NOTHING = Buffer.alloc(0);

export class Output {
  /**
   * Where the next frame goes: bytes[at …]. Valid from `reserve` until the next call of anything.
   */
  bytes: Buffer = NOTHING;
  at = 0;
  /** Bytes in the pending write; 0: none is. */
  underWay = 0;
  readonly #transport: Transport;
  readonly #memory: ClientMemory;
  /** Bytes of buffers that are charged. */
  #charged = 0;
  readonly #onWritten: (bytes: number) => void;
  readonly #done: (error?: Error | null) => void;
  /** Full buffers before the current one, with what is used of them. */
  #full: Buffer[] = [];
  #fullBytes = 0;
  /** What the pending write reads from, to be used again; nothing if that is a part. */
  #lent: Buffer = NOTHING;
  #isBroken = false;
  /** In writes that have ended. */
  #sentBefore = 0;

  /** `memory`: charged for the buffers. `onWritten`: a write has ended, another may begin. */
  constructor(transport: Transport, memory: ClientMemory, onWritten: (bytes: number) => void) {
    this.#transport = transport;
    this.#memory = memory;
    this.#onWritten = onWritten;
    this.#done = (error) => this.#written(error);
  }

  /** Bytes that were written and have left, in all. */
  get sent(): number {
    return this.#sentBefore + (this.underWay === 0 ? 0 : Math.max(0, this.underWay - this.#transport.unsent));
  }

  /** Of those that have left, bytes that the client has not acknowledged, as far as is known. */
  get unacknowledged(): number {
    return this.#transport.unacknowledged;
  }

  /** Bytes that wait for a write. */
  get waiting(): number {
    return this.#fullBytes + this.at;
  }

  /** Bytes that DATA may still take before the buffer has to leave. */
  get room(): number {
    if (this.#fullBytes > 0) return 0;
    return this.bytes.length === 0 ? BUFFER : this.bytes.length - this.at;
  }

  /** Makes room for `bytes` in a row. */
  reserve(bytes: number): void {
    if (this.bytes.length - this.at >= bytes) return;
    if (this.at > 0) {
      this.#full.push(this.bytes.subarray(0, this.at));
      this.#fullBytes += this.at;
    }
    this.bytes = bytes > BUFFER ? Buffer.allocUnsafeSlow(bytes) : takeBuffer();
    this.at = 0;
    this.#charge();
  }

  /**
   * Brings the account up to what the buffers take: those that are full, the current one, and the
   * one that a write reads from.
   */
  #charge(): void {
    const buffers = this.#isBroken
      ? 0
      : this.#full.length * BUFFER + this.bytes.length + (this.underWay > 0 ? BUFFER : 0);
    if (buffers === this.#charged) return;
    if (buffers > this.#charged) this.#memory.hold(buffers - this.#charged);
    else this.#memory.release(this.#charged - buffers);
    this.#charged = buffers;
  }

  /** Writes what waits, unless a write is pending: then it follows. */
  flush(): void {
    if (this.underWay > 0 || this.#isBroken) return;
    let next: Buffer;
    if (this.#fullBytes > 0) {
      next = this.#full.shift() as Buffer;
      this.#fullBytes -= next.length;
    } else {
      if (this.at === 0) return;
      next = this.bytes.subarray(0, this.at);
      this.#lent = this.bytes;
      this.bytes = NOTHING;
      this.at = 0;
    }
    this.underWay = next.length;
    this.#transport.write(next, this.#done);
  }

  /** Drops what waits; nothing is written any more. */
  stop(): void {
    this.#isBroken = true;
    this.#full = [];
    this.#fullBytes = 0;
    this.bytes = NOTHING;
    this.at = 0;
    this.#charge();
  }

  #written(error: Error | null | undefined): void {
    const bytes = this.underWay;
    const lent = this.#lent;
    this.underWay = 0;
    this.#sentBefore += bytes;
    this.#lent = NOTHING;
    // After an error the system may still read from it.
    if (error) {
      this.stop();
      return;
    }
    giveBuffer(lent);
    this.#charge();
    this.#onWritten(bytes);
  }
}
