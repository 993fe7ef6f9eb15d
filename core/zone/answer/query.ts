/**
 * Parses a query (RFC 1035 section 4.1, RFC 6891) with its EDNS options. One object per thread,
 * reused for every packet; nothing is allocated.
 */

import {
  CLIENT_COOKIE,
  EDNS_OPTION,
  MAX_SERVER_COOKIE,
  MIN_SERVER_COOKIE,
  OPTION_HEADER,
  SUBNET_FAMILY,
  SUBNET_HEADER,
} from '../../dns/wire/edns.ts';
import { HEADER_LENGTH, opcodeOf, QR, skipName } from '../../dns/wire/header.ts';
import { CLASS_CHAOS, CLASS_IN, OPCODE, RCODE, TYPE } from '../../dns/wire/types.ts';
import { isEncrypted, isStream, TRANSPORT } from '../../net/address/client.ts';
import { LABELS } from './index-reader.ts';

/** What to do with a packet, before the lookup. Values of 0 and above are response codes. */
export const SILENCE = -1;
export const LOOK_UP = -2;
/**
 * Not handled by the query path: AXFR, IXFR, SOA with EXPIRE, and signed messages (TSIG); an UPDATE
 * must be signed.
 */
export const DEFER = -3;
/** A question of class CHAOS. */
export const CHAOS = -4;
/** Not handled by the query path: a NOTIFY for a zone. */
export const NOTIFY = -6;
/** No question, but a cookie (RFC 7873 section 5.4). */
export const COOKIE_ONLY = -5;

/**
 * The DNS cookie of a query (RFC 7873): none, only a client cookie, a valid server cookie, an
 * invalid one.
 */
export const COOKIE = { NONE: 0, CLIENT: 1, VALID: 2, BAD: 3 } as const;

/** Bits of `requestedOptions`. */
export const REQUESTED = { COOKIE: 1, NSID: 2, KEEPALIVE: 4, PADDING: 8, SUBNET: 16 } as const;

export class Query {
  /**
   * Offset of the packet, and of the first byte after the question (0: there is no question to
   * echo).
   */
  start = 0;
  questionEnd = 0;
  /** Offset of the first byte after the name. */
  nameEnd = 0;
  labels = 0;
  type = 0;
  class = 0;
  hasOpt = false;
  /** The UDP payload size of the sender (RFC 6891 section 6.2.3). */
  udpSize = 0;
  dnssecOk = false;
  /** Bits of REQUESTED: supported options of EDNS version 0 that apply to the transport. */
  requestedOptions = 0;
  /** Offset and length of the cookie's data, if there is a cookie. */
  cookieAt = 0;
  cookieLength = 0;
  /** Offset and length of the data of the client subnet, if there is one (RFC 7871). */
  subnetAt = 0;
  subnetLength = 0;
  /** The answer depends on the client's address; set by the responder. */
  isSteered = false;
  /** The full response code, 12 bits (RFC 6891 section 6.1.3); set by the responder. */
  rcode = 0;
  /** A value of COOKIE. */
  cookie: number = COOKIE.NONE;
  /**
   * The hash of the name that the rate limit counts the response under: the queried name, or the
   * wildcard's parent, the delegation, the owner of the DNAME, or for NXDOMAIN the apex. So random
   * names from a client share one count. Set by the responder; 0: none.
   */
  account = 0;
  /** Length of the apex of the zone that answers; set by the responder. 0: none does. */
  zoneLength = 0;
  /** The last record is a TSIG (RFC 8945). */
  isSigned = false;
  /** A secondary wants to know when its copy expires (RFC 7314). */
  #wantsExpire = false;
  #version = 0;
  #isMalformed = false;
  #transport = 0;
  readonly #usesCookies: boolean;

  /** Without `usesCookies`, COOKIE is treated as an unknown option. */
  constructor(usesCookies: boolean) {
    this.#usesCookies = usesCookies;
  }

