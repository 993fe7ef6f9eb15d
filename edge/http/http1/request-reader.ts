/**
 * Requests out of the bytes of a connection (RFC 9112), as they come: a line is read where it is
 * when all of it is there; what of it came before waits here, and is looked at again only when its
 * end has come, so that a head in pieces of one byte costs no more than its length.
 *
 *     request line ─► field lines ─► onHead ─► bytes by length, or chunks and trailers
 *          ▲                            │           │
 *          └──────── onBodyEnd ◄────────┼───────────┘
 *                                       └► tunnel
 */
import type { FieldList } from '../exchange/field-list.ts';
import { trailerFields } from '../exchange/trailers.ts';
import { chunkSize, LONGEST_LINE, readChunkSize } from './chunk-size.ts';
import { FieldLines, LINE, MALFORMED, MORE } from './field-lines.ts';
import type { Http1Limits } from './limits.ts';
import { MALFORMED_REQUEST, type Refusal, refusal } from './refusal.ts';
import { RequestHead } from './request-head.ts';
import { RequestLine } from './request-line.ts';

export interface RequestSink {
  /** False: what follows waits until `resume`. */
  mayBegin(): boolean;
  /**
   * A head has come whose framing is sound. If there is a body it follows; of a tunnel nothing
   * comes before `resume`.
   */
  onHead(head: RequestHead): void;
  /** A part of a body or a tunnel, there during the call only. False: no more, until `resume`. */
  onBody(bytes: Buffer): boolean;
  onBodyEnd(trailers: FieldList): void;
  /** What follows cannot be read; nothing more is read. */
  onRefused(refusal: Refusal): void;
}

const TOO_LARGE = refusal(431, 'header_too_large');
const TOO_LONG = refusal(414, 'target_too_long');
const EXTENSIONS = refusal(413, 'chunk_extensions');

const STATE = {
  requestLine: 0,
  fields: 1,
  length: 2,
  chunkSize: 3,
  chunk: 4,
  chunkEnd: 5,
  trailers: 6,
  tunnel: 7,
  /** All that comes is dropped. */
  over: 8,
} as const;

const CR = 0x0d;
const LF = 0x0a;
/** Empty lines before a request: section 2.2 asks for one to be passed over. */
const EMPTY_LINES = 64;
/** Bytes of a request line in addition to its target, at most: longer methods there are none. */
const AROUND_TARGET = 64;
/** CR of the empty line behind the fields. */
const UNCOUNTED = 1;
const NO_FIELDS: FieldList = [];
const NOTHING = Buffer.alloc(0);

// Of the thread: what they say is used before they read again.
const requestLine = new RequestLine();
const fieldLines = new FieldLines();

export class RequestReader {
  /** What comes waits until `resume`. */
  isBlocked = false;
  readonly #sink: RequestSink;
  readonly #limits: Http1Limits;
  readonly #isEncrypted: boolean;
  readonly #head = new RequestHead();
  #state: number = STATE.requestLine;
  /** What has come and was not read yet: bytes[0 … length). */
  #held: Buffer = NOTHING;
  #heldLength = 0;
  /**
   * Of the head, or the trailers, that is read: bytes of the lines that were, and how many lines.
   */
  #bytes = 0;
  #lines = 0;
  /** Of the body or the chunk. */
  #left = 0;
  #trailers: string[] = [];
  #isReading = false;

  constructor(sink: RequestSink, limits: Http1Limits, isEncrypted: boolean) {
    this.#sink = sink;
    this.#limits = limits;
    this.#isEncrypted = isEncrypted;
  }

