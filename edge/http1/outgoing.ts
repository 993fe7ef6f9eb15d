/**
 * What a connection has to send, in order. Large parts go to the socket in pieces: it tells of progress only when all that it was
 * given is gone, and encrypts all of it at once.
 */
import type { Socket } from 'node:net';

const PIECE = 65_536;

export class Outgoing {
  /** Grows whenever the client has taken something: no progress, no growth. */
  progress = 0;
  /** A part that waited is there no more, as whoever wrote it gave its memory away: what was said of the body does not come true. */
  isLost = false;
  readonly #socket: Socket;
  #parts: (Uint8Array | string)[] = [];
  #isCorked = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Nothing waits here; the socket may still hold some. */
  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  /** More is held than should be: wait for `drained` to say true. */
  get isFull(): boolean {
    return this.#parts.length > 0 || this.#socket.writableNeedDrain;
  }

  /** The client has something to take. */
  get isPending(): boolean {
    return this.#parts.length > 0 || this.#socket.writableLength > 0;
  }

  /** All that is written in this turn of the event loop leaves as one. */
  cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#socket.cork();
    process.nextTick(uncork, this);
  }

  /** Text is Latin-1. False: the client doesn't keep up. */
  write(part: Uint8Array | string): boolean {
    if (part.length === 0) return !this.isFull;
    if (this.#parts.length > 0) {
      this.#parts.push(part);
      return false;
    }
    if (part.length <= PIECE) return this.#give(part);
    this.#parts.push(part);
    this.#advance();
    return !this.isFull;
  }

  /** To be called when the socket has drained. True: all is gone. */
  drained(): boolean {
    this.progress++;
    this.#advance();
    return !this.isFull;
  }

  /** Sends at once what the cork holds, as before an end. */
  uncork(): void {
    if (!this.#isCorked) return;
    this.#isCorked = false;
    this.#socket.uncork();
  }

  #advance(): void {
    let done = 0;
    while (done < this.#parts.length && !this.#socket.writableNeedDrain && !this.#socket.destroyed) {
      const part = this.#parts[done];
      // None that is empty ever comes to wait.
      if (part.length === 0) {
        this.isLost = true;
        break;
      }
      if (part.length <= PIECE) {
        this.#give(part);
        done++;
      } else {
        this.#give(typeof part === 'string' ? part.slice(0, PIECE) : part.subarray(0, PIECE));
        this.#parts[done] = typeof part === 'string' ? part.slice(PIECE) : part.subarray(PIECE);
      }
    }
    if (done > 0) this.#parts.splice(0, done);
  }

  #give(part: Uint8Array | string): boolean {
    if (!this.#socket.writable) return true;
    return typeof part === 'string' ? this.#socket.write(part, 'latin1') : this.#socket.write(part);
  }
}

const uncork = (outgoing: Outgoing): void => outgoing.uncork();