  /**
   * Parses the packet at bytes[start, start + length), received over `transport` (of TRANSPORT).
   * Returns SILENCE, LOOK_UP, DEFER, NOTIFY, CHAOS, COOKIE_ONLY, or a response code if no lookup is
   * needed. Writes the offsets of the name's labels to `starts`.
   */
  parse(bytes: Uint8Array, start: number, length: number, starts: Int32Array, transport: number): number {
    this.start = start;
    this.questionEnd = 0;
    this.hasOpt = false;
    this.dnssecOk = false;
    this.cookie = COOKIE.NONE;
    this.account = 0;
    this.zoneLength = 0;
    this.requestedOptions = 0;
    this.isSigned = false;
    this.#wantsExpire = false;
    this.isSteered = false;
    this.#transport = transport;
    if (length < HEADER_LENGTH || (bytes[start + 2] & QR) !== 0) return SILENCE;
    const end = start + length;
    if ((bytes[start + 2] & 0x78) !== 0) return this.#parseOther(bytes, end, starts);
    if (bytes[start + 4] !== 0 || bytes[start + 5] !== 1) return this.#parseWithoutQuestion(bytes, end);
    if (!this.#readQuestion(bytes, end, starts)) return RCODE.FORMERR;
    // Most queries have no further records.
    const others = bytes[start + 6] | bytes[start + 7] | bytes[start + 8] | bytes[start + 9];
    if ((others | bytes[start + 10] | bytes[start + 11]) === 0) {
      if (this.questionEnd !== end) return RCODE.FORMERR;
      return this.#decide();
    }
    // Only IXFR has a record before the additional section: one in authority (RFC 1995 section 3).
    if (((bytes[start + 6] | bytes[start + 7]) !== 0 || this.type !== TYPE.IXFR) && others !== 0) return RCODE.FORMERR;
    if (!this.#parseRest(bytes, this.questionEnd, end)) return RCODE.FORMERR;
    // The response to a signed message must be signed, too (RFC 8945 section 5.3).
    if (this.isSigned) return DEFER;
    if (this.hasOpt && this.#version > 0) return RCODE.BADVERS;
    if (this.#wantsExpire && this.type === TYPE.SOA && this.class === CLASS_IN) return DEFER;
    return this.#decide();
  }

  /** Decides by class and type. Meta types and other classes are not served. */
  #decide(): number {
    const { type } = this;
    if (type === TYPE.OPT) return RCODE.FORMERR;
    if (this.class !== CLASS_IN) return this.class === CLASS_CHAOS ? CHAOS : RCODE.REFUSED;
    if (type < 128 || type === TYPE.ANY || type > 255) return LOOK_UP;
    return type === TYPE.AXFR || type === TYPE.IXFR ? DEFER : RCODE.NOTIMP;
  }

  /** Reads the question. False: it is malformed. */
  #readQuestion(bytes: Uint8Array, end: number, starts: Int32Array): boolean {
    const from = this.start + HEADER_LENGTH;
    let p = from;
    let labels = 0;
    // The first name cannot contain a pointer, so a length above 63 is malformed.
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

  /**
   * Parses messages with opcodes other than QUERY. The format of unknown opcodes is unknown, so
   * their question is not echoed.
   */
  #parseOther(bytes: Uint8Array, end: number, starts: Int32Array): number {
    const s = this.start;
    const opcode = opcodeOf(bytes, s);
    this.type = 0;
    if (opcode !== OPCODE.NOTIFY && opcode !== OPCODE.UPDATE) return RCODE.NOTIMP;
    // Both have one question, which UPDATE calls the zone (RFC 1996 section 3.5, RFC 2136 section
    // 3.1.1).
    const zones = (bytes[s + 4] << 8) | bytes[s + 5];
    const hasZone = zones === 1 && this.#readQuestion(bytes, end, starts);
    const rest = hasZone ? this.questionEnd : skipQuestions(bytes, s + HEADER_LENGTH, end, zones);
    const isWhole = rest !== 0 && this.#parseRest(bytes, rest, end);
    if (opcode === OPCODE.NOTIFY) return isWhole && hasZone ? NOTIFY : RCODE.NOTAUTH;
    // The signature is checked before the signed content (RFC 8945 section 5.2).
    if (isWhole && this.isSigned) return DEFER;
    // An unsigned update is never allowed, so the receiving thread refuses it. Then a flood with
    // forged senders costs the journal's thread nothing and takes no capacity from signed updates,
    // and its responses are rate limited.
    return isWhole && hasZone ? RCODE.REFUSED : RCODE.FORMERR;
  }

  /**
   * Parses the records after the question, including OPT and TSIG in the additional section. False:
   * they are malformed.
   */
  #parseRest(bytes: Uint8Array, from: number, end: number): boolean {
    const s = this.start;
    const before = ((bytes[s + 6] << 8) | bytes[s + 7]) + ((bytes[s + 8] << 8) | bytes[s + 9]);
    const total = before + ((bytes[s + 10] << 8) | bytes[s + 11]);
    this.isSigned = false;
    this.#isMalformed = false;
    let p = from;
    for (let i = 0; i < total; i++) {
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
        if (this.#isMalformed) {
          this.requestedOptions = 0;
          return false;
        }
      }
      if (type === TYPE.TSIG && i >= before) {
        // TSIG must be the last record, and the only TSIG (RFC 8945 section 5.1).
        if (i !== total - 1) return false;
        this.isSigned = true;
      }
      p = next;
    }
    return p === end;
  }

