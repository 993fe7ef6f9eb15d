/**
 * Takes a query apart (RFC 1035 4.1, RFC 6891), options of EDNS included. One object for each thread, filled anew by every packet; nothing is allocated.
 */

import { isEncrypted, isStream } from '../address/client.ts';
import { CLIENT_COOKIE, EDNS_OPTION, MAX_SERVER_COOKIE, MIN_SERVER_COOKIE, OPTION_HEADER } from '../wire/edns.ts';
import { HEADER_LENGTH, QR } from '../wire/header.ts';
import { CLASS_CHAOS, CLASS_IN, OPCODE, RCODE, TYPE } from '../wire/types.ts';
import { LABELS } from './index-reader.ts';

/** What to do with a packet, before anything is looked up. */
export const SILENCE = -1;
export const LOOK_UP = -2;
/** Not for the query path: AXFR, IXFR, and whatever is signed (TSIG), which an UPDATE must be. */
export const DEFER = -3;
/** A question of class CHAOS. */
export const CHAOS = -4;
/** No question, but a cookie (RFC 7873 5.4). */
export const COOKIE_ONLY = -5;
/** A code below these is the response code. */

/** What DNS cookie came with a query (RFC 7873): none, a client's alone, one that we gave to that client, one that we did not. */
export const COOKIE = { NONE: 0, CLIENT: 1, VALID: 2, BAD: 3 } as const;

/** Options that a query came with, as bits of `asked`. */
export const ASKED = { COOKIE: 1, NSID: 2, KEEPALIVE: 4, PADDING: 8 } as const;

export class Query {
  /** Offset of the packet, and of the first byte after the question (0: there is no question to echo). */
  start = 0;
  questionEnd = 0;
  /** Offset of the first byte after the name. */
  nameEnd = 0;
  labels = 0;
  type = 0;
  class = 0;
  hasOpt = false;
  /** The sender's UDP payload size, as it says (RFC 6891 6.2.3). */
  udpSize = 0;
  dnssecOk = false;
  /** Of ASKED: options that we heed, over this transport and in EDNS version 0. */
  requestedOptions = 0;
  /** Where the cookie's data lies, and its length, when there is one. */
  cookieAt = 0;
  cookieLength = 0;
  /** Response code that it was answered with, all 12 bits (RFC 6891 6.1.3); set by the responder. */
  rcode = 0;
  /** Of COOKIE. */
  cookie: number = COOKIE.NONE;
  /**
   * Hash of the name that the response is counted under by who limits rates: the name asked, or, so that names made up by the client share
   * one, the wildcard's parent, the delegation, the owner of the DNAME, or for NXDOMAIN the apex. Set by the responder; 0: none.
   */
  account = 0;
  /** Its last record is a TSIG (RFC 8945). */
  signed = false;
  #version = 0;
  #malformed = false;
  #transport = 0;
  readonly #heedsCookies: boolean;

  /** Without `heedsCookies`, a COOKIE is an unknown option. */
  constructor(heedsCookies: boolean) {
    this.#heedsCookies = heedsCookies;
  }

