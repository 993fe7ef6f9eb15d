/**
 * A stream (RFC 9113 section 5), which implements the Exchange of its handler. It holds the request
 * and the queued part of the response. The session opens and closes it, the sender sends its
 * frames.
 */
import type { BodyPace } from '../exchange/body-pace.ts';
import { BodyQueue, type BodySource, NO_BODY } from '../exchange/body-queue.ts';
import type { ClientMemory } from '../exchange/client-memory.ts';
import type { AbortCause, Client, Exchange, RequestBody, VisitedSite } from '../exchange/exchange.ts';
import type { FieldList } from '../exchange/field-list.ts';
import type { PendingObserver } from '../exchange/pending.ts';
import type { ReadyAnswer } from '../exchange/ready-answer.ts';
import { STREAM_ENDING } from './endings.ts';
import type { ReceiveWindow } from './receive-window.ts';
import type { RequestHead } from './request-head.ts';
import {
  checkFinalStatus,
  completeFields,
  finalFields,
  isBodiless,
  readyHead,
  sendableFields,
  sendableTrailers,
  withoutLength,
} from './response-head.ts';
import { isIncremental, type Schedulable, urgencyOf } from './scheduler.ts';
import { SendQueue } from './send-queue.ts';
import type { StreamHost } from './stream-host.ts';

const NO_FIELDS: FieldList = [];

export class Http2Stream implements Exchange, BodySource, Schedulable, PendingObserver {
  readonly id: number;
  readonly method: string;
  readonly authority: string;
  readonly targetScheme: 'http' | 'https';
  readonly path: string;
  readonly headers: FieldList;
  readonly protocol: string;
  readonly body: RequestBody;
  readonly isHead: boolean;
  /** Queue of the request body's bytes; null without a body. */
  readonly queue: BodyQueue | null;
  /** Value of the request's `content-length`; -1: none, or a CONNECT request. */
  readonly expected: number;

  urgency: number;
  isSequential: boolean;
  isScheduled = false;
  nextScheduled: Http2Stream | null = null;

  /** Send window (section 6.9); may be negative after the client has lowered its initial window. */
  sendWindow: number;
  /** Receive window; null without a body. */
  receiveWindow: ReceiveWindow | null = null;
  /** Queued bytes of the response's body. */
  queued = 0;
  /** Bytes that the handler has reserved and may fetch. They are already charged. */
  reserved = 0;
  /** The handler waits for a reservation. */
  awaitsReservation = false;
  /** Trailers to send after the queued bytes. */
  trailers: FieldList | null = null;
  inFlightAt = -1;
  visited: VisitedSite | null = null;
  /** The response is complete, sent or not. */
  isEnding = false;
  /** END_STREAM has been sent, or received. */
  isLocalEnded = false;
  isRemoteEnded = false;
  /** Second in which the response was complete before the request; -1: it was not. */
  lingersSince = -1;
  /** The session has removed the stream. */
  isClosed = false;
  /** The promise that the handler returned is not settled. */
  isHandlerPending = false;
  /** The stream was reset before its handler finished. It counts as a stream until then. */
  isAbandoned = false;
  isTunnel = false;
  /** Long silence of both sides is normal, as in a tunnel. */
  isConversation = false;
  wantsDrain = false;
  /** Body bytes received and sent. Each response head counts as one byte. */
  progress = 0;
  /**
   * Samples of session-watch.ts: time and `progress` at the start of the current rate check, and at
   * the last change of `progress`.
   */
  markedAt: number;
  /** Of the request body; null until the session-watch sees that it is awaited. */
  pace: BodyPace | null = null;
  marked = 0;
  movedAt: number;
  moved = 0;

