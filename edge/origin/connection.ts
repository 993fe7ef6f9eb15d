/**
 * One HTTP/1.1 connection to an origin, for one request at a time. All connections of the thread
 * read into shared memory (`sockets.ts`). Body parts are copied from it at most once. A request
 * costs one write, one read, and the caller's promise.
 */
import { BodyPace, paceInterval } from '../http/exchange/body-pace.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { BodySender, type SenderOwner, SocketTunnel } from './body-sender.ts';
import { aborted, type Call, type CallHolder } from './call.ts';
import type { Carrier, CarrierOwner } from './carrier.ts';
import type { OriginClock } from './clock.ts';
import type { OriginLimits } from './limits.ts';
import { isEventStream, OriginError, type OriginFault, type OriginResponse } from './origin.ts';
import { ReceivedBody, type ReceivedBodySource } from './received-body.ts';
import { headText, isLastOnConnection } from './request-head.ts';
import type { ResponseHead } from './response-head.ts';
import { type ReaderOwner, ResponseReader } from './response-reader.ts';
import { IDLE_MARGIN_MS, mayRetry, type SafeIdle } from './retry.ts';
import type { OriginSocket, SocketOwner } from './sockets.ts';

/**
 * Milliseconds to wait for the response after a write error. Usually the response has already
 * arrived.
 */
const FINAL_RESPONSE_MS = 1000;

