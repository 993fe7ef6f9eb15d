/**
 * The output of a session. Frames are collected in a buffer, which is sent in one write. Only one
 * write is pending at a time. Meanwhile the next buffer fills, so the session notices a client that
 * does not read, and the socket queues nothing. A session without output holds no buffer.
 */

import type { ClientMemory } from '../exchange/client-memory.ts';
import { BUFFER, giveBuffer, takeBuffer } from '../transport/buffers.ts';
import type { Transport } from '../transport/transport.ts';

const NOTHING = Buffer.alloc(0);

export class Output {
  /**
   * The next frame is written to bytes[at …]. Valid after `reserve` until the next method call.
   */
  bytes: Buffer = NOTHING;
  at = 0;
  /** Bytes of the pending write; 0: none. */
  underWay = 0;
  readonly #transport: Transport;
  readonly #memory: ClientMemory;
  /** Bytes charged for the buffers. */
  #charged = 0;
  readonly #onWritten: (bytes: number) => void;
  readonly #done: (error?: Error | null) => void;
  /** The used parts of full buffers that precede the current one. */
  #full: Buffer[] = [];
  #fullBytes = 0;
  /** Buffer of the pending write, returned to the pool afterwards; NOTHING for a full buffer. */
  #writing: Buffer = NOTHING;
  #isBroken = false;
  /** Bytes of completed writes. */
  #sentBefore = 0;

  /** `memory`: charged for the buffers. `onWritten`: a write has completed, the next may start. */
  constructor(transport: Transport, memory: ClientMemory, onWritten: (bytes: number) => void) {
    this.#transport = transport;
    this.#memory = memory;
    this.#onWritten = onWritten;
    this.#done = (error) => this.#onWriteDone(error);
  }

  /** Bytes that the socket has accepted in total. */
  get sent(): number {
    return this.#sentBefore + (this.underWay === 0 ? 0 : Math.max(0, this.underWay - this.#transport.unsent));
  }

  /** Sent bytes that the client's TCP has not acknowledged; 0 if the transport cannot tell. */
  get unacknowledged(): number {
    return this.#transport.unacknowledged;
  }

  /** Bytes that wait for the next write. */
  get waiting(): number {
    return this.#fullBytes + this.at;
  }

  /** Bytes that fit into the current buffer; 0 if a full buffer waits. */
  get room(): number {
    if (this.#fullBytes > 0) return 0;
    return this.bytes.length === 0 ? BUFFER : this.bytes.length - this.at;
  }

  /** Makes room for `bytes` contiguous bytes. */
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
   * Updates the memory charged: the full buffers, the current one, and that of the pending write.
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

  /** Writes the next buffer, unless a write is pending. */
  flush(): void {
    if (this.underWay > 0 || this.#isBroken) return;
    let next: Buffer;
    if (this.#fullBytes > 0) {
      next = this.#full.shift() as Buffer;
      this.#fullBytes -= next.length;
    } else {
      if (this.at === 0) return;
      next = this.bytes.subarray(0, this.at);
      this.#writing = this.bytes;
      this.bytes = NOTHING;
      this.at = 0;
    }
    this.underWay = next.length;
    this.#transport.write(next, this.#done);
  }

  /** Discards the waiting output. Nothing more is written. */
  stop(): void {
    this.#isBroken = true;
    this.#full = [];
    this.#fullBytes = 0;
    this.bytes = NOTHING;
    this.at = 0;
    this.#charge();
  }

  #onWriteDone(error: Error | null | undefined): void {
    const bytes = this.underWay;
    const written = this.#writing;
    this.underWay = 0;
    this.#sentBefore += bytes;
    this.#writing = NOTHING;
    // After an error the kernel may still read from the buffer, so it is not reused.
    if (error) {
      this.stop();
      return;
    }
    giveBuffer(written);
    this.#charge();
    this.#onWritten(bytes);
  }
}