  /**
   * Reads the packet at bytes[start, start + length), which came over `transport` (of TRANSPORT). Returns SILENCE, LOOK_UP, DEFER, CHAOS, COOKIE_ONLY, or
   * the response code that is due without a look.
   * `starts` receives the offsets of the name's labels.
   */
  parse(bytes: Uint8Array, start: number, length: number, starts: Int32Array, transport: number): number {
    this.start = start;
    this.questionEnd = 0;
    this.hasOpt = false;
    this.dnssecOk = false;
    this.cookie = COOKIE.NONE;
    this.account = 0;
    this.requestedOptions = 0;
    this.signed = false;
    this.#transport = transport;
    if (length < HEADER_LENGTH || (bytes[start + 2] & QR) !== 0) return SILENCE;
    const end = start + length;
    if ((bytes[start + 2] & 0x78) !== 0) return this.#parseOther(bytes, end, starts);
    if (bytes[start + 4] !== 0 || bytes[start + 5] !== 1) return this.#parseWithoutQuestion(bytes, end);
    if (!this.#readQuestion(bytes, end, starts)) return RCODE.FORMERR;
    // An empty rest is what most queries have.
    const others = bytes[start + 6] | bytes[start + 7] | bytes[start + 8] | bytes[start + 9];
    if ((others | bytes[start + 10] | bytes[start + 11]) === 0) {
      if (this.questionEnd !== end) return RCODE.FORMERR;
      return this.#judge();
    }
    // Only IXFR brings a record before the additional ones, in the authority section (RFC 1995 section 3).
    if (((bytes[start + 6] | bytes[start + 7]) !== 0 || this.type !== TYPE.IXFR) && others !== 0) return RCODE.FORMERR;
    if (!this.#parseRest(bytes, this.questionEnd, end)) return RCODE.FORMERR;
    // What a signed message gets is signed, whatever it is (RFC 8945 5.3).
    if (this.signed) return DEFER;
    if (this.hasOpt && this.#version > 0) return RCODE.BADVERS;
    return this.#judge();
  }

  /** Meta types and classes that we don't serve. */
  #judge(): number {
    const { type } = this;
    if (type === TYPE.OPT) return RCODE.FORMERR;
    if (this.class !== CLASS_IN) return this.class === CLASS_CHAOS ? CHAOS : RCODE.REFUSED;
    if (type < 128 || type === TYPE.ANY || type > 255) return LOOK_UP;
    return type === TYPE.AXFR || type === TYPE.IXFR ? DEFER : RCODE.NOTIMP;
  }

  /** Reads the question, and whether it is whole. */
  #readQuestion(bytes: Uint8Array, end: number, starts: Int32Array): boolean {
    const from = this.start + HEADER_LENGTH;
    let p = from;
    let labels = 0;
    // A pointer has nothing to point at in the first name, so a length above 63 is malformed.
    for (;;) {
      if (p >= end) return false;
      const n = bytes[p];
      if (n === 0) break;
      if (n > 63 || labels === LABELS - 1) return false;
      starts[labels++] = p;
      p += n + 1;
    }
    starts[labels] = p++;
    if (p - from > 255 || p + 4 > end) return false;
    this.nameEnd = p;
    this.labels = labels;
    this.type = (bytes[p] << 8) | bytes[p + 1];
    this.class = (bytes[p + 2] << 8) | bytes[p + 3];
    this.questionEnd = p + 4;
    return true;
  }

  /** Other opcodes than QUERY. How messages of unknown ones go on is not known, so there is nothing to echo. */
  #parseOther(bytes: Uint8Array, end: number, starts: Int32Array): number {
    const s = this.start;
    const opcode = (bytes[s + 2] >>> 3) & 15;
    this.type = 0;
    if (opcode !== OPCODE.NOTIFY && opcode !== OPCODE.UPDATE) return RCODE.NOTIMP;
    // Both have one question, which an UPDATE calls its zone (RFC 1996 3.5, RFC 2136 3.1.1).
    const zones = (bytes[s + 4] << 8) | bytes[s + 5];
    const hasZone = zones === 1 && this.#readQuestion(bytes, end, starts);
    const rest = hasZone ? this.questionEnd : skipQuestions(bytes, s + HEADER_LENGTH, end, zones);
    const isWhole = rest !== 0 && this.#parseRest(bytes, rest, end);
    // We follow nobody's zones, so that NOTIFY is for another server (RFC 1996 3.10, RFC 2136 2.2).
    if (opcode === OPCODE.NOTIFY) return RCODE.NOTAUTH;
    // Whether a signature is good comes before all that may be wrong with what it signs (RFC 8945 5.2).
    if (isWhole && this.signed) return DEFER;
    // Nobody changes a zone without a signature, so what has none is refused by the thread that received it: a flood with forged senders costs the journal's
    // thread nothing, takes no room from what is signed, and its answers are limited as all others.
    return isWhole && hasZone ? RCODE.REFUSED : RCODE.FORMERR;
  }

