/**
 * While requests wait, no more is read than the parser has in hand: what lies here of a client that does not wait for answers is one read and a little more, however
 * large its bodies are.
 */
import type { Socket } from 'node:net';
import type { Incoming } from './incoming.ts';

/** Whose requests wait. */
interface Queue {
  readonly socket: Socket;
  readonly hasWaiting: boolean;
}

export class ReadAhead {
  readonly #queue: Queue;
  /** The socket is paused. */
  #isHeld = false;
  #isAboutTo = false;

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  /** A request is going to wait. `body`: its message, when it has one. */
  hold(body: Incoming | undefined): void {
    body?.pause();
    if (this.#isAboutTo) return;
    this.#isAboutTo = true;
    // Not at once: behind each message the parser sets the socket going, also one that was paused.
    process.nextTick(pause, this);
  }

  /** Called by itself. */
  pause(): void {
    this.#isAboutTo = false;
    if (!this.#queue.hasWaiting) return;
    this.#isHeld = true;
    this.#queue.socket.pause();
  }

  /** No request waits any more. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#queue.socket.resume();
  }
}

const pause = (ahead: ReadAhead): void => ahead.pause();