  /** A part of a head has come. */
  get isInHead(): boolean {
    if (this.#state === STATE.fields) return true;
    return this.#state === STATE.requestLine && (this.#heldLength > 0 || this.#bytes > 0);
  }

  /** What has come waits for `resume`. */
  get isHolding(): boolean {
    return this.isBlocked && this.#heldLength > 0;
  }

  /** Nothing more is read. */
  stop(): void {
    this.#state = STATE.over;
    this.#drop();
  }

  /** `bytes` are there during the call only. */
  push(bytes: Buffer): void {
    if (this.#heldLength === 0 && !this.isBlocked) {
      const at = this.#read(bytes, bytes.length);
      if (at < bytes.length) this.#hold(bytes, at);
      return;
    }
    this.#hold(bytes, 0);
    if (this.isBlocked) return;
    // The line that is held has been looked at: only its end is news.
    if (bytes.indexOf(LF) < 0) this.#mayHold(this.#heldLength);
    else this.#readHeld();
  }

  /** There is room again, or the tunnel stands. */
  resume(): void {
    this.isBlocked = false;
    if (this.#heldLength > 0 && !this.#isReading) this.#readHeld();
  }

  #readHeld(): void {
    const held = this.#held;
    const length = this.#heldLength;
    const at = this.#read(held, length);
    // Dropped meanwhile.
    if (this.#heldLength === 0) return;
    this.#heldLength = length - at;
    if (at === length) this.#held = NOTHING;
    else held.copyWithin(0, at, length);
  }

  #hold(bytes: Buffer, from: number): void {
    const length = this.#heldLength + bytes.length - from;
    if (length > this.#held.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(512, length + (this.#heldLength > 0 ? length : 0)));
      this.#held.copy(larger, 0, 0, this.#heldLength);
      this.#held = larger;
    }
    bytes.copy(this.#held, this.#heldLength, from);
    this.#heldLength = length;
  }

  #drop(): void {
    this.#held = NOTHING;
    this.#heldLength = 0;
  }

  /** Reads bytes[0 … end), and returns how far it came. */
  #read(bytes: Buffer, end: number): number {
    let at = 0;
    this.#isReading = true;
    while (at < end && !this.isBlocked) {
      if (this.#state === STATE.requestLine && !this.#sink.mayBegin()) {
        this.isBlocked = true;
        break;
      }
      const next = this.#step(bytes, at, end);
      if (next === MORE) {
        if (this.#state !== STATE.over) this.#mayHold(end - at);
        break;
      }
      if (next === MALFORMED) {
        this.#refuse(MALFORMED_REQUEST);
        break;
      }
      at = next;
    }
    this.#isReading = false;
    return this.#state === STATE.over ? end : at;
  }

  /** Where what follows begins, or MORE or MALFORMED. */
  #step(bytes: Buffer, at: number, end: number): number {
    switch (this.#state) {
      case STATE.requestLine:
        return this.#requestLine(bytes, at, end);
      case STATE.fields:
        return this.#field(bytes, at, end);
      case STATE.length:
      case STATE.chunk:
        return this.#body(bytes, at, end);
      case STATE.chunkSize:
        return this.#chunkSize(bytes, at, end);
      case STATE.chunkEnd:
        return this.#emptyLine(bytes, at, end, STATE.chunkSize);
      case STATE.trailers:
        return this.#trailer(bytes, at, end);
      case STATE.tunnel:
        this.isBlocked = !this.#sink.onBody(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
        return end;
      default:
        return end;
    }
  }

  /** A part of a line waits for its end, but not without bound. */
  #mayHold(length: number): void {
    if (this.#state === STATE.requestLine) {
      if (length > this.#limits.targetLength + AROUND_TARGET) this.#refuse(TOO_LONG);
    } else if (this.#state === STATE.chunkSize) {
      if (length > LONGEST_LINE) this.#refuse(EXTENSIONS);
    } else if (this.#bytes + length > this.#limits.headerBytes + UNCOUNTED) this.#refuse(TOO_LARGE);
  }

  #refuse(why: Refusal): number {
    this.stop();
    this.#sink.onRefused(why);
    return MORE;
  }

  /** Section 3; empty lines before it are passed over (section 2.2). */
  #requestLine(bytes: Buffer, at: number, end: number): number {
    if (bytes[at] === CR) {
      const next = this.#emptyLine(bytes, at, end, STATE.requestLine);
      return next >= 0 && ++this.#bytes > EMPTY_LINES ? MALFORMED : next;
    }
    const next = requestLine.read(bytes, at, end, this.#limits.targetLength);
    if (next === MALFORMED) return this.#refuse(requestLine.refusal);
    if (next === MORE) return MORE;
    this.#head.begin(requestLine);
    this.#bytes = next - at;
    this.#lines = 0;
    this.#state = STATE.fields;
    return next;
  }

