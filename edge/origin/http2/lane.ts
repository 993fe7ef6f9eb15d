/**
 * Carries one request at a time over a shared HTTP/2 connection. Each request has its own stream,
 * and the object is reused. To the pool, a lane is what a connection is in HTTP/1.1.
 *
 * A response is delivered after the read that contained its head was parsed, so a fault in that
 * read fails the request. Body parts count against the stream's flow-control window until their
 * reader takes them.
 */
import { BodyPace, paceInterval } from '../../http/exchange/body-pace.ts';
import type { ClientMemory } from '../../http/exchange/client-memory.ts';
import type { FieldList } from '../../http/exchange/field-list.ts';
import { trailerFields } from '../../http/exchange/fields.ts';
import { ERROR_CODE, type ErrorCode, MAX_WINDOW } from '../../http/http2/protocol.ts';
import { aborted, type Call, type CallHolder } from '../call.ts';
import type { Carrier, CarrierOwner } from '../carrier.ts';
import type { OriginClock } from '../clock.ts';
import type { OriginLimits } from '../limits.ts';
import { isEventStream, OriginError, type OriginFault, type OriginRequest, type OriginResponse } from '../origin.ts';
import { ReceivedBody, type ReceivedBodySource } from '../received-body.ts';
import { malformed } from '../response-head.ts';
import { mayRepeatRefused, mayRetry } from '../retry.ts';
import type { ResponseHead } from './response-head.ts';
import { Upload, type UploadTarget } from './upload.ts';

/** Bytes of a stream that may be buffered for its reader: SETTINGS_INITIAL_WINDOW_SIZE. */
export const STREAM_WINDOW = 262_144;
/** Maximum 1xx responses to one request. */
const MAX_INFORMS = 32;

/** The interface of the session for its lanes. */
export interface LaneSession {
  /** The connection is open, and new streams may be opened. */
  readonly isOpen: boolean;
  /** The origin's limit of concurrent streams allows another now. */
  readonly canOpen: boolean;
  /** The socket has unsent bytes; senders must wait. */
  readonly isFull: boolean;
  /** Opens a stream. Throws TypeError for an invalid request, without opening one. */
  open(lane: Lane, request: OriginRequest, isEnd: boolean): void;
  /** Sends DATA, as much of `part` as flow control allows. Returns the number of bytes. */
  data(lane: Lane, part: Uint8Array): number;
  /** Sends END_STREAM. Throws TypeError for invalid trailers. */
  end(lane: Lane, trailers: FieldList): void;
  /** Calls `pump` when the window of the connection and the socket have room. */
  wait(lane: Lane): void;
  updateWindow(streamId: number, increment: number): void;
  /** Calls `answer` after the current read was parsed. */
  answerLater(lane: Lane): void;
  /** Closes the stream of the lane. `code`: of RST_STREAM; null: none is sent. */
  release(lane: Lane, code: ErrorCode | null): void;
  /** Removes the lane from the session. */
  leave(lane: Lane): void;
  closeIfUnused(): void;
}

const NO_FIELDS: FieldList = [];
const NOTHING = new Uint8Array(0);

export class Lane implements Carrier, ReceivedBodySource, CallHolder, UploadTarget {
  deadline = Number.POSITIVE_INFINITY;
  idleSince = 0;
  carried: Call | null = null;
  /** 0: no stream is open. */
  streamId = 0;
  /**
   * Send window of the stream in bytes (RFC 9113 section 6.9). Negative after the origin reduced
   * it.
   */
  sendWindow = 0;
  /** Set by the session: the lane waits for the window of the connection or for the socket. */
  isWaiting = false;
  readonly #session: LaneSession;
  readonly #owner: CarrierOwner;
  readonly #limits: OriginLimits;
  readonly #clock: OriginClock;
  #call: Call | null = null;
  #body: ReceivedBody | null = null;
  #unanswered: OriginResponse | null = null;
  #upload: Upload | null = null;
  /** The unsent rest of the last part, as a copy. */
  #pending: Uint8Array = NOTHING;
  /** END_STREAM follows the pending bytes. */
  #isEndDue = false;
  #isLocalEnded = false;
  #isClosed = false;
  /** It has been idle, so the connection may have broken meanwhile. */
  #hasRested = false;
  #hasReceived = false;
  #informs = 0;
  /** Receive window of the stream, and received bytes that no WINDOW_UPDATE has returned yet. */
  #receiveWindow = 0;
  #unannounced = 0;
  /** Received bytes of the body, and the announced `content-length`; -1: not announced. */
  #received = 0;
  #expected = -1;
  /** Buffered bytes that are charged to the visitor's network. */
  #charged = 0;
  #requestTime = 0;
  /** Deadline of the whole exchange, in the time of the clock. */
  #exchangeDeadline = Number.POSITIVE_INFINITY;
  /** Position and serial of the last DATA frame. Its flags can be changed until it is sent. */
  lastDataAt = -1;
  lastDataSerial = -1;
  #isStream = false;
  /** As in `connection.ts`. */
  readonly #pace = new BodyPace(0, 0);
  #isPaced = false;

