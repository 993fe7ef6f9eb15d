/**
 * The body of a request on its way to the origin: pulled from the visitor as the origin takes it,
 * in the framing that the head told.
 */
import type { BodyFlow, BodySink, RequestBody } from '../http/exchange/exchange.ts';
import { Gathering } from './gathering.ts';
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

export class BodySender implements BodySink {
  /** A part was asked for, so that the body cannot be sent once more from its begin. */
  isBegun = false;
  isDone = false;
  /** The origin has something to take. */
  isBlocked = false;
  /** Bytes of the body that the visitor has brought. */
  received = 0;
  readonly #socket: OriginSocket;
  readonly #output: Gathering;
  readonly #body: RequestBody;
  readonly #owner: SenderOwner;
  readonly #isChunked: boolean;
  /** Of the announced length. */
  #left: number;
  #isFlushDue = true;
  /** No more is taken until the socket has drained. */
  #isHeld = false;
  #isStopped = false;
  #flow: BodyFlow | undefined;
  readonly #onPart = (part: Uint8Array | null): void => this.#take(part);
  readonly #onFailure = (): void => this.#lose('the visitor disconnected');

  constructor(socket: OriginSocket, head: string, body: RequestBody, owner: SenderOwner) {
    this.#socket = socket;
    this.#output = new Gathering(socket);
    this.#body = body;
    this.#owner = owner;
    this.#isChunked = body.length === undefined;
    this.#left = body.length ?? 0;
    this.#output.addText(head);
  }

  /**
   * A part that is there already, or comes with the same read, leaves with the head in one write.
   */
  start(): void {
    this.isBegun = true;
    queueMicrotask(() => this.#flush());
    if (this.#body.flow === undefined) this.#pull();
    else this.#flow = this.#body.flow(this);
  }

  /** The socket has drained. */
  resume(): void {
    this.#output.left();
    if (!this.isBlocked) return;
    this.isBlocked = false;
    this.#owner.onSent();
    if (!this.#isHeld) return;
    this.#isHeld = false;
    if (this.#body.flow === undefined) this.#pull();
    else this.#flow?.resume();
  }

  /** Nothing more is sent; the visitor's part is dropped. */
  stop(): void {
    if (this.#isStopped || this.isDone) return;
    this.#isStopped = true;
    this.isBlocked = false;
    this.#body.discard();
  }

  #pull(): void {
    this.#body.read().then(this.#onPart, this.#onFailure);
  }

  #take(part: Uint8Array | null): void {
    if (part === null) this.#end();
    else if (this.onPart(part) && !this.#isStopped && !this.isDone) this.#pull();
  }

  onPart(part: Uint8Array): boolean {
    if (this.#isStopped) return true;
    if (!this.#isChunked && part.length > this.#left) {
      this.#lose('the body is longer than its content-length');
      return true;
    }
    this.received += part.length;
    this.#put(part);
    if (!this.#isChunked && this.#left === 0) {
      this.#finish();
      return true;
    }
    this.isBlocked = this.#socket.isFull;
    this.#isHeld = this.isBlocked;
    if (!this.#isFlushDue) {
      this.#isFlushDue = true;
      queueMicrotask(() => this.#flush());
    }
    this.#owner.onSent();
    return !this.#isHeld;
  }

  onOver(error: Error | null): void {
    if (error === null) this.#end();
    else this.#onFailure();
  }

  #put(part: Uint8Array): void {
    // An empty chunk would be the last one.
    if (part.length === 0) return;
    const output = this.#output;
    if (this.#isChunked) output.addText(`${part.length.toString(16)}\r\n`);
    output.addBytes(part);
    if (this.#isChunked) output.addText('\r\n');
    this.#left -= part.length;
  }

  #flush(): void {
    this.#isFlushDue = false;
    if (this.#isStopped || this.isDone) return;
    this.#output.flush();
    if (!this.#socket.isFull || this.isBlocked) return;
    this.isBlocked = true;
    this.#owner.onSent();
  }

  #end(): void {
    if (this.#isStopped || this.isDone) return;
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
    this.#output.addText(`0\r\n${trailers}\r\n`);
    this.#finish();
  }

  #finish(): void {
    this.#output.flush();
    this.isDone = true;
    this.#owner.onBodyEnd();
  }

  #lose(why: string): void {
    if (this.#isStopped || this.isDone) return;
    this.#isStopped = true;
    this.#owner.onBodyLost(why);
  }
}
