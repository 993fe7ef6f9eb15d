/**
 * Runs the requests of a connection one at a time: a client that pipelines requests causes no new
 * work before it has read the previous response.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Maximum number of queued requests. Above it the connection is closed, as RFC 9112 9.3.2 allows.
 */
const MAX_QUEUED = 100;

export class NodeConnection {
  #current: { readonly message: IncomingMessage; readonly response: ServerResponse } | undefined;
  #queue: (() => void)[] = [];
  #isRejected = false;
  #closesAfterCurrent = false;

  constructor(private readonly socket: Socket) {
    socket.once('close', () => {
      this.#queue = [];
    });
  }

  /** Whether an error response to a malformed request was already sent. */
  get isRejected(): boolean {
    return this.#isRejected;
  }

  /** Runs `work` after the previous responses have ended; never if the connection ends first. */
  enqueue(message: IncomingMessage, response: ServerResponse, work: () => void): void {
    const begin = (): void => {
      this.#current = { message, response };
      response.once('close', () => this.#finishCurrent());
      work();
    };
    if (this.#current === undefined) begin();
    else if (this.#queue.length < MAX_QUEUED) this.#queue.push(begin);
    else this.socket.destroy();
  }

  #finishCurrent(): void {
    this.#current = undefined;
    if (this.socket.destroyed) return;
    const next = this.#queue.shift();
    if (next !== undefined) next();
    else if (this.#closesAfterCurrent) this.socket.destroySoon();
  }

  /**
   * Ends the connection because of malformed input. Sends `text` if the client would read it as the
   * response to that input. Earlier complete requests still get their responses first.
   */
  reject(text: string): void {
    const current = this.#current;
    if (current?.message.complete) this.#closesAfterCurrent = true;
    else if (current?.response.headersSent || !this.socket.writable) this.socket.destroy();
    else {
      this.#isRejected = true;
      this.socket.write(text);
      this.socket.destroySoon();
    }
  }
}
