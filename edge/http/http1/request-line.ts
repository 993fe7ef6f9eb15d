/**
 * The first line of a request (RFC 9112 section 3): three parts, separated by one space, then CRLF.
 */

import { isKnownMethod } from '../exchange/authority.ts';
import { BYTE_CLASS, NOT_IN_TOKEN } from '../exchange/fields.ts';
import { type Refusal, refusal } from './counters.ts';
import { MALFORMED, MORE } from './field-lines.ts';

const UNKNOWN_METHOD = refusal(501, 'method');
const OTHER_VERSION = refusal(505, 'version');
const TOO_LONG = refusal(414, 'target_too_long');
const NO_REQUEST = refusal(400, 'malformed');

const SP = 0x20;
const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;
/** "HTTP/" */
const PROTOCOL_NAME = [0x48, 0x54, 0x54, 0x50, 0x2f];
/** Bytes of the protocol name, the version and CRLF. */
const TAIL = PROTOCOL_NAME.length + 5;

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

/** One instance per thread. Its fields describe the last line read. */
export class RequestLine {
  method = '';
  target = '';
  version: '1.0' | '1.1' = '1.1';
  /** Why `read` returned MALFORMED. */
  refusal: Refusal = NO_REQUEST;

  /**
   * Reads the line at `start`. Returns the offset of the next line, or MORE or MALFORMED.
   * `maxTarget`: maximum number of characters of a target.
   */
  read(bytes: Buffer, start: number, end: number, maxTarget: number): number {
    this.refusal = NO_REQUEST;
    let at = start;
    while (at < end && (BYTE_CLASS[bytes[at]] & NOT_IN_TOKEN) === 0) at++;
    if (at === end) return MORE;
    if (at === start || bytes[at] !== SP) return MALFORMED;
    const method = knownMethod(bytes, start, at);
    const from = ++at;
    while (at < end && bytes[at] > 0x20 && bytes[at] < 0x7f) at++;
    if (at - from > maxTarget) return this.#fail(TOO_LONG);
    if (at === end) return MORE;
    if (at > from && bytes[at] === CR) return this.#withoutVersion(bytes, at, end);
    if (at === from || bytes[at] !== SP) return MALFORMED;
    const to = at++;
    if (end - at < TAIL && bytes.subarray(at, end).indexOf(LF) < 0) return MORE;
    const minor = this.#version(bytes, at, end);
    if (minor === undefined) return method === undefined ? this.#fail(UNKNOWN_METHOD) : MALFORMED;
    if (minor < 0) return this.#fail(OTHER_VERSION);
    if (method === undefined) return this.#fail(UNKNOWN_METHOD);
    this.method = method;
    this.target = bytes.toString('latin1', from, to);
    this.version = minor === 0 ? '1.0' : '1.1';
    return at + TAIL;
  }

  /** A request of HTTP/0.9 has no version. */
  #withoutVersion(bytes: Buffer, at: number, end: number): number {
    if (at + 1 === end) return MORE;
    return bytes[at + 1] === LF ? this.#fail(OTHER_VERSION) : MALFORMED;
  }

  #fail(why: Refusal): number {
    this.refusal = why;
    return MALFORMED;
  }

  /** The minor version, 0 or 1. Negative: an unsupported version. Undefined: no version. */
  #version(bytes: Buffer, start: number, end: number): number | undefined {
    if (end - start < TAIL) return undefined;
    for (let i = 0; i < PROTOCOL_NAME.length; i++) if (bytes[start + i] !== PROTOCOL_NAME[i]) return undefined;
    const at = start + PROTOCOL_NAME.length;
    if (!isDigit(bytes[at]) || bytes[at + 1] !== DOT || !isDigit(bytes[at + 2])) return undefined;
    if (bytes[at + 3] !== CR || bytes[at + 4] !== LF) return undefined;
    const minor = bytes[at + 2] - 0x30;
    return bytes[at] === 0x31 && minor <= 1 ? minor : -1;
  }
}

function knownMethod(bytes: Buffer, start: number, end: number): string | undefined {
  const isGet = end - start === 3 && bytes[start] === 0x47 && bytes[start + 1] === 0x45 && bytes[start + 2] === 0x54;
  if (isGet) return 'GET';
  const method = bytes.toString('latin1', start, end);
  return isKnownMethod(method) ? method : undefined;
}
