/**
 * The exchange that a handler receives over HTTP/1.1: a request and its response. The connection
 * decides when it starts and which exchange follows.
 */
import { BodyQueue, type BodySource, NO_BODY } from '../exchange/body-queue.ts';
import type { ClientMemory } from '../exchange/client-memory.ts';
import type { AbortCause, Client, Exchange, RequestBody, VisitedSite } from '../exchange/exchange.ts';
import type { FieldList } from '../exchange/field-list.ts';
import { trailerFields } from '../exchange/fields.ts';
import type { ReadyAnswer } from '../exchange/ready-answer.ts';
import type { Outgoing } from './outgoing.ts';
import type { RequestHead } from './request-head.ts';
import {
  encodedAnswer,
  fieldLines,
  type HeadContext,
  plainAnswer,
  readyHasBody,
  responseHead,
  statusLine,
  uncommonReadyHead,
} from './response-head.ts';

/** The connection, as seen by an exchange. */
export interface Carrier {
  readonly client: Client;
  readonly memory: ClientMemory;
  readonly outgoing: Outgoing;
  /** Whether the connection ends after the response that begins now. */
  isLastResponse(exchange: Http1Exchange): boolean;
  /** Exchange.reserve. */
  reserve(bytes: number): number;
  /** The body has room again. */
  onBodyTaken(exchange: Http1Exchange): void;
  /** All of the response has been given to `outgoing`. */
  onResponseEnd(exchange: Http1Exchange): void;
  /** The tunnel was accepted. From now on received bytes go into `queue`. */
  onTunnel(exchange: Http1Exchange): void;
  /**
   * The handler or one of its listeners threw or rejected. The client gets 500, or the connection
   * is closed.
   */
  onHandlerError(exchange: Http1Exchange, error: unknown): void;
  /** Closes the connection at once. */
  destroy(): void;
}

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

export class Http1Exchange implements Exchange, BodySource, HeadContext {
  readonly version: '1.0' | '1.1';
  readonly client: Client;
  readonly method: string;
  readonly scheme: 'http' | 'https';
  readonly targetScheme: 'http' | 'https';
  readonly authority: string;
  readonly path: string;
  readonly headers: FieldList;
  readonly protocol: string;
  readonly body: RequestBody;
  readonly memory: ClientMemory;
  isEnded = false;
  inFlightAt = -1;
  visited: VisitedSite | null = null;
  readonly isHead: boolean;
  /** Body parts from the connection; null for a request without a body. */
  readonly queue: BodyQueue | null;
  /** Set with the response head: the connection ends after this response. */
  isLast = false;
  isTunnel = false;
  /** Long silence of both sides is normal, as in a tunnel. */
  isConversation = false;
  /** The client waits for 100 (Continue), which has not been sent. */
  awaitsContinue: boolean;
  readonly #carrier: Carrier;
  readonly #takesTrailers: boolean;
  #hasHead = false;
  #framing: 'none' | 'length' | 'chunked' | 'close' = 'none';
  /** Remaining bytes of the response body; -1: not limited. */
  #remaining = -1;
  #drain: (() => void) | undefined;
  #abort: ((cause: AbortCause) => void) | undefined;
  /** Why the exchange was aborted before `onAbort` set a listener. */
  #cause: AbortCause | undefined;

  constructor(head: RequestHead, carrier: Carrier) {
    this.#carrier = carrier;
    this.version = head.version;
    this.client = carrier.client;
    this.memory = carrier.memory;
    this.method = head.method;
    this.isHead = head.method === 'HEAD';
    this.scheme = carrier.client.isEncrypted ? 'https' : 'http';
    this.targetScheme = head.targetScheme;
    this.authority = head.authority;
    this.path = head.path;
    this.headers = head.headers;
    this.protocol = head.protocol;
    this.#takesTrailers = head.takesTrailers && head.version === '1.1';
    const isTunnel = head.protocol !== '';
    const hasBody = head.length !== 0 || isTunnel;
    this.queue = hasBody ? new BodyQueue(this, isTunnel ? undefined : head.length) : null;
    this.body = this.queue ?? NO_BODY;
    this.awaitsContinue = head.expectsContinue;
  }

  get hasHead(): boolean {
    return this.#hasHead;
  }

