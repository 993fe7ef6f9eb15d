/**
 * Parses requests from the bytes of a connection as they arrive (RFC 9112). A complete line is
 * parsed in place. An incomplete line is buffered and parsed again only when its end arrives. So a
 * head that arrives byte by byte costs no more than its length.
 *
 *     request line ─► field lines ─► onHead ─► bytes by length, or chunks and trailers
 *          ▲                            │           │
 *          └──────── onBodyEnd ◄────────┼───────────┘
 *                                       └► tunnel
 */
import type { FieldList } from '../exchange/field-list.ts';
import { BYTE_CLASS, NOT_IN_VALUE, trailerFields } from '../exchange/fields.ts';
import { MALFORMED_REQUEST, type Refusal, refusal } from './counters.ts';
import { FieldLines, LINE, MALFORMED, MORE } from './field-lines.ts';
import type { Http1Limits } from './limits.ts';
import { RequestHead } from './request-head.ts';
import { RequestLine } from './request-line.ts';

const SEMICOLON = 0x3b;

/** Maximum bytes of a line with its extensions. Node.js has the same limit. */
const LONGEST_LINE = 16_384;

/** Section 7.1.1, without whitespace, which senders must not generate. */
const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const CHUNK_EXTENSIONS = new RegExp(`^(?:;${TOKEN}(?:=(?:${TOKEN}|"(?:[^"\\\\]|\\\\.)*"))?)*$`);

/** The last size read. Each line is handled before the next is read. */
let size = 0;
const chunkSize = (): number => size;

export interface RequestSink {
  /** Whether the next request may be parsed now. False: not before `resume`. */
  mayBegin(): boolean;
  /**
   * A head with valid framing. Its body follows, if any. The bytes of a tunnel are held until
   * `resume`.
   */
  onHead(head: RequestHead): void;
  /** A part of a body or a tunnel, valid during the call only. False: no more until `resume`. */
  onBody(bytes: Buffer): boolean;
  onBodyEnd(trailers: FieldList): void;
  /** The input cannot be parsed any further. Later bytes are discarded. */
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
  /** Received bytes are discarded. */
  over: 8,
} as const;

const CR = 0x0d;
const LF = 0x0a;
/** Maximum number of empty lines before a request. Section 2.2 asks to ignore at least one. */
const EMPTY_LINES = 64;
/** Maximum bytes of a request line in addition to its target. No method is longer. */
const AROUND_TARGET = 64;
/** The CR of the empty line after the fields does not count towards the limit. */
const UNCOUNTED = 1;
const NO_FIELDS: FieldList = [];
const NOTHING = Buffer.alloc(0);

// Shared by the thread: their results are used before the next read.
const requestLine = new RequestLine();
const fieldLines = new FieldLines();

export class RequestReader {
  /** Received bytes are held until `resume`. */
  isBlocked = false;
  readonly #sink: RequestSink;
  readonly #limits: Http1Limits;
  readonly #isEncrypted: boolean;
  readonly #head = new RequestHead();
  #state: number = STATE.requestLine;
  /** Bytes not parsed yet: bytes[0 … length). */
  #held: Buffer = NOTHING;
  #heldLength = 0;
  /** Bytes and number of parsed lines in the current head or trailers. */
  #bytes = 0;
  #lines = 0;
  /** Remaining bytes of the body or the chunk. */
  #remaining = 0;
  #trailers: string[] = [];
  #isReading = false;
  /** A tunnel follows the request. */
  #isTunnel = false;

  constructor(sink: RequestSink, limits: Http1Limits, isEncrypted: boolean) {
    this.#sink = sink;
    this.#limits = limits;
    this.#isEncrypted = isEncrypted;
  }

