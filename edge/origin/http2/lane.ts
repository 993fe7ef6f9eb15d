/**
 * One request at a time over a shared connection: a stream of HTTP/2 for each, in an object that is
 * used again. For its pool it is what a connection is to HTTP/1.1.
 *
 * A response is answered when the read that brought its head has been looked at, so that a fault in
 * that read fails the request. A part of a body that its reader does not take counts against the
 * stream's window until it is taken.
 */
import type { ClientMemory } from '../../http/exchange/client-memory.ts';
import type { FieldList } from '../../http/exchange/field-list.ts';
import { trailerFields } from '../../http/exchange/trailers.ts';
import { ERROR_CODE, type ErrorCode, MAX_WINDOW } from '../../http/http2/protocol.ts';
import { aborted, type Call, type CallHolder } from '../call.ts';
import type { Carrier, CarrierOwner } from '../carrier.ts';
import type { OriginClock } from '../clock.ts';
import type { OriginLimits } from '../limits.ts';
import { OriginError, type OriginFault, type OriginRequest, type OriginResponse } from '../origin.ts';
import { ReceivedBody, type ReceivedBodySource } from '../received-body.ts';
import { malformed } from '../response-head.ts';
import { mayRepeatRefused, mayRetry } from '../retry.ts';
import type { ResponseHead } from './response-head.ts';
import { Upload, type UploadTarget } from './upload.ts';

/** Bytes of a stream that may wait for their reader: SETTINGS_INITIAL_WINDOW_SIZE. */
export const STREAM_WINDOW = 262_144;
/** 1xx responses to one request. */
const MAX_INFORMS = 32;

/** The session, as its lanes see it. */
export interface LaneSession {
  /** The connection stands, and new streams may be opened. */
  readonly isOpen: boolean;
  /** The origin takes one more stream now. */
  readonly canOpen: boolean;
  /** Nothing is to be added to what the socket has not sent. */
  readonly isFull: boolean;
  /** Opens a stream. Throws TypeError for what can be no request; no stream is open then. */
  open(lane: Lane, request: OriginRequest, isEnd: boolean): void;
  /** DATA, as much of `part` as the windows take. Returns how much. */
  data(lane: Lane, part: Uint8Array): number;
  /** END_STREAM. Throws TypeError for trailers that can be none. */
  end(lane: Lane, trailers: FieldList): void;
  /** The lane continues when the window of the connection and the socket allow it. */
  wait(lane: Lane): void;
  updateWindow(streamId: number, increment: number): void;
  /** The lane is answered when the current read has been looked at. */
  answerLater(lane: Lane): void;
  /** The stream of the lane is over. `code`: of RST_STREAM; null: none is sent. */
  release(lane: Lane, code: ErrorCode | null): void;
  /** The lane is used no more. */
  leave(lane: Lane): void;
  closeIfUnused(): void;
}

const NO_FIELDS: FieldList = [];
const NOTHING = new Uint8Array(0);