  onFirstRead(): void {
    if (!this.awaitsContinue || this.#hasHead || this.isEnded) return;
    this.awaitsContinue = false;
    this.#carrier.outgoing.write(CONTINUE);
  }

  onTaken(): void {
    this.#carrier.onBodyTaken(this);
  }

  expectSilence(): void {
    this.isConversation = true;
  }

  inform(status: number, headers: FieldList): void {
    if (!Number.isInteger(status) || status < 100 || status > 199 || status === 101)
      throw new RangeError(`No informational status: ${status}`);
    const text = `${statusLine(status)}${fieldLines(headers)}\r\n`;
    if (this.isEnded || this.#hasHead || this.version === '1.0') return;
    this.#carrier.outgoing.write(text);
  }

  answer(ready: ReadyAnswer): void {
    if (this.isEnded) return;
    this.#mustHaveNoHead();
    const { outgoing } = this.#carrier;
    this.isLast = this.#carrier.isLastResponse(this);
    const hasBody = readyHasBody(ready, this.isHead);
    if (!this.isLast && this.version === '1.1') {
      const encoded = encodedAnswer(ready);
      if (encoded.whole !== null && !this.isHead) outgoing.write(encoded.whole);
      else {
        outgoing.write(encoded.head);
        if (hasBody) outgoing.write(ready.body);
      }
    } else {
      outgoing.write(uncommonReadyHead(ready, this));
      if (hasBody) outgoing.write(ready.body);
    }
    this.#hasHead = true;
    this.#finish();
  }

  respond(status: number, headers: FieldList): void {
    if (this.isEnded) return;
    this.#mustHaveNoHead();
    const isLast = this.#carrier.isLastResponse(this);
    this.isLast = isLast;
    const { text, length, framing } = responseHead(status, headers, this);
    this.#hasHead = true;
    this.isLast = isLast || framing === 'close';
    this.#framing = framing;
    this.#remaining = framing === 'length' ? length : -1;
    this.#carrier.outgoing.write(text);
  }

  reserve(bytes: number): number {
    return this.isEnded ? bytes : this.#carrier.reserve(bytes);
  }

  write(chunk: Uint8Array): boolean {
    if (this.isEnded) return true;
    if (!this.#hasHead) throw new Error('A body before its head.');
    if (chunk.length === 0 || this.#framing === 'none') return !this.#carrier.outgoing.isFull;
    return this.#writePart(chunk);
  }

  lend(chunk: Uint8Array): boolean {
    return this.write(Buffer.from(chunk));
  }

  end(chunk?: Uint8Array, trailers?: FieldList, isLent = false): void {
    if (this.isEnded) return;
    if (!this.#hasHead) throw new Error('An end before the head.');
    const lines = trailers === undefined ? '' : fieldLines(trailerFields(trailers));
    if (chunk !== undefined && chunk.length > 0 && this.#framing !== 'none')
      this.#writePart(isLent ? Buffer.from(chunk) : chunk);
    // The exchange was aborted if more was written than announced.
    if (this.isEnded) return;
    if (this.#framing === 'length' && this.#remaining > 0) {
      this.abort();
      return;
    }
    if (this.#framing === 'chunked') {
      this.#carrier.outgoing.write(`0\r\n${this.#takesTrailers ? lines : ''}\r\n`);
    }
    this.#finish();
  }

  onDrain(listener: () => void): void {
    this.#drain = listener;
  }

  onAbort(listener: (cause: AbortCause) => void): void {
    this.#abort = listener;
    const cause = this.#cause;
    this.#cause = undefined;
    if (cause !== undefined) queueMicrotask(() => this.#notifyAbort(listener, cause));
  }

  upgrade(headers: FieldList): void {
    if (this.isEnded) return;
    this.#mustHaveNoHead();
    if (this.protocol === '') throw new Error('No tunnel was asked for.');
    const text = `${statusLine(101)}connection: upgrade\r\nupgrade: ${this.protocol}\r\n${fieldLines(headers)}\r\n`;
    this.#hasHead = true;
    this.isLast = true;
    this.isTunnel = true;
    this.#framing = 'close';
    this.#carrier.outgoing.write(text);
    this.#carrier.onTunnel(this);
  }

  abort(): void {
    if (this.isEnded && !this.isTunnel) return;
    this.isEnded = true;
    this.queue?.fail('client');
    this.#carrier.destroy();
  }

  /** From the connection: there is room for more output. */
  drained(): void {
    if (this.isEnded || this.#drain === undefined) return;
    try {
      this.#drain();
    } catch (error) {
      this.#carrier.onHandlerError(this, error);
    }
  }

  /** From the connection: it was closed, or the request was rejected. */
  endedBy(cause: AbortCause): void {
    this.queue?.fail(cause);
    if (this.isEnded) return;
    this.isEnded = true;
    this.#cause = cause;
    const listener = this.#abort;
    if (listener === undefined) return;
    this.#cause = undefined;
    this.#notifyAbort(listener, cause);
  }

  #notifyAbort(listener: (cause: AbortCause) => void, cause: AbortCause): void {
    try {
      listener(cause);
    } catch (error) {
      this.#carrier.onHandlerError(this, error);
    }
  }

  /**
   * Sends `status` after a failure if there is no response head yet. Else closes the connection.
   */
  refuse(status: number, isLast: boolean): void {
    if (this.isEnded) return;
    if (this.#hasHead) {
      this.abort();
      return;
    }
    this.isLast = this.#carrier.isLastResponse(this) || isLast || this.version === '1.0';
    this.#hasHead = true;
    this.#carrier.outgoing.write(plainAnswer(status, this.isLast, this.isHead));
    this.#finish();
  }

  #mustHaveNoHead(): void {
    if (this.#hasHead) throw new Error('The response has its head already.');
  }

  /** `chunk`: not empty. */
  #writePart(chunk: Uint8Array): boolean {
    const { outgoing } = this.#carrier;
    if (this.#remaining >= 0) {
      this.#remaining -= chunk.length;
      if (this.#remaining < 0) {
        this.abort();
        return true;
      }
    }
    if (this.#framing !== 'chunked') return outgoing.write(chunk);
    outgoing.write(`${chunk.length.toString(16)}\r\n`);
    outgoing.write(chunk);
    return outgoing.write('\r\n');
  }

  #finish(): void {
    this.isEnded = true;
    if (!this.isTunnel) this.queue?.discard();
    this.#carrier.onResponseEnd(this);
  }
}
