/**
 * One connection to an origin, for one request at a time. What is read is in memory that all
 * connections of the thread share (`sockets.ts`) and is copied at most once, as parts of a body; a
 * request costs one write, one read and one promise, the caller's.
 */
import type { FieldList } from '../http/exchange/field-list.ts';
import { BodySender, type SenderOwner } from './body-sender.ts';
import { aborted, type Call, type CallHolder } from './call.ts';
import type { Carrier, CarrierOwner } from './carrier.ts';
import type { OriginClock } from './clock.ts';
import type { OriginLimits } from './limits.ts';
import { OriginError, type OriginFault, type OriginResponse } from './origin.ts';
import { ReceivedBody, type ReceivedBodySource } from './received-body.ts';
import { headText, isLastOnConnection } from './request-head.ts';
import type { ResponseHead } from './response-head.ts';
import { type ReaderOwner, ResponseReader } from './response-reader.ts';
import { mayRetry } from './retry.ts';
import type { OriginSocket, SocketOwner } from './sockets.ts';
import { SocketTunnel } from './tunnel.ts';

/**
 * A connection is left so many milliseconds before the origin would close it, so that a request
 * does not meet the end of it on the way.
 */
const KEEP_ALIVE_MARGIN = 1000;

/**
 * Milliseconds in which the response is to be there of an origin that takes no more of the request:
 * as a rule it has come already.
 */
const LAST_WORDS = 1000;

