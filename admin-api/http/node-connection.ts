/** Runs the requests of a connection one at a time, so that a pipelining client cannot cause work ahead of its reads. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Maximum of queued requests. Above it the connection is closed (clients must expect that: RFC 9112 9.3.2). */
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

  /** Whether an error response for a malformed request was already sent. */
  get refused(): boolean {
    return this.#refused;
  }

  /** Runs `work` after the previous responses were read; never if the connection ends first. */
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
   * The input is malformed. Sends `text` if the client would read it as the response to that input.
   * Complete earlier requests still get their responses; then the connection is closed.
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
