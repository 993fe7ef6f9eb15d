/**
 * Strict parser of the chunked coding (RFC 9112 section 7.1): hexadecimal digits, CR LF and nothing
 * else where they belong. Extensions are skipped, and limited over the whole message, since they
 * cost time and carry no content.
 */
import type { FieldList } from '../http/exchange/field-list.ts';
import { BYTE_CLASS, NOT_IN_VALUE, trailerFields } from '../http/exchange/fields.ts';
import { HeadCollector } from './head-collector.ts';
import { malformed, readFields } from './response-head.ts';

/** The next byte is … */
const STATE = {
  firstDigit: 0,
  digit: 1,
  beforeExtension: 2, // a blank, or the semicolon
  extension: 3,
  sizeEnd: 4, // the LF after the size
  data: 5,
  dataCr: 6,
  dataLf: 7,
  trailers: 8, // the start of a trailer, or the CR of the end
  trailer: 9, // inside trailers
  end: 10, // the LF of the end
  done: 11,
} as const;

/** Maximum bytes of all extensions of a message. */
const MAX_EXTENSIONS = 16_384;
/** Maximum digits of a size, leading zeros included: 2^53 has 14 digits. */
const MAX_DIGITS = 16;

const CR = 0x0d;
const LF = 0x0a;
const SEMICOLON = 0x3b;

const NONE: FieldList = [];

/** Value of each byte as a hexadecimal digit; 255: not a digit. */
const DIGIT = Uint8Array.from({ length: 256 }, (_, byte) => {
  const value = '0123456789abcdef'.indexOf(String.fromCharCode(byte).toLowerCase());
  return value < 0 ? 255 : value;
});

export interface ChunkTaker {
  /** Receives body bytes `from` to `to` of the buffer, valid during the call. */
  onPart(buffer: Buffer, from: number, to: number): void;
}

export class ChunkReader {
  trailers: FieldList = NONE;
  readonly #taker: ChunkTaker;
  readonly #collector: HeadCollector;
  #state: number = STATE.firstDigit;
  /** While the size is parsed: its value so far. After that: remaining bytes of the chunk. */
  #size = 0;
  #digits = 0;
  #extensions = 0;

  /** `limit`: bytes of trailers. */
  constructor(taker: ChunkTaker, limit: number) {
    this.#taker = taker;
    this.#collector = new HeadCollector(limit, (bytes, from, to) => this.#readTrailers(bytes, from, to));
  }

  get isDone(): boolean {
    return this.#state === STATE.done;
  }

  /**
   * Returns the offset after the last parsed byte: `to`, or the end of the body. Throws OriginError
   * `malformed`.
   */
  take(buffer: Buffer, from: number, to: number): number {
    let at = from;
    while (at < to && this.#state !== STATE.done) {
      if (this.#state === STATE.data) at = this.#takeData(buffer, at, to);
      else if (this.#state === STATE.trailer) at = this.#takeTrailers(buffer, at, to);
      else at += this.#step(buffer[at]);
    }
    return at;
  }

  #takeData(buffer: Buffer, from: number, to: number): number {
    const end = Math.min(to, from + this.#size);
    this.#size -= end - from;
    if (this.#size === 0) this.#state = STATE.dataCr;
    this.#taker.onPart(buffer, from, end);
    return end;
  }

  #takeTrailers(buffer: Buffer, from: number, to: number): number {
    const end = this.#collector.take(buffer, from, to);
    if (end < 0) return to;
    this.#state = STATE.done;
    return end;
  }

  #readTrailers(bytes: Buffer, from: number, to: number): void {
    const fields: string[] = [];
    readFields(bytes, from, to, fields, null);
    this.trailers = trailerFields(fields);
  }

  /** Returns the number of consumed bytes: 1, or 0 for the first byte of the trailers. */
  #step(byte: number): number {
    switch (this.#state) {
      case STATE.firstDigit:
      case STATE.digit:
        this.#state = this.#sizeStep(byte);
        break;
      case STATE.beforeExtension:
      case STATE.extension:
        this.#state = this.#extensionStep(byte);
        break;
      case STATE.sizeEnd:
        this.#must(byte, LF);
        this.#state = this.#size === 0 ? STATE.trailers : STATE.data;
        break;
      case STATE.dataCr:
        this.#must(byte, CR);
        this.#state = STATE.dataLf;
        break;
      case STATE.dataLf:
        this.#must(byte, LF);
        this.#size = 0;
        this.#digits = 0;
        this.#state = STATE.firstDigit;
        break;
      case STATE.trailers:
        this.#state = byte === CR ? STATE.end : STATE.trailer;
        return byte === CR ? 1 : 0;
      default:
        this.#must(byte, LF);
        this.#state = STATE.done;
    }
    return 1;
  }

  #sizeStep(byte: number): number {
    const digit = DIGIT[byte];
    if (digit !== 255) {
      this.#size = this.#size * 16 + digit;
      if (++this.#digits > MAX_DIGITS || !Number.isSafeInteger(this.#size))
        throw malformed('a chunk beyond 2^53 bytes');
      return STATE.digit;
    }
    if (this.#state === STATE.firstDigit) throw malformed('a chunk without a size');
    if (byte === CR) return STATE.sizeEnd;
    return this.#beforeExtension(byte);
  }

  #extensionStep(byte: number): number {
    if (++this.#extensions > MAX_EXTENSIONS) throw malformed('chunk extensions without an end');
    if (this.#state === STATE.beforeExtension) return this.#beforeExtension(byte);
    if (byte === CR) return STATE.sizeEnd;
    if ((BYTE_CLASS[byte] & NOT_IN_VALUE) !== 0) throw malformed('a control character in a chunk extension');
    return STATE.extension;
  }

  /**
   * RFC 9112 section 7.1.1: blanks before the semicolon are accepted, although a sender should not
   * make them.
   */
  #beforeExtension(byte: number): number {
    if (byte === SEMICOLON) return STATE.extension;
    if (byte === 0x20 || byte === 0x09) return STATE.beforeExtension;
    throw malformed('a chunk size that is not hexadecimal digits');
  }

  #must(byte: number, expected: number): void {
    if (byte !== expected) throw malformed('a chunk longer than its size');
  }
}