  /** The records after the question: OPT and TSIG among the additional ones are taken note of. False when they are malformed. */
  #parseRest(bytes: Uint8Array, from: number, end: number): boolean {
    const s = this.start;
    const before = ((bytes[s + 6] << 8) | bytes[s + 7]) + ((bytes[s + 8] << 8) | bytes[s + 9]);
    const all = before + ((bytes[s + 10] << 8) | bytes[s + 11]);
    this.signed = false;
    this.#malformed = false;
    let p = from;
    for (let i = 0; i < all; i++) {
      const owner = p;
      p = skipName(bytes, p, end);
      if (p === 0 || p + 10 > end) return false;
      const type = (bytes[p] << 8) | bytes[p + 1];
      const next = p + 10 + ((bytes[p + 8] << 8) | bytes[p + 9]);
      if (next > end) return false;
      if (type === TYPE.OPT) {
        if (i < before || this.hasOpt || bytes[owner] !== 0) return false;
        this.udpSize = (bytes[p + 2] << 8) | bytes[p + 3];
        this.#version = bytes[p + 5];
        this.dnssecOk = (bytes[p + 6] & 0x80) !== 0;
        if (next !== p + 10 && !this.#readOptions(bytes, p + 10, next)) {
          this.requestedOptions = 0;
          return false;
        }
        this.hasOpt = true;
        if (this.#malformed) {
          this.requestedOptions = 0;
          return false;
        }
      }
      if (type === TYPE.TSIG && i >= before) {
        // RFC 8945 5.1: the last record, and the only one.
        if (i !== all - 1) return false;
        this.signed = true;
      }
      p = next;
    }
    return p === end;
  }

  /** Only a cookie may come without a question (RFC 7873 5.4). Its response has none either. Two questions: RFC 9619. */
  #parseWithoutQuestion(bytes: Uint8Array, end: number): number {
    const s = this.start;
    this.type = 0;
    if ((bytes[s + 4] | bytes[s + 5] | bytes[s + 6] | bytes[s + 7] | bytes[s + 8] | bytes[s + 9]) !== 0)
      return RCODE.FORMERR;
    if (!this.#parseRest(bytes, s + HEADER_LENGTH, end) || this.signed) return RCODE.FORMERR;
    if (this.hasOpt && this.#version > 0) return RCODE.BADVERS;
    return (this.requestedOptions & ASKED.COOKIE) !== 0 ? COOKIE_ONLY : RCODE.FORMERR;
  }

  /**
   * Reads the options { code u16, length u16, data } in the rdata of an OPT. False when they don't fill it exactly (RFC 6891 6.1.2). `malformed`: one
   * of them has a length that it cannot have. What options mean in later versions of EDNS is not known, so there they are only counted.
   */
  #readOptions(bytes: Uint8Array, from: number, end: number): boolean {
    let p = from;
    while (p < end) {
      const data = p + OPTION_HEADER;
      if (data > end) return false;
      const code = (bytes[p] << 8) | bytes[p + 1];
      p = data + ((bytes[p + 2] << 8) | bytes[p + 3]);
      if (code <= EDNS_OPTION.PADDING && p <= end && this.#version === 0) this.#heed(code, data, p - data);
    }
    return p === end;
  }

  #heed(code: number, at: number, length: number): void {
    if (code === EDNS_OPTION.COOKIE) {
      // Of several, the first counts (RFC 7873 section 5.2).
      if (!this.#heedsCookies || (this.requestedOptions & ASKED.COOKIE) !== 0) return;
      this.requestedOptions |= ASKED.COOKIE;
      this.cookieAt = at;
      this.cookieLength = length;
      if (length !== CLIENT_COOKIE && !isWholeCookie(length)) this.#malformed = true;
    } else if (code === EDNS_OPTION.NSID) this.requestedOptions |= ASKED.NSID;
    else if (code === EDNS_OPTION.TCP_KEEPALIVE) {
      // RFC 7828 3.2.1: over UDP as if it were not there.
      if (!isStream(this.#transport)) return;
      this.requestedOptions |= ASKED.KEEPALIVE;
      if (length !== 0 && length !== 2) this.#malformed = true;
    } else if (code === EDNS_OPTION.PADDING && isEncrypted(this.#transport)) this.requestedOptions |= ASKED.PADDING;
  }
}

const isWholeCookie = (length: number): boolean =>
  length >= CLIENT_COOKIE + MIN_SERVER_COOKIE && length <= CLIENT_COOKIE + MAX_SERVER_COOKIE;

/** Offset after `count` questions from `p` on; 0 when they run out of the packet. */
function skipQuestions(bytes: Uint8Array, from: number, end: number, count: number): number {
  let p = from;
  for (let i = 0; i < count; i++) {
    p = skipName(bytes, p, end);
    if (p === 0 || p + 4 > end) return 0;
    p += 4;
  }
  return p;
}

/** Offset after the name at `p`, which may end in a pointer; 0 when it runs out of the packet. */
function skipName(bytes: Uint8Array, p: number, end: number): number {
  while (p < end) {
    const n = bytes[p];
    if (n === 0) return p + 1;
    if (n >= 0xc0) return p + 2 <= end ? p + 2 : 0;
    if (n > 63) return 0;
    p += n + 1;
  }
  return 0;
}