  /** CRLF and nothing else. */
  #emptyLine(bytes: Buffer, at: number, end: number, state: number): number {
    if (bytes[at] !== CR) return MALFORMED;
    if (at + 1 === end) return MORE;
    if (bytes[at + 1] !== LF) return MALFORMED;
    this.#state = state;
    return at + 2;
  }

  #field(bytes: Buffer, at: number, end: number): number {
    if (bytes[at] === CR) {
      const next = this.#emptyLine(bytes, at, end, STATE.fields);
      if (next >= 0) this.#headEnds();
      return next;
    }
    const next = fieldLines.read(bytes, at, end);
    if (next < 0) return next;
    if (!this.#counts(next - at)) return MORE;
    const why = this.#head.add(fieldLines.line);
    return why === null ? next : this.#refuse(why);
  }

  /** One more line. False: there are too many. */
  #counts(data: number): boolean {
    this.#bytes += data;
    if (this.#bytes <= this.#limits.headerBytes && ++this.#lines <= this.#limits.headerFields) return true;
    this.#refuse(TOO_LARGE);
    return false;
  }

  #headEnds(): void {
    const head = this.#head;
    this.#bytes = 0;
    const why = head.finish(this.#isEncrypted);
    if (why !== null) {
      this.#refuse(why);
      return;
    }
    if (head.protocol !== '' && head.refusal === null) {
      this.#state = STATE.tunnel;
      this.isBlocked = true;
    } else if (head.length === undefined) this.#state = STATE.chunkSize;
    else {
      this.#left = head.length;
      this.#state = head.length === 0 ? STATE.requestLine : STATE.length;
    }
    this.#sink.onHead(head);
  }

  /** Section 6. */
  #body(bytes: Buffer, at: number, end: number): number {
    const to = Math.min(end, at + this.#left);
    this.#left -= to - at;
    const hasRoom = this.#sink.onBody(bytes.subarray(at, to));
    if (this.#state === STATE.over) return to;
    if (this.#left > 0) this.isBlocked = !hasRoom;
    else if (this.#state === STATE.chunk) {
      this.#state = STATE.chunkEnd;
      this.isBlocked = !hasRoom;
    } else this.#bodyEnds(NO_FIELDS);
    return to;
  }

  /** Section 7.1. */
  #chunkSize(bytes: Buffer, at: number, end: number): number {
    const next = readChunkSize(bytes, at, end);
    if (next < 0) return next;
    if (next - at > LONGEST_LINE) return this.#refuse(EXTENSIONS);
    this.#left = chunkSize();
    this.#lines = 0;
    this.#trailers = [];
    this.#state = this.#left === 0 ? STATE.trailers : STATE.chunk;
    return next;
  }

  /** Section 7.1.2. Another length or coding there is for code that reads on with it. */
  #trailer(bytes: Buffer, at: number, end: number): number {
    if (bytes[at] === CR) {
      const next = this.#emptyLine(bytes, at, end, STATE.trailers);
      if (next >= 0) this.#bodyEnds(this.#trailers.length === 0 ? NO_FIELDS : trailerFields(this.#trailers));
      return next;
    }
    const next = fieldLines.read(bytes, at, end);
    if (next < 0) return next;
    if (!this.#counts(next - at)) return MORE;
    const { kind, name, value } = fieldLines.line;
    if (kind === LINE.contentLength || kind === LINE.transferEncoding || kind === LINE.doubtful) return MALFORMED;
    this.#trailers.push(name, value);
    return next;
  }

  #bodyEnds(trailers: FieldList): void {
    this.#bytes = 0;
    this.#state = STATE.requestLine;
    this.#sink.onBodyEnd(trailers);
  }
}
