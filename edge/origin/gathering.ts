/**
 * What goes to an origin is put together for one write, in memory that is used again: a body comes
 * in parts of a frame each, many in one turn of the loop. A write for each costs a call of the
 * system, and memory of its own for each keeps the garbage collector busy.
 */
import { BUFFER, giveBuffer, takeBuffer } from '../http/transport/buffers.ts';
import type { OriginSocket } from './sockets.ts';

export class Gathering {
  readonly #socket: OriginSocket;
  /** What the next write takes; null: nothing. */
  #memory: Buffer | null = null;
  #used = 0;
  /** Written, and perhaps not all of it has left. */
  #written: Buffer[] = [];

  constructor(socket: OriginSocket) {
    this.#socket = socket;
  }

  /** Characters are bytes. */
  addText(text: string): void {
    if (text.length <= BUFFER - this.#used) this.#used += this.#room().write(text, this.#used, 'latin1');
    else this.addBytes(Buffer.from(text, 'latin1'));
  }

  /** There during the call. */
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

  /** Writes what there is. */
  flush(): void {
    const memory = this.#memory;
    if (memory === null) return;
    const bytes = memory.subarray(0, this.#used);
    this.#memory = null;
    this.#used = 0;
    if (this.#socket.write(bytes)) giveBuffer(memory);
    else this.#written.push(memory);
  }

  /** All that was written has left. */
  left(): void {
    for (const memory of this.#written) giveBuffer(memory);
    this.#written = [];
  }

  #room(): Buffer {
    this.#memory ??= takeBuffer();
    return this.#memory;
  }
}