  /** A head has been received in part. */
  get isInHead(): boolean {
    if (this.#state === STATE.fields) return true;
    return this.#state === STATE.requestLine && (this.#heldLength > 0 || this.#bytes > 0);
  }

  /** Bytes are held until `resume`. */
  get isHolding(): boolean {
    return this.isBlocked && this.#heldLength > 0;
  }

  /** Discards all further bytes. */
  stop(): void {
    this.#state = STATE.over;
    this.#drop();
  }

  /** `bytes`: valid during the call only. */
  push(bytes: Buffer): void {
    if (this.#heldLength === 0 && !this.isBlocked) {
      const at = this.#read(bytes, bytes.length);
      if (at < bytes.length) this.#hold(bytes, at);
      return;
    }
    this.#hold(bytes, 0);
    if (this.isBlocked) return;
    // The held part of the line was parsed already. Only the end of the line can change the result.
    if (bytes.indexOf(LF) < 0) this.#limitHeld(this.#heldLength);
    else this.#readHeld();
  }

  /** The sink has room again, or the tunnel was accepted. */
  resume(): void {
    this.isBlocked = false;
    if (this.#heldLength > 0 && !this.#isReading) this.#readHeld();
  }

  #readHeld(): void {
    const held = this.#held;
    const length = this.#heldLength;
    const at = this.#read(held, length);
    // `stop` was called meanwhile.
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

  /** Parses bytes[0 … end). Returns the offset of the first byte not parsed. */
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
        if (this.#state !== STATE.over) this.#limitHeld(end - at);
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

  /** Returns the offset after the parsed element, or MORE or MALFORMED. */
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

  /** Holds an incomplete line, up to a limit. */
  #limitHeld(length: number): void {
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

  /** Section 3. Empty lines before it are ignored (section 2.2). */
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
      if (next >= 0) this.#endHead();
      return next;
    }
    const next = fieldLines.read(bytes, at, end);
    if (next < 0) return next;
    if (!this.#countLine(next - at)) return MORE;
    const why = this.#head.add(fieldLines.line);
    return why === null ? next : this.#refuse(why);
  }

  /** Counts a line. False: a limit is exceeded. */
  #countLine(data: number): boolean {
    this.#bytes += data;
    if (this.#bytes <= this.#limits.headerBytes && ++this.#lines <= this.#limits.headerFields) return true;
    this.#refuse(TOO_LARGE);
    return false;
  }

  #endHead(): void {
    const head = this.#head;
    this.#bytes = 0;
    const why = head.finish(this.#isEncrypted);
    if (why !== null) {
      this.#refuse(why);
      return;
    }
    this.#isTunnel = head.protocol !== '' && head.refusal === null;
    if (this.#isTunnel && head.length === 0) this.#beginTunnel();
    else if (head.length === undefined) this.#state = STATE.chunkSize;
    else {
      this.#remaining = head.length;
      this.#state = head.length === 0 ? STATE.requestLine : STATE.length;
    }
    this.#sink.onHead(head);
  }

  /** Section 6. */
  #body(bytes: Buffer, at: number, end: number): number {
    const to = Math.min(end, at + this.#remaining);
    this.#remaining -= to - at;
    const hasRoom = this.#sink.onBody(bytes.subarray(at, to));
    if (this.#state === STATE.over) return to;
    if (this.#remaining > 0) this.isBlocked = !hasRoom;
    else if (this.#state === STATE.chunk) {
      this.#state = STATE.chunkEnd;
      this.isBlocked = !hasRoom;
    } else this.#endBody(NO_FIELDS);
    return to;
  }

  /** Section 7.1. */
  #chunkSize(bytes: Buffer, at: number, end: number): number {
    const next = readChunkSize(bytes, at, end);
    if (next < 0) return next;
    if (next - at > LONGEST_LINE) return this.#refuse(EXTENSIONS);
    this.#remaining = chunkSize();
    this.#lines = 0;
    this.#trailers = [];
    this.#state = this.#remaining === 0 ? STATE.trailers : STATE.chunk;
    return next;
  }

  /**
   * Section 7.1.2. A length or a transfer coding in trailers is malformed. A recipient that uses it
   * would find another end of the message.
   */
  #trailer(bytes: Buffer, at: number, end: number): number {
    if (bytes[at] === CR) {
      const next = this.#emptyLine(bytes, at, end, STATE.trailers);
      if (next >= 0) this.#endBody(this.#trailers.length === 0 ? NO_FIELDS : trailerFields(this.#trailers));
      return next;
    }
    const next = fieldLines.read(bytes, at, end);
    if (next < 0) return next;
    if (!this.#countLine(next - at)) return MORE;
    const { kind, name, value } = fieldLines.line;
    if (kind === LINE.contentLength || kind === LINE.transferEncoding || kind === LINE.doubtful) return MALFORMED;
    this.#trailers.push(name, value);
    return next;
  }

  /** Bytes are held until the tunnel is accepted. */
  #beginTunnel(): void {
    this.#state = STATE.tunnel;
    this.isBlocked = true;
  }

  #endBody(trailers: FieldList): void {
    this.#bytes = 0;
    if (this.#isTunnel) this.#beginTunnel();
    else this.#state = STATE.requestLine;
    this.#sink.onBodyEnd(trailers);
  }
}

/** By byte: the value of a hexadecimal digit; 16: not a digit. */
const DIGIT = new Uint8Array(256).fill(16);
for (let value = 0; value < 16; value++) {
  DIGIT[value.toString(16).charCodeAt(0)] = value;
  DIGIT[value.toString(16).toUpperCase().charCodeAt(0)] = value;
}

/**
 * The line before a chunk (RFC 9112 section 7.1): its size in hexadecimal digits, and extensions.
 * Extensions are ignored, but must be well-formed. A recipient that parses quoted strings would
 * otherwise find another end of the line. Reads the line at `start`. Returns the offset after it,
 * or MORE or MALFORMED.
 */
function readChunkSize(bytes: Buffer, start: number, end: number): number {
  size = 0;
  let at = start;
  while (at < end && DIGIT[bytes[at]] < 16) size = size * 16 + DIGIT[bytes[at++]];
  if (size > Number.MAX_SAFE_INTEGER) return MALFORMED;
  if (at === end) return MORE;
  if (at === start) return MALFORMED;
  const extensions = at;
  if (bytes[at] === SEMICOLON) while (at < end && (BYTE_CLASS[bytes[at]] & NOT_IN_VALUE) === 0) at++;
  if (at === end) return MORE;
  if (bytes[at] !== CR) return MALFORMED;
  if (at + 1 === end) return MORE;
  if (bytes[at + 1] !== LF) return MALFORMED;
  if (at > extensions && at - start <= LONGEST_LINE && !CHUNK_EXTENSIONS.test(bytes.toString('latin1', extensions, at)))
    return MALFORMED;
  return at + 2;
}