  readonly #host: StreamHost<Http2Stream>;
  #hasHead = false;
  #dropsBody = false;
  /** Body bytes still missing by the response's content-length; -1: no content-length. */
  #left = -1;
  #awaitsContinue: boolean;
  /** Null until a part is queued for the first time. */
  #waiting: SendQueue | null = null;
  #onDrain: (() => void) | null = null;
  #onAbort: ((cause: AbortCause) => void) | null = null;
  #cause: AbortCause | null = null;

  /** `hasBody`: HEADERS without END_STREAM. `now`: second of the clock. */
  constructor(
    host: StreamHost<Http2Stream>,
    id: number,
    head: RequestHead,
    hasBody: boolean,
    sendWindow: number,
    now: number,
  ) {
    this.#host = host;
    this.id = id;
    this.method = head.method;
    this.authority = head.authority;
    this.targetScheme = head.targetScheme;
    this.path = head.path;
    this.headers = head.headers;
    this.protocol = head.protocol;
    this.isHead = head.method === 'HEAD';
    const isConnect = head.method === 'CONNECT';
    this.expected = isConnect ? -1 : head.contentLength;
    this.queue = hasBody ? new BodyQueue(this, this.expected < 0 ? undefined : this.expected) : null;
    this.body = this.queue ?? NO_BODY;
    this.#awaitsContinue = head.expectsContinue && hasBody;
    this.urgency = 3;
    this.isSequential = false;
    if (head.priority !== '') this.prioritize(head.priority);
    this.sendWindow = sendWindow;
    this.isRemoteEnded = !hasBody;
    this.markedAt = now;
    this.movedAt = now;
  }

  get version(): '2' {
    return '2';
  }

  get client(): Client {
    return this.#host.client;
  }

  get memory(): ClientMemory {
    return this.#host.memory;
  }

  get scheme(): 'http' | 'https' {
    return this.#host.scheme;
  }

  get isEnded(): boolean {
    return this.isEnding || this.isClosed;
  }

  get hasHead(): boolean {
    return this.#hasHead;
  }

  /** Bytes of the body that were received after the response. */
  get discarded(): number {
    return this.queue === null || this.lingersSince < 0 ? 0 : this.queue.received - this.queue.receivedBefore;
  }

  /**
   * Sets the priority from a `priority` field or a PRIORITY_UPDATE frame (RFC 9218). A stream
   * without a priority shares the connection with others.
   */
  prioritize(value: string): void {
    this.urgency = urgencyOf(value);
    this.isSequential = !isIncremental(value);
  }

