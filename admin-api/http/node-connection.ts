/** The requests of one connection, one after the other: a client that pipelines makes nobody work ahead of what it reads. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that wait for their turn. Whoever sends more at once has its connection closed (RFC 9112 9.3.2 makes a client ready for that). */
const MAX_WAITING = 100;

export class NodeConnection {
  readonly #socket: Socket;
  #current: { readonly message: IncomingMessage; readonly response: ServerResponse } | undefined;
  #waiting: (() => void)[] = [];
  #refused = false;
  #isLast = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.once('close', () => {
      this.#waiting = [];
    });
  }

  /** Whether the connection was told already that its request is none. */
  get refused(): boolean {
    return this.#refused;
  }

  /** Runs `work` when the answers before have been taken; never when the connection ends before. */
  enter(message: IncomingMessage, response: ServerResponse, work: () => void): void {
    const begin = (): void => {
      this.#current = { message, response };
      response.once('close', () => this.#leave());
      work();
    };
    if (this.#current === undefined) begin();
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(begin);
    else this.#socket.destroy();
  }

  #leave(): void {
    this.#current = undefined;
    if (this.#socket.destroyed) return;
    const next = this.#waiting.shift();
    if (next !== undefined) next();
    else if (this.#isLast) this.#socket.destroySoon();
  }

  /**
   * What came can't be read on. Says so, if it is taken for the answer to that; answers to whole requests that came before still go out, and then the
   * connection ends.
   */
  refuse(text: string): void {
    const current = this.#current;
    if (current?.message.complete) this.#isLast = true;
    else if (current?.response.headersSent || !this.#socket.writable) this.#socket.destroy();
    else {
      this.#refused = true;
      this.#socket.write(text);
      this.#socket.destroySoon();
    }
  }
}