  /**
   * Parses a message without exactly one question. Without a question, only a cookie is valid (RFC
   * 7873 section 5.4); its response has no question either. Two questions: RFC 9619.
   */
  #parseWithoutQuestion(bytes: Uint8Array, end: number): number {
    const s = this.start;
    this.type = 0;
    if ((bytes[s + 4] | bytes[s + 5] | bytes[s + 6] | bytes[s + 7] | bytes[s + 8] | bytes[s + 9]) !== 0)
      return RCODE.FORMERR;
    if (!this.#parseRest(bytes, s + HEADER_LENGTH, end) || this.isSigned) return RCODE.FORMERR;
    if (this.hasOpt && this.#version > 0) return RCODE.BADVERS;
    return (this.requestedOptions & REQUESTED.COOKIE) !== 0 ? COOKIE_ONLY : RCODE.FORMERR;
  }

  /**
   * Reads the options { code u16, length u16, data } in the rdata of an OPT. False: they do not
   * fill it exactly (RFC 6891 section 6.1.2). Sets `isMalformed` if an option has an invalid
   * length. Options of later EDNS versions have an unknown meaning, and are skipped.
   */
  #readOptions(bytes: Uint8Array, from: number, end: number): boolean {
    let p = from;
    while (p < end) {
      const data = p + OPTION_HEADER;
      if (data > end) return false;
      const code = (bytes[p] << 8) | bytes[p + 1];
      p = data + ((bytes[p + 2] << 8) | bytes[p + 3]);
      if (code > EDNS_OPTION.PADDING || p > end || this.#version !== 0) continue;
      if (code === EDNS_OPTION.CLIENT_SUBNET) this.#readSubnet(bytes, data, p - data);
      else this.#readOption(code, data, p - data);
    }
    return p === end;
  }

  /** The first one counts. One that no client may send is FORMERR (RFC 7871 section 6). */
  #readSubnet(bytes: Uint8Array, at: number, length: number): void {
    if ((this.requestedOptions & REQUESTED.SUBNET) !== 0) return;
    this.requestedOptions |= REQUESTED.SUBNET;
    this.subnetAt = at;
    this.subnetLength = length;
    if (!isSubnet(bytes, at, length)) this.#isMalformed = true;
  }

  #readOption(code: number, at: number, length: number): void {
    if (code === EDNS_OPTION.COOKIE) {
      // The first COOKIE counts (RFC 7873 section 5.2).
      if (!this.#usesCookies || (this.requestedOptions & REQUESTED.COOKIE) !== 0) return;
      this.requestedOptions |= REQUESTED.COOKIE;
      this.cookieAt = at;
      this.cookieLength = length;
      if (length !== CLIENT_COOKIE && !isWholeCookie(length)) this.#isMalformed = true;
    } else if (code === EDNS_OPTION.NSID) this.requestedOptions |= REQUESTED.NSID;
    // Secondaries do not use HTTPS, which has no deferred answers.
    else if (code === EDNS_OPTION.EXPIRE) this.#wantsExpire = this.#transport !== TRANSPORT.HTTPS;
    else if (code === EDNS_OPTION.TCP_KEEPALIVE) {
      // Over UDP this option is ignored (RFC 7828 section 3.2.1).
      if (!isStream(this.#transport)) return;
      this.requestedOptions |= REQUESTED.KEEPALIVE;
      if (length !== 0 && length !== 2) this.#isMalformed = true;
    } else if (code === EDNS_OPTION.PADDING && isEncrypted(this.#transport)) this.requestedOptions |= REQUESTED.PADDING;
  }
}

/**
 * Whether the data is a client subnet of a query: the scope is 0, and the address has exactly the
 * bytes of the source prefix, without further bits (RFC 7871 section 6). Family 0 has no address.
 */
function isSubnet(bytes: Uint8Array, at: number, length: number): boolean {
  if (length < SUBNET_HEADER || bytes[at + 3] !== 0) return false;
  const family = (bytes[at] << 8) | bytes[at + 1];
  const source = bytes[at + 2];
  const most = family === SUBNET_FAMILY.IPV4 ? 32 : family === SUBNET_FAMILY.IPV6 ? 128 : family === 0 ? 0 : -1;
  if (source > most || length !== SUBNET_HEADER + ((source + 7) >>> 3)) return false;
  return (source & 7) === 0 || (bytes[at + length - 1] & (0xff >>> (source & 7))) === 0;
}

const isWholeCookie = (length: number): boolean =>
  length >= CLIENT_COOKIE + MIN_SERVER_COOKIE && length <= CLIENT_COOKIE + MAX_SERVER_COOKIE;

/** Returns the offset after `count` questions; 0: the packet is too short. */
function skipQuestions(bytes: Uint8Array, from: number, end: number, count: number): number {
  let p = from;
  for (let i = 0; i < count; i++) {
    p = skipName(bytes, p, end);
    if (p === 0 || p + 4 > end) return 0;
    p += 4;
  }
  return p;
}