export class OriginConnection
  implements Carrier, SocketOwner, ReaderOwner, ReceivedBodySource, SenderOwner, CallHolder
{
  /** In the time of the clock: when it has been idle for too long, or the origin silent. */
  deadline = Number.POSITIVE_INFINITY;
  /** In the time of the clock. */
  idleSince = 0;
  readonly #socket: OriginSocket;
  readonly #owner: CarrierOwner;
  readonly #limits: OriginLimits;
  readonly #clock: OriginClock;
  readonly #reader: ResponseReader;
  #call: Call | null = null;
  /** For the owner: the call whose share this connection uses. It outlives `#call`. */
  carried: Call | null = null;
  #sender: BodySender | null = null;
  /** Its head has come, and the rest of the read has not been looked at. */
  #unanswered: OriginResponse | null = null;
  /** Null before the head of a response has come. */
  #body: ReceivedBody | null = null;
  #tunnel: SocketTunnel | null = null;
  /** Been without a request: the origin may have closed it since. */
  #hasRested = false;
  #hasReceived = false;
  #isLast = false;
  #isClosed = false;
  /** Nothing can be written any more; what was said before is still read. */
  #isMute = false;
  /** Milliseconds for which it may be idle. */
  #keepAlive: number;
  #requestTime = 0;
  /**
   * Begin of the window over which the rate of the request's body is measured, in the time of the
   * clock; -1: the visitor is not who is waited for.
   */
  #windowFrom = -1;
  /** What of the body had come by then. */
  #windowBytes = 0;
  /** The socket's, in words. */
  #error = 'the origin closed the connection';

  constructor(socket: OriginSocket, owner: CarrierOwner, limits: OriginLimits, clock: OriginClock) {
    this.#socket = socket;
    this.#owner = owner;
    this.#limits = limits;
    this.#clock = clock;
    this.#keepAlive = limits.keepAlive;
    this.#reader = new ResponseReader(this, limits.maxHeaderBytes);
  }

  /** Nothing is known that would keep it from carrying a request. */
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
    this.#windowFrom = -1;
    this.#requestTime = Date.now();
    this.#reader.begin(request.method, request.protocol);
    if (request.body.length === 0 || request.protocol !== '') {
      const { before, lines, after } = head;
      if (lines !== null && this.#socket.joinsParts) this.#socket.write(lines.bytes, before, after);
      else this.#socket.writeText(headText(head));
    } else {
      this.#sender = new BodySender(this.#socket, headText(head), request.body, this);
      this.#sender.start();
    }
    this.#watch();
  }

  // From the socket.

  take(buffer: Buffer, length: number): boolean {
    if (this.#call === null) {
      // Nobody asked: to be read as the response to the next request (RFC 9112 section 9.2).
      this.#error = 'the origin sent bytes outside a response';
      this.destroy();
      return true;
    }
    this.#hasReceived = true;
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

  /**
   * When no more can be written of a body, the origin may have said why before it closed (RFC 9112
   * section 9.6).
   */
  onWriteError(error: Error): void {
    this.#error = error.message;
    if (this.#sender === null) {
      this.#broken();
      return;
    }
    this.#sender.stop();
    this.#isMute = true;
    this.#watch();
  }

  onSocketEnd(): void {
    if (this.#call === null) {
      this.destroy();
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
    this.#broken();
  }

  // From the reader of responses.

  onInform({ status, headers }: ResponseHead): void {
    this.#call?.request.informs?.onInform(status, headers, this.#owner.identity);
    this.#watch();
  }

  onHead(head: ResponseHead, length: number | undefined): void {
    const call = this.#call;
    if (call === null) return;
    this.#keep(head, length);
    // It has seen enough of the request. With a success it may be reading on while it answers.
    if (this.#sender?.isDone === false && head.status >= 300) this.#sender.stop();
    this.#body = new ReceivedBody(this, length);
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
   * A body that turns out malformed in the read that brought its head fails the call, so that the
   * visitor gets 502 in place of a response that breaks off.
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
    // Who took it may have cancelled.
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
    if (this.#call === null) this.destroy();
    else this.#fail(this.#late());
  }

  destroy(): void {
    this.#close(null);
  }

  /** Frees the socket, too, while a reader still reads. */
  abort(): void {
    this.#fail(aborted());
  }

  /** What the head says of the connection (RFC 9112 section 9.3). */
  #keep({ status, isLast, isChunked, length: announced, keepAlive }: ResponseHead, length: number | undefined): void {
    const isClosing = length === undefined && !isChunked;
    const isOver = this.#call !== null && isLastOnConnection(this.#call.request);
    this.#isLast = isLast || isClosing || isOver || this.#mayGoOn(status, isChunked || announced > 0);
    if (keepAlive >= 0) {
      this.#keepAlive = Math.min(this.#limits.keepAlive, keepAlive * 1000 - KEEP_ALIVE_MARGIN);
      if (this.#keepAlive <= 0) this.#isLast = true;
    }
  }

  /**
   * A response without a body, of which one comes all the same from some servers, perhaps in a
   * while: the next visitor would get it as a response of theirs. HEAD is answered so by
   * applications that know GET only; a 304 that tells the length of what it does not bring is
   * allowed (RFC 9110 section 8.6), and rare.
   */
  #mayGoOn(status: number, saysBody: boolean): boolean {
    return this.#call?.request.method === 'HEAD' || ((status === 204 || status === 304) && saysBody);
  }

  /** The response is whole. `hasExtra`: and more came. */
  #complete(hasExtra: boolean): void {
    const call = this.#call;
    if (call === null) return;
    const isSending = this.#sender?.isDone === false;
    this.#sender?.stop();
    this.#forget();
    call.end();
    if (hasExtra || isSending || this.#isLast || this.#isMute || !this.isOpen) {
      this.destroy();
      return;
    }
    this.rest();
  }

  /** Without a request. */
  rest(): void {
    this.#hasRested = true;
    this.idleSince = this.#clock.now;
    this.deadline = this.#clock.after(this.#keepAlive);
    this.#owner.onIdle(this);
  }

  #fail(error: OriginError): void {
    const call = this.#call;
    const body = this.#body;
    const isAnswered = body !== null && this.#unanswered === null;
    const isBodyBegun = this.#sender?.isBegun === true;
    this.#sender?.stop();
    this.#forget();
    const again = call !== null && body === null && error.fault === 'reset' && this.#mayRetry(call, isBodyBegun);
    this.#close(again ? call : null);
    if (again || call === null) return;
    if (!isAnswered) {
      call.fail(error);
      return;
    }
    call.end();
    body.fail(error);
  }

  #mayRetry({ request: { method, protocol }, retries }: Call, isBodyBegun: boolean): boolean {
    return mayRetry({
      method,
      isBodyBegun,
      retries,
      isReused: this.#hasRested,
      hasReceived: this.#hasReceived,
      isUpgrade: protocol !== '',
    });
  }

  #forget(): void {
    this.#call = null;
    this.#unanswered = null;
    this.#body = null;
    this.#sender = null;
    this.#tunnel = null;
  }

  #close(again: Call | null): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket.destroy();
    this.#owner.onClosed(this, again);
  }

  /** Sets the deadline by whom is waited for. */
  #watch(): void {
    const fault = this.#awaited();
    if (fault !== 'slow-body') this.#windowFrom = -1;
    if (this.#isMute && this.#body?.isFull !== true) this.deadline = this.#clock.after(LAST_WORDS);
    else if (fault === null) this.deadline = Number.POSITIVE_INFINITY;
    else if (fault === 'slow-body') this.#watchBody();
    else
      this.deadline = this.#clock.after(
        fault === 'header-timeout' ? this.#limits.headerTimeout : this.#limits.idleTimeout,
      );
  }

  /**
   * A window is over when enough has come within it, and restarts after the origin was waited
   * for.
   */
  #watchBody(): void {
    const received = this.#sender?.received ?? 0;
    const { bodyRate, bodyWindow } = this.#limits;
    const isEnough = received - this.#windowBytes >= (bodyRate * bodyWindow) / 1000;
    if (this.#windowFrom >= 0 && !isEnough) return;
    this.#windowFrom = this.#clock.now;
    this.#windowBytes = received;
    this.deadline = this.#clock.after(bodyWindow);
  }

  /**
   * Null: not for the origin, but for the visitor who takes the response, or for either end of a
   * tunnel.
   */
  #awaited(): OriginFault | null {
    if (this.#tunnel !== null) return null;
    if (this.#body !== null) return this.#body.isFull ? null : 'idle-timeout';
    if (this.#sender === null || this.#sender.isDone) return 'header-timeout';
    return this.#sender.isBlocked ? 'idle-timeout' : 'slow-body';
  }

  #late(): OriginError {
    if (this.#isMute) return new OriginError('reset', this.#error);
    if (this.#body !== null) return new OriginError('idle-timeout', 'the origin stopped sending the response body');
    if (this.#awaited() === 'slow-body') return new OriginError('slow-body', 'the request body arrived too slowly');
    return this.#sender?.isBlocked === true
      ? new OriginError('idle-timeout', 'the origin stopped reading the request body')
      : new OriginError('header-timeout', 'the origin sent no response head in time');
  }

  /**
   * The way back has ended; what is on its way to the origin still goes out, if it takes it in
   * time.
   */
  #endTunnel(): void {
    const tunnel = this.#tunnel;
    this.#call?.end();
    this.#forget();
    this.deadline = this.#clock.after(this.#limits.idleTimeout);
    this.#socket.destroySoon();
    // Who waits to write would wait for ever: what it writes now is dropped.
    tunnel?.drained();
  }

  #broken(): void {
    if (this.#call === null) this.destroy();
    else this.#fail(new OriginError('reset', this.#error));
  }
}