export class Lane implements Carrier, ReceivedBodySource, CallHolder, UploadTarget {
  deadline = Number.POSITIVE_INFINITY;
  idleSince = 0;
  carried: Call | null = null;
  /** Of the stream; 0: there is none. */
  streamId = 0;
  /** Bytes that the origin takes of the stream (RFC 9113 section 6.9); negative after it shrank. */
  sendWindow = 0;
  /** In the list of those that wait for a window of the connection, or for its socket. */
  isWaiting = false;
  readonly #session: LaneSession;
  readonly #owner: CarrierOwner;
  readonly #limits: OriginLimits;
  readonly #clock: OriginClock;
  #call: Call | null = null;
  #body: ReceivedBody | null = null;
  #unanswered: OriginResponse | null = null;
  #upload: Upload | null = null;
  /** What of the last part has not been sent; it is a copy. */
  #pending: Uint8Array = NOTHING;
  /** The end follows what is pending. */
  #isEndDue = false;
  #isLocalEnded = false;
  #isClosed = false;
  /** It was without a request: the connection may have broken since. */
  #hasRested = false;
  #hasReceived = false;
  #informs = 0;
  /** Bytes that the origin may send, and those that were taken and not announced. */
  #receiveWindow = 0;
  #owed = 0;
  /** Bytes of the body, and what `content-length` announced; -1: any number. */
  #received = 0;
  #expected = -1;
  /** Charged to the visitor's network while they wait. */
  #charged = 0;
  #requestTime = 0;
  /** End of the whole exchange, in the time of the clock. */
  #end = Number.POSITIVE_INFINITY;
  /** Of the last frame of DATA, whose flags may still be changed. */
  lastDataAt = -1;
  lastDataSerial = -1;
  #windowFrom = -1;
  #windowBytes = 0;

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
    return this.#call === null && this.#answered === null;
  }

  /** A final head has come: what follows are trailers. */
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
    this.#owed = 0;
    this.#received = 0;
    this.#expected = -1;
    this.#isEndDue = false;
    this.#isLocalEnded = !hasBody;
    this.#windowFrom = -1;
    this.lastDataSerial = -1;
    this.#requestTime = Date.now();
    this.#end = request.deadlineMs === undefined ? Number.POSITIVE_INFINITY : this.#clock.after(request.deadlineMs);
    try {
      this.#session.open(this, request, !hasBody);
    } catch (error) {
      // TypeError: it can be no request.
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
    // RFC 9110 sections 6.4.1 and 8.6: their length is that of another response.
    const isBodiless = call.request.method === 'HEAD' || status === 204 || status === 304;
    this.#expected = isBodiless ? 0 : length;
    if (isEnd && this.#expected > 0) {
      this.reset(malformed('a body shorter than its content-length'), ERROR_CODE.PROTOCOL_ERROR);
      return;
    }
    this.#upload?.forget();
    const isEmpty = isBodiless || (isEnd && length < 0);
    this.#body = new ReceivedBody(this, isEmpty ? 0 : length < 0 ? undefined : length);
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

  /** Content of DATA, bytes[start, end). `weight`: with its padding. */
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
    this.#owed += weight;
    if (end > start) body.push(bytes.subarray(start, end), this.#unanswered !== null);
    // A reader that took it may have cancelled.
    if (this.#body !== body) return;
    if (isEnd) this.#complete(NO_FIELDS);
    else {
      if (body.isFull) this.#charge(end - start);
      else this.#announce();
      this.#watch();
    }
  }

  #hasWrongLength(isEnd: boolean): boolean {
    const expected = this.#expected;
    return expected >= 0 && (this.#received > expected || (isEnd && this.#received < expected));
  }

  /** The read that brought the head has been looked at. */
  answer(): void {
    const response = this.#unanswered;
    if (response === null) return;
    this.#unanswered = null;
    const body = response.body as ReceivedBody;
    const call = this.#call;
    if (call !== null) call.answer(response);
    else {
      const answered = this.#answered;
      this.#answered = null;
      answered?.answer(response);
      this.#next();
    }
    body.own();
  }

  /** The call of a response that was whole with its head. */
  #answered: Call | null = null;

  /** RST_STREAM of the origin. */
  onReset(code: number): void {
    if (code === ERROR_CODE.REFUSED_STREAM) this.refuse();
    else this.reset(resetBy(code), null);
  }

  /** The origin has not looked at the request (RFC 9113 section 8.7). */
  refuse(): void {
    this.#fail(new OriginError('reset', 'the origin refused the stream', ERROR_CODE.REFUSED_STREAM), null, true);
  }

  /** The request fails. `code`: of RST_STREAM; null: none is sent. */
  reset(error: OriginError, code: ErrorCode | null): void {
    this.#fail(error, code, false);
  }

  /** More of the stream or the connection may be sent. */
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

  /** False: past what a window holds (section 6.9.1). */
  raise(increment: number): boolean {
    this.sendWindow += increment;
    if (this.sendWindow > MAX_WINDOW) return false;
    if (this.sendWindow > 0 && this.#pending.length > 0) this.pump();
    return true;
  }

  // From the upload.

  sendPart(part: Uint8Array): boolean {
    // What is sent again may be more than what the window takes.
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

  /** `isLent`: the bytes are there during the call only. */
  #transmit(part: Uint8Array, isLent: boolean): void {
    const sent = this.#session.data(this, part);
    if (sent === part.length) return;
    const rest = part.subarray(sent);
    this.#pending = isLent ? Buffer.from(rest) : rest;
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
    this.#announce();
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
    else this.reset(this.#late(), ERROR_CODE.CANCEL);
  }

  destroy(): void {
    this.#close(null);
  }

  abort(): void {
    if (this.#call === null) this.destroy();
    else this.reset(aborted(), ERROR_CODE.CANCEL);
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

  /** Gives the window back in large steps. */
  #announce(): void {
    if (this.#owed * 2 < STREAM_WINDOW) return;
    this.#receiveWindow += this.#owed;
    this.#session.updateWindow(this.streamId, this.#owed);
    this.#owed = 0;
  }

  /** END_STREAM of the origin. */
  #complete(trailers: FieldList): void {
    const call = this.#call;
    const body = this.#body;
    if (call === null || body === null) return;
    // RFC 9113 section 8.1: it needs no more of the request.
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
    // Until the end of the read another request may not begin: its response would be in the way.
    this.#unanswered = unanswered;
    this.#answered = call;
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
    const again = body === null && this.#mayRepeat(call, error, isRefused);
    if (again) upload?.detach();
    else upload?.stop();
    this.#forget();
    if (again) {
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
      isBodyBegun: this.#upload !== null,
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

  #close(again: Call | null): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#session.leave(this);
    this.#owner.onClosed(this, again);
    this.#session.closeIfUnused();
  }

  /** Sets the deadline by the side that is waited for. */
  #watch(): void {
    const fault = this.#awaited();
    if (fault !== 'slow-body') this.#windowFrom = -1;
    if (fault === 'slow-body') this.#watchBody();
    else {
      const { headerTimeout, idleTimeout } = this.#limits;
      const milliseconds = fault === 'header-timeout' ? headerTimeout : idleTimeout;
      this.deadline = fault === null ? this.#end : Math.min(this.#end, this.#clock.after(milliseconds));
    }
  }

  /** As `connection.ts` does. */
  #watchBody(): void {
    const received = this.#upload?.received ?? 0;
    const { bodyRate, bodyWindow } = this.#limits;
    const isEnough = received - this.#windowBytes >= (bodyRate * bodyWindow) / 1000;
    if (this.#windowFrom >= 0 && !isEnough) return;
    this.#windowFrom = this.#clock.now;
    this.#windowBytes = received;
    this.deadline = Math.min(this.#end, this.#clock.after(bodyWindow));
  }

  /** Null: not for the origin. */
  #awaited(): OriginFault | null {
    const { origin, isConversation } = this.#call?.request ?? {};
    if (this.#body !== null) return this.#body.isFull || isConversation === true ? null : 'idle-timeout';
    const isSent = this.#isLocalEnded;
    if (isConversation === true) return isSent && origin?.responseTimeoutMs !== undefined ? 'header-timeout' : null;
    if (isSent) return 'header-timeout';
    return this.#pending.length > 0 || this.#session.isFull ? 'idle-timeout' : 'slow-body';
  }

  #late(): OriginError {
    if (this.#end <= this.#clock.now)
      return new OriginError('header-timeout', 'the deadline of the request has passed');
    if (this.#body !== null) return new OriginError('idle-timeout', 'the origin stopped sending the response body');
    const fault = this.#awaited();
    if (fault === 'slow-body') return new OriginError('slow-body', 'the request body arrived too slowly');
    return fault === 'idle-timeout'
      ? new OriginError('idle-timeout', 'the origin stopped reading the request body')
      : new OriginError('header-timeout', 'the origin sent no response head in time');
  }
}

const resetBy = (code: number): OriginError =>
  new OriginError('reset', `the origin reset the stream: ${errorName(code)}`, code);

/** As RFC 9113 section 7 names it. */
export const errorName = (code: number): string =>
  Object.entries(ERROR_CODE).find(([, value]) => value === code)?.[0] ?? `code ${code}`;