  constructor(session: LaneSession, owner: CarrierOwner, limits: OriginLimits, clock: OriginClock) {
    this.#session = session;
    this.#owner = owner;
    this.#limits = limits;
    this.#clock = clock;
  }

  get isOpen(): boolean {
    return !this.#isClosed && this.#session.canOpen;
  }

  get isIdle(): boolean {
    return this.#call === null && this.#completedCall === null;
  }

  /** The final head has arrived. The next block is trailers. */
  get hasHead(): boolean {
    return this.#body !== null;
  }

  send(call: Call): void {
    const { request } = call;
    this.#call = call;
    call.holder = this;
    const hasBody = request.body.length !== 0;
    this.#hasReceived = false;
    this.#informs = 0;
    this.#receiveWindow = STREAM_WINDOW;
    this.#unannounced = 0;
    this.#received = 0;
    this.#expected = -1;
    this.#isEndDue = false;
    this.#isLocalEnded = !hasBody;
    this.#isPaced = false;
    this.lastDataSerial = -1;
    this.#requestTime = Date.now();
    this.#exchangeDeadline =
      request.deadlineMs === undefined ? Number.POSITIVE_INFINITY : this.#clock.after(request.deadlineMs);
    try {
      this.#session.open(this, request, !hasBody);
    } catch (error) {
      // TypeError: the request is invalid.
      this.#forget();
      call.fail(error as Error);
      this.#next();
      return;
    }
    if (hasBody) {
      this.#upload = call.upload as Upload | null;
      this.#upload ??= new Upload(request.body);
      call.upload = this.#upload;
      this.#upload.attach(this);
    }
    this.#watch();
  }

  // From the session.

