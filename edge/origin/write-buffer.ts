/**
 * Gathers the bytes for an origin into one write, in pooled buffers. A body arrives in parts of one
 * frame each, many in one turn of the event loop. A write for each costs a system call, and a
 * buffer for each costs garbage collection.
 */
import { BUFFER, giveBuffer, takeBuffer } from '../http/transport/buffers.ts';
import type { OriginSocket } from './sockets.ts';

export class WriteBuffer {
  readonly #socket: OriginSocket;
  /** The buffer of the next write; null: empty. */
  #memory: Buffer | null = null;
  #used = 0;
  /** Written buffers that the socket may still be sending. */
  #written: Buffer[] = [];

  constructor(socket: OriginSocket) {
    this.#socket = socket;
  }

  /** Adds Latin-1 text. */
  addText(text: string): void {
    if (text.length <= BUFFER - this.#used) this.#used += this.#room().write(text, this.#used, 'latin1');
    else this.addBytes(Buffer.from(text, 'latin1'));
  }

  /** Copies the bytes, which are valid during the call only. */
  addBytes(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const room = this.#room();
      const length = Math.min(bytes.length - from, BUFFER - this.#used);
      room.set(from === 0 && length === bytes.length ? bytes : bytes.subarray(from, from + length), this.#used);
      this.#used += length;
      from += length;
      if (this.#used === BUFFER) this.flush();
    }
  }

  /** Writes the gathered bytes. */
  flush(): void {
    const memory = this.#memory;
    if (memory === null) return;
    const bytes = memory.subarray(0, this.#used);
    this.#memory = null;
    this.#used = 0;
    if (this.#socket.write(bytes)) giveBuffer(memory);
    else this.#written.push(memory);
  }

  /** All written bytes were sent: the buffers return to their pool. */
  left(): void {
    for (const memory of this.#written) giveBuffer(memory);
    this.#written = [];
  }

  #room(): Buffer {
    this.#memory ??= takeBuffer();
    return this.#memory;
  }
}