export class OriginConnection
  implements Carrier, SocketOwner, ReaderOwner, ReceivedBodySource, SenderOwner, CallHolder
{
  /** Time of the clock at which the idle timeout or a timeout of the origin expires. */
  deadline = Number.POSITIVE_INFINITY;
  idleSince = 0;
  readonly #socket: OriginSocket;
  readonly #owner: CarrierOwner;
  readonly #limits: OriginLimits;
  readonly #clock: OriginClock;
  readonly #safeIdle: SafeIdle;
  readonly #reader: ResponseReader;
  #call: Call | null = null;
  /** For the owner: the call whose share this connection uses. It outlives `#call`. */
  carried: Call | null = null;
  #sender: BodySender | null = null;
  /**
   * A response whose head has arrived in the current read. It is delivered at the end of the read.
   */
  #unanswered: OriginResponse | null = null;
  /** Null before the head of a response. */
  #body: ReceivedBody | null = null;
  /** The response is a stream of events. */
  #isStream = false;
  #tunnel: SocketTunnel | null = null;
  /** It has been idle, so the origin may have closed it meanwhile. */
  #hasRested = false;
  /** Milliseconds for which it had been idle before the request, rounded down. */
  #idleFor = 0;
  /** Bytes that the socket had accepted before the request. */
  #acceptedBefore = 0;
  #hasReceived = false;
  #isLast = false;
  #isClosed = false;
  /** Writing has failed. Bytes that the origin has sent are still read. */
  #isWriteBroken = false;
  /** Idle timeout in milliseconds. */
  #keepAlive: number;
  #requestTime = 0;
  /** Of the request body, while `#isPaced`: the edge waits for the visitor. */
  readonly #pace = new BodyPace(0, 0);
  #isPaced = false;
  /** Message of the socket's error. */
  #error = 'the origin closed the connection';

  constructor(socket: OriginSocket, owner: CarrierOwner, limits: OriginLimits, clock: OriginClock, safeIdle: SafeIdle) {
    this.#socket = socket;
    this.#owner = owner;
    this.#limits = limits;
    this.#clock = clock;
    this.#safeIdle = safeIdle;
    this.#keepAlive = limits.keepAlive;
    this.#reader = new ResponseReader(this, limits.maxHeaderBytes);
  }

  /** Whether it can carry a request, as far as is known. */
  get isOpen(): boolean {
    return !this.#isClosed && this.#socket.isOpen;
  }

  get isIdle(): boolean {
    return this.#call === null;
  }

  send(call: Call): void {
    const { request, head } = call;
    this.#call = call;
    call.holder = this;
    this.#hasReceived = false;
    this.#isLast = false;
    this.#isPaced = false;
    this.#requestTime = Date.now();
    this.#acceptedBefore = this.#socket.accepted;
    // The clock is late, so the origin has kept the connection for at least this time.
    if (this.#hasRested) this.#idleFor = Math.max(0, this.#clock.now - this.idleSince) | 0;
    this.#reader.begin(request.method, request.protocol, request.isLenient);
    if (call.image !== null) this.#socket.write(call.image);
    else if (request.body.length === 0) {
      const { before, lines, after } = head;
      if (lines !== null && this.#socket.joinsParts) this.#socket.write(lines.bytes, before, after);
      else this.#socket.writeText(headText(head));
    } else {
      this.#sender = new BodySender(this.#socket, headText(head), request.body, this, this.#hasRested);
      this.#sender.start();
    }
    this.#watch();
  }

  // From the socket.

  take(buffer: Buffer, length: number): boolean {
    if (this.#call === null) {
      // Unrequested bytes would be read as the response to the next request (RFC 9112 section 9.2).
      this.#error = 'the origin sent bytes outside a response';
      this.destroy();
      return true;
    }
    if (!this.#hasReceived) {
      this.#hasReceived = true;
      this.#safeIdle.learnKept(this.#idleFor);
    }
    let end: number;
    try {
      end = this.#reader.take(buffer, length);
    } catch (error) {
      this.#fail(error as OriginError);
      return true;
    }
    this.#answer();
    if (this.#reader.isDone) this.#complete(end < length);
    return this.#body === null || !this.#body.isFull;
  }

  onDrain(): void {
    this.#sender?.resume();
    this.#tunnel?.drained();
  }

  /** The origin may have sent a response before it closed (RFC 9112 section 9.6). */
  onWriteError(error: Error): void {
    this.#error = error.message;
    if (this.#sender === null) {
      this.#connectionLost();
      return;
    }
    this.#sender.stop();
    this.#isWriteBroken = true;
    this.#watch();
  }

  onSocketEnd(): void {
    if (this.#call === null) {
      this.#connectionLost();
      return;
    }
    try {
      if (!this.#reader.finish()) return;
    } catch (error) {
      this.#fail(error as OriginError);
      return;
    }
    if (this.#tunnel !== null) {
      this.#endTunnel();
      return;
    }
    this.#isLast = true;
    this.#complete(false);
  }

  onSocketClosed(error: Error | null): void {
    if (error !== null) this.#error = error.message;
    this.#connectionLost();
  }

  // From the reader of responses.

  onInform({ status, headers }: ResponseHead): void {
    this.#call?.request.informs?.onInform(status, headers, this.#owner.identity);
    this.#watch();
  }

  onHead(head: ResponseHead, length: number | undefined): void {
    const call = this.#call;
    if (call === null) return;
    this.#decidePersistence(head, length);
    // With an error or a redirect, the origin needs no more of the request. With a success it may
    // still be reading.
    if (this.#sender?.isDone === false && head.status >= 300) this.#sender.stop();
    this.#body = new ReceivedBody(this, length);
    this.#isStream = isEventStream(head.headers, length);
    if (head.status === 101 && this.#sender?.isDone === false) {
      this.#fail(new OriginError('malformed', 'a 101 response before the end of the request'));
      return;
    }
    if (head.status === 101) this.#tunnel = new SocketTunnel(this.#socket, () => this.#fail(aborted()));
    this.#unanswered = {
      status: head.status,
      headers: head.headers,
      body: this.#body,
      tunnel: this.#tunnel,
      requestTime: this.#requestTime,
      responseTime: Date.now(),
      identity: this.#owner.identity,
    };
    this.#watch();
  }

  /**
   * Delivers the response after the whole read was parsed. If the body is malformed in the same
   * read, the call fails, and the visitor receives a 502 instead of a truncated response.
   */
  #answer(): void {
    const response = this.#unanswered;
    if (response === null) return;
    const body = this.#body;
    this.#unanswered = null;
    this.#call?.answer(response);
    body?.own();
  }

  onPart(buffer: Buffer, from: number, to: number): void {
    if (this.#body === null) return;
    this.#body.push(buffer.subarray(from, to), this.#unanswered !== null);
    // The reader of the part may have cancelled.
    if (this.#body !== null) this.#watch();
  }

  onEnd(trailers: FieldList): void {
    this.#body?.finish(trailers);
  }

  onRoom(): void {
    this.#watch();
    this.#socket.resume();
  }

  onCancelled(): void {
    this.#fail(aborted());
  }

  onCallCancelled(): void {
    this.#fail(aborted());
  }

  onSent(): void {
    this.#watch();
  }

  onBodyEnd(): void {
    this.#watch();
  }

  onBodyLost(why: string): void {
    this.#fail(new OriginError('aborted', why));
  }

  /** The deadline has passed. */
  expire(): void {
    if (this.#call === null) {
      this.#safeIdle.learnKept(this.#clock.now - this.idleSince - IDLE_MARGIN_MS);
      this.destroy();
    } else if (!this.#mayGoOn()) this.#fail(this.#timeoutError());
  }

  destroy(): void {
    this.#close(null);
  }

  /** Also closes the socket while the response body is being read. */
  abort(error: OriginError): void {
    this.#fail(error);
  }

  /** Decides from the head whether the connection persists (RFC 9112 section 9.3). */
  #decidePersistence(
    { status, isLast, isChunked, length: announced, keepAlive }: ResponseHead,
    length: number | undefined,
  ): void {
    const isClosing = length === undefined && !isChunked;
    const isOver = this.#call !== null && isLastOnConnection(this.#call.request);
    this.#isLast = isLast || isClosing || isOver || this.#mayHaveStrayBody(status, isChunked || announced > 0);
    if (keepAlive >= 0) {
      this.#keepAlive = Math.min(this.#limits.keepAlive, keepAlive * 1000 - IDLE_MARGIN_MS);
      if (this.#keepAlive <= 0) this.#isLast = true;
    }
  }

  /**
   * Whether a body may follow although the response must not have one. Some servers send it,
   * perhaps later, and the next visitor would receive it as a response. Applications that handle
   * only GET do this for HEAD. A 304 with the length of the omitted body is allowed (RFC 9110
   * section 8.6), but rare.
   */
  #mayHaveStrayBody(status: number, saysBody: boolean): boolean {
    return this.#call?.request.method === 'HEAD' || ((status === 204 || status === 304) && saysBody);
  }

  /** The response is complete. `hasExtra`: more bytes follow it. */
  #complete(hasExtra: boolean): void {
    const call = this.#call;
    if (call === null) return;
    const isSending = this.#sender?.isDone === false;
    this.#sender?.stop();
    this.#forget();
    call.end();
    if (hasExtra || isSending || this.#isLast || this.#isWriteBroken || !this.isOpen) {
      this.destroy();
      return;
    }
    this.rest();
  }

  /** Becomes idle. */
  rest(): void {
    this.#hasRested = true;
    this.idleSince = performance.now();
    this.deadline = this.#clock.after(this.#keepAlive);
    this.#owner.onIdle(this);
  }

  #fail(error: OriginError): void {
    const call = this.#call;
    const body = this.#body;
    const isAnswered = body !== null && this.#unanswered === null;
    const isLost = call !== null && body === null && error.fault === 'reset';
    if (isLost) {
      call.image = this.#sender?.image ?? null;
      if (this.#hasRested && !this.#hasReceived) this.#safeIdle.learnClosed(this.#idleFor);
    }
    const isRetried = isLost && this.#mayRetry(call);
    this.#sender?.stop();
    this.#forget();
    this.#close(isRetried ? call : null);
    if (isRetried || call === null) return;
    if (!isAnswered) {
      call.fail(error);
      return;
    }
    call.end();
    body.fail(error);
  }

  #mayRetry({ request, retries, image }: Call): boolean {
    return mayRetry({
      retries,
      method: request.method,
      isReused: this.#hasRested,
      hasReceived: this.#hasReceived,
      canRepeat: this.#sender === null || image !== null,
      // The origin's end acknowledges what had arrived before it.
      isUnseen: this.#socket.unacknowledged >= this.#socket.accepted - this.#acceptedBefore,
      isUpgrade: request.protocol !== '',
    });
  }

  #forget(): void {
    this.#call = null;
    this.#unanswered = null;
    this.#body = null;
    this.#sender = null;
    this.#tunnel = null;
  }

  #close(retried: Call | null): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket.destroy();
    this.#owner.onClosed(this, retried);
  }

  /** Sets the deadline according to the side that the edge waits for. */
  #watch(): void {
    const fault = this.#awaitedFault();
    if (fault !== 'slow-body') this.#isPaced = false;
    if (this.#isWriteBroken && this.#body?.isFull !== true) this.deadline = this.#clock.after(FINAL_RESPONSE_MS);
    else if (fault === null) this.deadline = Number.POSITIVE_INFINITY;
    else if (fault === 'slow-body') this.#watchBody();
    else this.deadline = this.#clock.after(this.#timeoutOf(fault));
  }

  #timeoutOf(fault: OriginFault): number {
    const { headerTimeout, idleTimeout, streamIdleTimeout } = this.#limits;
    if (fault === 'header-timeout') return headerTimeout;
    return this.#body !== null && this.#isStream ? streamIdleTimeout : idleTimeout;
  }

  /** The pace restarts after the edge has waited for the origin. */
  #watchBody(): void {
    if (this.#isPaced) return;
    this.#isPaced = true;
    this.#pace.restart(this.#clock.now, this.#sender?.received ?? 0);
    this.deadline = this.#clock.after(paceInterval(this.#limits));
  }

  /** The visitor may go on sending its body until the next deadline. */
  #mayGoOn(): boolean {
    if (this.#isWriteBroken || this.#awaitedFault() !== 'slow-body') return false;
    if (this.#pace.isTooSlow(this.#clock.now, this.#sender?.received ?? 0, this.#limits, this.#owner)) return false;
    this.deadline = this.#clock.after(paceInterval(this.#limits));
    return true;
  }

  /**
   * The fault if the deadline passes now. Null: the edge waits for the visitor to read the
   * response, or it is a tunnel.
   */
  #awaitedFault(): OriginFault | null {
    if (this.#tunnel !== null) return null;
    if (this.#body !== null) return this.#body.isFull ? null : 'idle-timeout';
    if (this.#sender === null || this.#sender.isDone) return 'header-timeout';
    return this.#sender.isBlocked ? 'idle-timeout' : 'slow-body';
  }

  #timeoutError(): OriginError {
    if (this.#isWriteBroken) return new OriginError('reset', this.#error);
    if (this.#body !== null) return new OriginError('idle-timeout', 'the origin stopped sending the response body');
    if (this.#awaitedFault() === 'slow-body')
      return new OriginError('slow-body', 'the request body arrived too slowly');
    return this.#sender?.isBlocked === true
      ? new OriginError('idle-timeout', 'the origin stopped reading the request body')
      : new OriginError('header-timeout', 'the origin sent no response head in time');
  }

  /**
   * The origin has ended the tunnel. Bytes that are queued for it are still sent, until a timeout.
   */
  #endTunnel(): void {
    const tunnel = this.#tunnel;
    this.#call?.end();
    this.#forget();
    this.deadline = this.#clock.after(this.#limits.idleTimeout);
    this.#socket.destroySoon();
    // Wakes a writer that waits for `onDrain`. Its further bytes are dropped.
    tunnel?.drained();
  }

  #connectionLost(): void {
    if (this.#call === null) {
      this.#safeIdle.learnClosed(performance.now() - this.idleSince);
      this.destroy();
    } else this.#fail(new OriginError('reset', this.#error));
  }
}
