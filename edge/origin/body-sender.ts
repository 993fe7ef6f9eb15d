/** The body of a request on its way to the origin: pulled from the visitor as the origin takes it, in the framing that the head told. */
import type { RequestBody } from '../exchange/exchange.ts';
import { fieldLines } from './request-head.ts';
import type { OriginSocket } from './sockets.ts';

/** What the sender tells its connection. */
export interface SenderOwner {
  /** Something went out, or the origin is waited for no longer. */
  onSent(): void;
  /** All is written. */
  onBodyEnd(): void;
  /** The visitor's body broke off, or is not as long as it was said to be. */
  onBodyLost(why: string): void;
}

export class BodySender {
  /** A part was asked for, so that the body can't be sent once more from its begin. */
  isBegun = false;
  isDone = false;
  /** The origin has something to take. */
  isBlocked = false;
  readonly #socket: OriginSocket;
  readonly #body: RequestBody;
  readonly #owner: SenderOwner;
  readonly #isChunked: boolean;
  /** Of the announced length. */
  #left: number;
  #head: string;
  #isStopped = false;
  readonly #onPart = (part: Uint8Array | null): void => this.#take(part);
  readonly #onFailure = (): void => this.#lose('the visitor broke off');

  constructor(socket: OriginSocket, head: string, body: RequestBody, owner: SenderOwner) {
    this.#socket = socket;
    this.#head = head;
    this.#body = body;
    this.#owner = owner;
    this.#isChunked = body.length === undefined;
    this.#left = body.length ?? 0;
  }

  /** A part that is there already leaves with the head in one write. */
  start(): void {
    this.#pull();
    queueMicrotask(() => this.#flushHead());
  }

  /** The socket has drained. */
  resume(): void {
    if (!this.isBlocked) return;
    this.isBlocked = false;
    this.#owner.onSent();
    this.#pull();
  }

  /** Nothing more is sent; the visitor's part is dropped. */
  stop(): void {
    if (this.#isStopped || this.isDone) return;
    this.#isStopped = true;
    this.isBlocked = false;
    this.#body.discard();
  }

  #pull(): void {
    this.isBegun = true;
    this.#body.read().then(this.#onPart, this.#onFailure);
  }

  #flushHead(): void {
    if (this.#head !== '' && !this.#isStopped) this.#socket.writeText(this.#takeHead());
  }

  /** Empty when it has left. */
  #takeHead(): string {
    const head = this.#head;
    this.#head = '';
    return head;
  }

  #take(part: Uint8Array | null): void {
    if (this.#isStopped) return;
    if (part === null) this.#end();
    else if (this.#isChunked || part.length <= this.#left) this.#write(part);
    else this.#lose('the body is longer than its content-length');
  }

  #write(part: Uint8Array): void {
    // An empty chunk would be the last one.
    let goesOn = !this.#socket.isFull;
    if (part.length > 0) {
      const head = this.#takeHead();
      goesOn = this.#isChunked
        ? this.#socket.write(part, `${head}${part.length.toString(16)}\r\n`, '\r\n')
        : this.#socket.write(part, head);
      this.#left -= part.length;
    }
    if (!this.#isChunked && this.#left === 0) {
      this.#finish();
      return;
    }
    this.isBlocked = !goesOn;
    this.#owner.onSent();
    if (goesOn) this.#pull();
  }

  #end(): void {
    if (!this.#isChunked) {
      if (this.#left > 0) this.#lose('the body is shorter than its content-length');
      else this.#finish();
      return;
    }
    let trailers: string;
    try {
      trailers = fieldLines(this.#body.trailers);
    } catch {
      this.#lose('trailers that can be none');
      return;
    }
    this.#socket.writeText(`${this.#takeHead()}0\r\n${trailers}\r\n`);
    this.#finish();
  }

  #finish(): void {
    this.isDone = true;
    this.#owner.onBodyEnd();
  }

  #lose(why: string): void {
    if (this.#isStopped || this.isDone) return;
    this.#isStopped = true;
    this.#owner.onBodyLost(why);
  }
}