  onBlock(head: ResponseHead, isEnd: boolean): void {
    const call = this.#call;
    if (call === null) return;
    this.#hasReceived = true;
    if (this.#body !== null) this.#trailers(head, isEnd);
    else if (head.fault !== '') this.reset(malformed(head.fault), ERROR_CODE.PROTOCOL_ERROR);
    else if (head.status < 200) this.#inform(call, head, isEnd);
    else this.#head(call, head, isEnd);
  }

  #inform(call: Call, { status, headers, length }: ResponseHead, isEnd: boolean): void {
    // RFC 9113 sections 8.1 and 8.6.
    if (isEnd || status === 101 || length > 0) {
      this.reset(malformed(`a ${status} response that ends or switches`), ERROR_CODE.PROTOCOL_ERROR);
    } else if (++this.#informs > MAX_INFORMS) {
      const fault = malformed(`more than ${MAX_INFORMS} informational responses`);
      this.reset(fault, ERROR_CODE.ENHANCE_YOUR_CALM);
    } else {
      call.request.informs?.onInform(status, headers, this.#owner.identity);
      this.#watch();
    }
  }

  #head(call: Call, { status, headers, length }: ResponseHead, isEnd: boolean): void {
    // RFC 9110 sections 6.4.1 and 8.6: here content-length is the length of a response to GET.
    const isBodiless = call.request.method === 'HEAD' || status === 204 || status === 304;
    this.#expected = isBodiless ? 0 : length;
    if (isEnd && this.#expected > 0) {
      this.reset(malformed('a body shorter than its content-length'), ERROR_CODE.PROTOCOL_ERROR);
      return;
    }
    this.#upload?.forget();
    const isEmpty = isBodiless || (isEnd && length < 0);
    this.#body = new ReceivedBody(this, isEmpty ? 0 : length < 0 ? undefined : length);
    this.#isStream = isEventStream(headers, this.#body.length);
    this.#unanswered = {
      status,
      headers,
      body: this.#body,
      tunnel: null,
      requestTime: this.#requestTime,
      responseTime: Date.now(),
      identity: this.#owner.identity,
    };
    this.#session.answerLater(this);
    if (isEnd) this.#complete(NO_FIELDS);
    else this.#watch();
  }

  #trailers(head: ResponseHead, isEnd: boolean): void {
    if (head.fault !== '' || !isEnd)
      this.reset(malformed(head.fault || 'trailers that do not end the response'), ERROR_CODE.PROTOCOL_ERROR);
    else if (this.#expected > this.#received)
      this.reset(malformed('a body shorter than its content-length'), ERROR_CODE.PROTOCOL_ERROR);
    else this.#complete(trailerFields(head.headers));
  }

  /** DATA with the content bytes[start, end). `weight`: its length with padding. */
  onData(bytes: Buffer, start: number, end: number, weight: number, isEnd: boolean): void {
    const body = this.#body;
    if (body === null) {
      this.reset(malformed('a body before its head'), ERROR_CODE.PROTOCOL_ERROR);
      return;
    }
    this.#receiveWindow -= weight;
    this.#received += end - start;
    if (this.#receiveWindow < 0) {
      this.reset(malformed('more than the window of the stream'), ERROR_CODE.FLOW_CONTROL_ERROR);
      return;
    }
    if (this.#hasWrongLength(isEnd)) {
      this.reset(malformed('a body of another length than its content-length'), ERROR_CODE.PROTOCOL_ERROR);
      return;
    }
    this.#unannounced += weight;
    if (end > start) body.push(bytes.subarray(start, end), this.#unanswered !== null);
    // The reader of the part may have cancelled.
    if (this.#body !== body) return;
    if (isEnd) this.#complete(NO_FIELDS);
    else {
      if (body.isFull) this.#charge(end - start);
      else this.#updateWindow();
      this.#watch();
    }
  }

  #hasWrongLength(isEnd: boolean): boolean {
    const expected = this.#expected;
    return expected >= 0 && (this.#received > expected || (isEnd && this.#received < expected));
  }

  /** Delivers the response: the read that contained its head was parsed. */
  answer(): void {
    const response = this.#unanswered;
    if (response === null) return;
    this.#unanswered = null;
    const body = response.body as ReceivedBody;
    const call = this.#call;
    if (call !== null) call.answer(response);
    else {
      const answered = this.#completedCall;
      this.#completedCall = null;
      answered?.answer(response);
      this.#next();
    }
    body.own();
  }

  /** The call of a response that was complete in the read of its head. */
  #completedCall: Call | null = null;

  /** The origin sent RST_STREAM. */
  onReset(code: number): void {
    if (code === ERROR_CODE.REFUSED_STREAM) this.refuse();
    else this.reset(resetBy(code), null);
  }

  /** The origin has not processed the request (RFC 9113 section 8.7). */
  refuse(): void {
    this.#fail(new OriginError('reset', 'the origin refused the stream', ERROR_CODE.REFUSED_STREAM), null, true);
  }

  /** Fails the request. `code`: of RST_STREAM; null: none is sent. */
  reset(error: OriginError, code: ErrorCode | null): void {
    this.#fail(error, code, false);
  }

  /** Continues sending: a window or the socket has room again. */
  pump(): void {
    this.isWaiting = false;
    const upload = this.#upload;
    if (upload === null || this.#isLocalEnded) return;
    if (this.#pending.length > 0) {
      const part = this.#pending;
      this.#pending = NOTHING;
      this.#transmit(part, false);
      if (this.#pending.length > 0) return;
      this.#watch();
    }
    if (this.#isEndDue) this.#finish();
    else if (this.#session.isFull) this.#session.wait(this);
    else upload.resume();
  }

  /** WINDOW_UPDATE. False: the window exceeds its maximum (section 6.9.1). */
  raise(increment: number): boolean {
    this.sendWindow += increment;
    if (this.sendWindow > MAX_WINDOW) return false;
    if (this.sendWindow > 0 && this.#pending.length > 0) this.pump();
    return true;
  }

  // From the upload.

  sendPart(part: Uint8Array): boolean {
    // A repeated part can exceed the window, so bytes may be pending already.
    if (this.#pending.length > 0) this.#pending = Buffer.concat([this.#pending, part]);
    else this.#transmit(part, true);
    this.#watch();
    if (this.#pending.length > 0) return false;
    if (!this.#session.isFull) return true;
    this.#session.wait(this);
    return false;
  }

  sendEnd(): void {
    if (this.#pending.length > 0) this.#isEndDue = true;
    else this.#finish();
    this.#watch();
  }

  onBodyLost(why: string): void {
    this.reset(new OriginError('aborted', why), ERROR_CODE.CANCEL);
  }

  /** `isBorrowed`: the bytes are valid during the call only, so the rest is copied. */
  #transmit(part: Uint8Array, isBorrowed: boolean): void {
    const sent = this.#session.data(this, part);
    if (sent === part.length) return;
    const rest = part.subarray(sent);
    this.#pending = isBorrowed ? Buffer.from(rest) : rest;
    if (this.sendWindow > 0) this.#session.wait(this);
  }

  #finish(): void {
    this.#isEndDue = false;
    this.#isLocalEnded = true;
    try {
      this.#session.end(this, this.#call?.request.body.trailers ?? NO_FIELDS);
    } catch {
      this.#isLocalEnded = false;
      this.onBodyLost('trailers that can be none');
    }
  }

  // From the body and the call.

  onRoom(): void {
    this.#release();
    this.#updateWindow();
    this.#watch();
  }

  onCancelled(): void {
    this.reset(aborted(), ERROR_CODE.CANCEL);
  }

  onCallCancelled(): void {
    this.reset(aborted(), ERROR_CODE.CANCEL);
  }

  // From the pool.

  rest(): void {
    this.#hasRested = true;
    this.idleSince = this.#clock.now;
    this.deadline = this.#clock.after(this.#limits.keepAlive);
    this.#owner.onIdle(this);
  }

  expire(): void {
    if (this.#call === null) this.destroy();
    else if (!this.#mayGoOn()) this.reset(this.#timeoutError(), ERROR_CODE.CANCEL);
  }

  destroy(): void {
    this.#close(null);
  }

  abort(error: OriginError): void {
    if (this.#call === null) this.destroy();
    else this.reset(error, ERROR_CODE.CANCEL);
  }

  #charge(bytes: number): void {
    const memory = this.#memory();
    if (memory === undefined) return;
    memory.hold(bytes);
    this.#charged += bytes;
  }

  #memory(): ClientMemory | undefined {
    return this.#call?.request.memory;
  }

  #release(): void {
    if (this.#charged === 0) return;
    this.#memory()?.release(this.#charged);
    this.#charged = 0;
  }

  /** Sends WINDOW_UPDATE once half of the window was received. */
  #updateWindow(): void {
    if (this.#unannounced * 2 < STREAM_WINDOW) return;
    this.#receiveWindow += this.#unannounced;
    this.#session.updateWindow(this.streamId, this.#unannounced);
    this.#unannounced = 0;
  }

  /** The origin sent END_STREAM. */
  #complete(trailers: FieldList): void {
    const call = this.#call;
    const body = this.#body;
    if (call === null || body === null) return;
    // RFC 9113 section 8.1: the origin needs no more of the request.
    this.#session.release(this, this.#isLocalEnded ? null : ERROR_CODE.NO_ERROR);
    const isAnswered = this.#unanswered === null;
    this.#upload?.stop();
    this.#release();
    const unanswered = this.#unanswered;
    this.#forget();
    call.end();
    body.finish(trailers);
    if (isAnswered) {
      this.#next();
      return;
    }
    // The lane stays occupied until the end of the read, when this response is delivered.
    this.#unanswered = unanswered;
    this.#completedCall = call;
  }

  #next(): void {
    if (this.isOpen) this.rest();
    else this.destroy();
  }

  #fail(error: OriginError, code: ErrorCode | null, isRefused: boolean): void {
    const call = this.#call;
    if (call === null) return;
    const body = this.#body;
    const upload = this.#upload;
    const isAnswered = body !== null && this.#unanswered === null;
    this.#session.release(this, code);
    this.#release();
    const isRetried = body === null && this.#mayRepeat(call, error, isRefused);
    if (isRetried) upload?.detach();
    else upload?.stop();
    this.#forget();
    if (isRetried) {
      this.#close(call);
      return;
    }
    if (isAnswered) {
      call.end();
      body.fail(error);
    } else call.fail(error);
    this.#next();
  }

  #mayRepeat(call: Call, { fault }: OriginError, isRefused: boolean): boolean {
    const { retries, request } = call;
    if (isRefused) return mayRepeatRefused(retries, this.#upload?.canRepeat !== false);
    if (fault !== 'reset' || this.#session.isOpen) return false;
    return mayRetry({
      method: request.method,
      retries,
      isReused: this.#hasRested,
      hasReceived: this.#hasReceived,
      canRepeat: this.#upload === null,
      isUnseen: false,
      isUpgrade: false,
    });
  }

  #forget(): void {
    this.#call = null;
    this.#body = null;
    this.#unanswered = null;
    this.#upload = null;
    this.#pending = NOTHING;
  }

  #close(retried: Call | null): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#session.leave(this);
    this.#owner.onClosed(this, retried);
    this.#session.closeIfUnused();
  }

  /** Sets the deadline according to the side that the edge waits for. */
  #watch(): void {
    const fault = this.#awaitedFault();
    if (fault !== 'slow-body') this.#isPaced = false;
    if (fault === 'slow-body') this.#watchBody();
    else {
      const { headerTimeout, idleTimeout, streamIdleTimeout } = this.#limits;
      const bodyTimeout = this.#body !== null && this.#isStream ? streamIdleTimeout : idleTimeout;
      const milliseconds = fault === 'header-timeout' ? headerTimeout : bodyTimeout;
      this.deadline =
        fault === null ? this.#exchangeDeadline : Math.min(this.#exchangeDeadline, this.#clock.after(milliseconds));
    }
  }

  /** As in `connection.ts`. */
  #watchBody(): void {
    if (this.#isPaced) return;
    this.#isPaced = true;
    this.#pace.restart(this.#clock.now, this.#upload?.received ?? 0);
    this.deadline = Math.min(this.#exchangeDeadline, this.#clock.after(paceInterval(this.#limits)));
  }

  #mayGoOn(): boolean {
    if (this.#exchangeDeadline <= this.#clock.now || this.#awaitedFault() !== 'slow-body') return false;
    if (this.#pace.isTooSlow(this.#clock.now, this.#upload?.received ?? 0, this.#limits, this.#owner)) return false;
    this.deadline = Math.min(this.#exchangeDeadline, this.#clock.after(paceInterval(this.#limits)));
    return true;
  }

  /** The fault if the deadline passes now. Null: the edge does not wait for the origin. */
  #awaitedFault(): OriginFault | null {
    const { origin, isConversation } = this.#call?.request ?? {};
    if (this.#body !== null) return this.#body.isFull || isConversation === true ? null : 'idle-timeout';
    const isSent = this.#isLocalEnded;
    if (isConversation === true) return isSent && origin?.responseTimeoutMs !== undefined ? 'header-timeout' : null;
    if (isSent) return 'header-timeout';
    return this.#pending.length > 0 || this.#session.isFull ? 'idle-timeout' : 'slow-body';
  }

  #timeoutError(): OriginError {
    if (this.#exchangeDeadline <= this.#clock.now)
      return new OriginError('header-timeout', 'the deadline of the request has passed');
    if (this.#body !== null) return new OriginError('idle-timeout', 'the origin stopped sending the response body');
    const fault = this.#awaitedFault();
    if (fault === 'slow-body') return new OriginError('slow-body', 'the request body arrived too slowly');
    return fault === 'idle-timeout'
      ? new OriginError('idle-timeout', 'the origin stopped reading the request body')
      : new OriginError('header-timeout', 'the origin sent no response head in time');
  }
}

const resetBy = (code: number): OriginError =>
  new OriginError('reset', `the origin reset the stream: ${errorName(code)}`, code);

/** The name of an error code in RFC 9113 section 7. */
export const errorName = (code: number): string =>
  Object.entries(ERROR_CODE).find(([, value]) => value === code)?.[0] ?? `code ${code}`;