  inform(status: number, headers: FieldList): void {
    if (!Number.isInteger(status) || status < 100 || status > 199 || status === 101)
      throw new RangeError(`No informational status: ${status}`);
    const fields = withoutLength(sendableFields(headers));
    if (this.isEnded || this.#hasHead) return;
    this.progress++;
    this.#host.sender.head(this.id, status, fields, false);
    this.#host.flushSoon();
  }

  expectSilence(): void {
    this.isConversation = true;
  }

  answer(ready: ReadyAnswer): void {
    if (this.isEnded) return;
    this.#mustHaveNoHead();
    if (this.#mustReadToSend()) {
      const fields = ready.date === '' ? ready.headers : [...ready.headers, 'date', ready.date];
      this.#respond(ready.status, fields, ready.body.length === 0);
      this.end(ready.body);
      return;
    }
    const head = readyHead(ready);
    if (head.length !== ready.body.length) throw new TypeError('The body of an answer was taken back.');
    this.#hasHead = true;
    this.isEnding = true;
    this.#host.sender.ready(this, head, ready.body);
    this.#host.flushSoon();
  }

  respond(status: number, headers: FieldList): void {
    if (this.isEnded) return;
    this.#mustHaveNoHead();
    this.#respond(status, headers, false);
  }

  #respond(status: number, headers: FieldList, isEmpty: boolean): void {
    checkFinalStatus(status);
    const { fields, length } = finalFields(status, headers);
    this.#hasHead = true;
    this.progress++;
    this.#dropsBody = isEmpty || isBodiless(status, this.isHead);
    this.#left = this.#dropsBody ? -1 : length;
    // The head ends the stream, since no body may follow.
    if (this.#dropsBody) this.isEnding = true;
    const sent = !this.isHead && this.#mustReadToSend() ? withoutLength(fields) : fields;
    this.#host.sender.head(this.id, status, sent, this.#dropsBody);
    if (this.#dropsBody) this.sentEnd();
    this.#host.flushSoon();
  }

  /**
   * The client needs WINDOW_UPDATE frames to send the rest of its body. curl reads none once it has
   * as many bytes as content-length announces, and then waits for ever. So the response has none:
   * END_STREAM ends it (RFC 9113 section 8.1.1).
   */
  #mustReadToSend(): boolean {
    const { queue, receiveWindow } = this;
    if (this.isRemoteEnded || queue === null || receiveWindow === null) return false;
    return this.expected < 0 || this.expected - queue.received > receiveWindow.available;
  }

  reserve(bytes: number): number {
    return this.isEnded ? bytes : this.#host.sender.reserve(this, bytes);
  }

  write(chunk: Uint8Array): boolean {
    return this.#write(chunk, false);
  }

  lend(chunk: Uint8Array): boolean {
    return this.#write(chunk, true);
  }

  #write(chunk: Uint8Array, isLent: boolean): boolean {
    if (this.isEnded) return true;
    if (!this.#hasHead) throw new Error('A body before its head.');
    if (chunk.length > 0 && !this.#push(chunk, isLent)) return true;
    const { limits, sender } = this.#host;
    if (this.queued === 0 || (this.queued < limits.streamBuffer && sender.queued < limits.sessionBuffer)) return true;
    this.wantsDrain = true;
    return false;
  }

  end(chunk?: Uint8Array, trailers?: FieldList, isLent = false): void {
    if (this.isEnded) return;
    if (!this.#hasHead) throw new Error('An end before the head.');
    const fields = trailers === undefined || trailers.length === 0 ? NO_FIELDS : sendableTrailers(trailers);
    if (chunk !== undefined && chunk.length > 0) {
      if (fields.length === 0 && this.#passLast(chunk)) return;
      if (!this.#push(chunk, isLent)) return;
    }
    if (this.#left > 0) {
      this.#host.resetStream(this, STREAM_ENDING.failed);
      return;
    }
    this.trailers = fields.length === 0 ? null : fields;
    this.isEnding = true;
    if (this.queued === 0) this.#host.sender.end(this);
    this.#host.flushSoon();
  }

  /** Writes the last part with END_STREAM in one frame. False: it has to be queued. */
  #passLast(chunk: Uint8Array): boolean {
    if (this.queued > 0 || (this.#left >= 0 && this.#left !== chunk.length)) return false;
    if (!this.#host.sender.mayPass(this, chunk.length)) return false;
    this.#left = 0;
    this.isEnding = true;
    this.#host.sender.passLast(this, chunk);
    this.#host.flushSoon();
    return true;
  }

  /**
   * Sends or queues a part, which must not be empty. False: it exceeds the content-length, and the
   * stream is reset.
   */
  #push(chunk: Uint8Array, isLent: boolean): boolean {
    if (this.#left >= 0) {
      this.#left -= chunk.length;
      if (this.#left < 0) {
        this.#host.resetStream(this, STREAM_ENDING.failed);
        return false;
      }
    }
    const { sender } = this.#host;
    if (isLent) sender.lend(this, chunk);
    else sender.queue(this, chunk);
    this.#host.flushSoon();
    return true;
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  onAbort(listener: (cause: AbortCause) => void): void {
    this.#onAbort = listener;
    const cause = this.#cause;
    this.#cause = null;
    if (cause !== null) queueMicrotask(() => this.#notifyAbort(listener, cause));
  }

  upgrade(headers: FieldList): void {
    if (this.isEnded) return;
    this.#mustHaveNoHead();
    if (this.method !== 'CONNECT') throw new Error('No tunnel was asked for.');
    const fields = completeFields(withoutLength(sendableFields(headers)));
    this.#hasHead = true;
    this.progress++;
    this.isTunnel = true;
    this.#host.sender.head(this.id, 200, fields, false);
    this.#host.flushSoon();
  }

  /**
   * Called by the session: answers an incomplete request without the handler, which is aborted. Not
   * after a head.
   */
  refuse(status: number): void {
    const buffered = this.queue?.buffered ?? 0;
    this.isEnding = true;
    this.endedBy('limit', false);
    this.#hasHead = true;
    this.#host.sender.head(this.id, status, completeFields(NO_FIELDS), true);
    if (buffered > 0) this.#host.bodyConsumed(this, buffered);
    this.sentEnd();
    this.#host.flushSoon();
  }

  abort(): void {
    if (!this.isClosed) this.#host.resetStream(this, STREAM_ENDING.aborted);
  }

  #mustHaveNoHead(): void {
    if (this.#hasHead) throw new Error('The response has its head already.');
  }

  // Called by the body.

  onFirstRead(): void {
    if (!this.#awaitsContinue) return;
    this.#awaitsContinue = false;
    // RFC 9110 section 10.1.1: no 100 if parts of the body have already arrived.
    if (this.queue !== null && this.queue.received === 0 && !this.queue.isComplete) this.inform(100, NO_FIELDS);
  }

  onTaken(data: number): void {
    this.#host.bodyConsumed(this, data);
  }

  // Called when the handler's promise is settled.

  onDone(): void {
    this.isHandlerPending = false;
    this.#host.handlerEnded(this);
  }

  onFailed(error: unknown): void {
    this.onDone();
    this.#host.handlerFailed(this, error);
  }

  // Called by the sender.

  /** `part` must not be empty. `isLent`: the bytes are valid during the call only. */
  enqueue(part: Uint8Array, isLent: boolean): void {
    this.queued += part.length;
    this.#waiting ??= new SendQueue(this.#host.memory);
    if (isLent) this.#waiting.pushCopy(part);
    else this.#waiting.push(part);
  }

  /** Moves the next `length` bytes, at most `queued`, to target[at …]. False as SendQueue.move. */
  dequeue(target: Buffer, at: number, length: number): boolean {
    this.queued -= length;
    return this.#waiting?.move(target, at, length) === true;
  }

  /** The handler has detached the memory of queued bytes. */
  onBytesLost(): void {
    this.#host.handlerFailed(this, new TypeError('A part of a body was taken back before it was sent.'));
  }

  clearQueue(): void {
    this.queued = 0;
    this.#waiting?.clear();
  }

  /** So few bytes are queued that the handler may continue to write. */
  get isLow(): boolean {
    const { limits, sender } = this.#host;
    return sender.queued < limits.sessionBuffer ? this.queued * 2 <= limits.streamBuffer : this.queued === 0;
  }

  drain(): void {
    if (this.isEnded) return;
    try {
      this.#onDrain?.();
    } catch (error) {
      this.#host.handlerFailed(this, error);
    }
  }

  sentEnd(): void {
    this.isLocalEnded = true;
    this.#host.streamSent(this);
  }

  /**
   * Called by the session: the stream ended prematurely. The abort listener is notified unless the
   * handler caused the end (`isOwn`).
   */
  endedBy(cause: AbortCause, isOwn: boolean): void {
    this.queue?.fail(cause);
    if (this.isLocalEnded || isOwn) return;
    if (this.#onAbort === null) this.#cause = cause;
    else this.#notifyAbort(this.#onAbort, cause);
  }

  #notifyAbort(listener: (cause: AbortCause) => void, cause: AbortCause): void {
    try {
      listener(cause);
    } catch (error) {
      this.#host.handlerFailed(this, error);
    }
  }
}
