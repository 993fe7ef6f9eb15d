/**
 * Collects and validates the fields of a request while its block is decoded (RFC 9113 sections 8.2
 * and 8.3). A session reuses one object for all blocks. Only `headers` is a new list each time.
 */
import { carriedScheme, isKnownMethod, isPath, knownAuthority } from '../exchange/authority.ts';
import { joinedCookie, KIND, KIND_MASK, MALFORMED, PSEUDO_HEADER } from '../exchange/fields.ts';
import type { HeaderSink } from './hpack/decoder.ts';

/** Result of validating a list of fields. */
export const VERDICT = {
  wellFormed: 0,
  /** RFC 9113 section 8.1.1: an error of the stream. */
  malformed: 1,
  /** Well-formed, but without `:authority` and `host` (RFC 9110 section 7.2): 400. */
  withoutAuthority: 2,
  /**
   * Well-formed, but with several lines of a single-value field (RFC 9110 sections 8.3 and 11.6.2):
   * 400.
   */
  ambiguous: 3,
  /** RFC 9110 section 9.1: 501. */
  unknownMethod: 4,
  /**
   * RFC 9113 section 8.3.1 allows other schemes in requests to gateways; RFC 9110 section 7.4: 421.
   */
  otherScheme: 5,
} as const;

export type Verdict = (typeof VERDICT)[keyof typeof VERDICT];

const SPECIAL = MALFORMED | PSEUDO_HEADER | KIND_MASK;

/** Maximum digits of a content-length. 15 digits stay below 2^53. */
const LENGTH_DIGITS = 15;

export class RequestHead implements HeaderSink {
  method = '';
  scheme = '';
  /** Valid if the request is well-formed. */
  targetScheme: 'http' | 'https' = 'https';
  authority = '';
  path = '';
  protocol = '';
  headers: string[] = [];
  /** Value of `content-length`; -1: none. */
  contentLength = -1;
  expectsContinue = false;
  /** The value of `priority` (RFC 9218); empty without one. */
  priority = '';
  #host = '';
  #seenKinds = 0;
  #cookieAt = -1;
  #isMalformed = false;
  #isAmbiguous = false;
  #isTrailers = false;
  #hasRegular = false;

  /** To be called before each block. `isTrailers`: pseudo-headers are not allowed. */
  reset(isTrailers: boolean): void {
    this.method = '';
    this.scheme = '';
    this.authority = '';
    this.path = '';
    this.protocol = '';
    this.headers = [];
    this.contentLength = -1;
    this.expectsContinue = false;
    this.priority = '';
    this.#host = '';
    this.#seenKinds = 0;
    this.#cookieAt = -1;
    this.#isMalformed = false;
    this.#isAmbiguous = false;
    this.#isTrailers = isTrailers;
    this.#hasRegular = false;
  }

  field(name: string, value: string, flags: number): void {
    if ((flags & SPECIAL) === 0) {
      this.#hasRegular = true;
      if (name === 'priority') this.priority = value;
      this.headers.push(name, value);
    } else if ((flags & MALFORMED) !== 0) this.#isMalformed = true;
    else if ((flags & PSEUDO_HEADER) !== 0) this.#pseudoHeader(flags & KIND_MASK, value);
    else {
      this.#hasRegular = true;
      this.#specialField(flags & KIND_MASK, name, value);
    }
  }

  #pseudoHeader(kind: number, value: string): void {
    // Each at most once, before all other fields (section 8.3), and not in trailers (section 8.1).
    if (!this.#isFirst(kind) || this.#hasRegular || this.#isTrailers) this.#isMalformed = true;
    switch (kind) {
      case KIND[':method']:
        this.method = value;
        return;
      case KIND[':scheme']:
        this.scheme = value;
        return;
      case KIND[':authority']:
        this.authority = value;
        return;
      case KIND[':path']:
        this.path = value;
        return;
      case KIND[':protocol']:
        this.protocol = value;
        return;
      default:
        this.#isMalformed = true; // `:status`, or an unknown pseudo-header
    }
  }

  #specialField(kind: number, name: string, value: string): void {
    switch (kind) {
      case KIND.host:
        if (!this.#isFirst(kind)) this.#isMalformed = true;
        this.#host = value;
        return;
      case KIND['content-length']:
        this.#contentLength(name, value);
        return;
      case KIND.cookie:
        this.#cookie(name, value);
        return;
      case KIND.expect:
        // 100 is sent when the body is first read: edge/http/exchange/exchange.ts.
        if (value.toLowerCase() === '100-continue') this.expectsContinue = true;
        else this.headers.push(name, value);
        return;
      case KIND.authorization:
      case KIND['content-type']:
        if (!this.#isFirst(kind)) this.#isAmbiguous = true;
        this.headers.push(name, value);
        return;
      default:
        this.headers.push(name, value);
    }
  }

  #isFirst(kind: number): boolean {
    const bit = 1 << (kind >>> 8);
    const isFirst = (this.#seenKinds & bit) === 0;
    this.#seenKinds |= bit;
    return isFirst;
  }

  #contentLength(name: string, value: string): void {
    const length = value.length > LENGTH_DIGITS ? -1 : Number(value);
    if (length < 0 || (this.contentLength >= 0 && this.contentLength !== length)) this.#isMalformed = true;
    else if (this.contentLength < 0) this.headers.push(name, value);
    this.contentLength = length;
  }

  /** Joins the lines of a split cookie into one field (section 8.2.3). */
  #cookie(name: string, value: string): void {
    if (this.#cookieAt < 0) {
      this.#cookieAt = this.headers.length + 1;
      this.headers.push(name, value);
    } else this.headers[this.#cookieAt] = joinedCookie(this.headers[this.#cookieAt], value);
  }

  /** For trailers, for which `finish` is not called. */
  get isMalformed(): boolean {
    return this.#isMalformed;
  }

  /** Validates the complete request after its block, and normalizes the authority. */
  finish(isEncrypted: boolean): Verdict {
    if (this.#isMalformed || this.method === '') return VERDICT.malformed;
    const isTunnel = this.method === 'CONNECT' && this.protocol === '';
    if (isTunnel) {
      // Section 8.5.
      if (this.scheme !== '' || this.path !== '' || this.authority === '') return VERDICT.malformed;
    } else {
      if (this.scheme === '' || this.path === '' || !isPath(this.path, this.method)) return VERDICT.malformed;
      // RFC 8441 section 4.
      if (this.protocol !== '' && this.method !== 'CONNECT') return VERDICT.malformed;
    }
    const verdict = this.#joinAuthority();
    return verdict === VERDICT.wellFormed ? this.#checkSupported(isTunnel, isEncrypted) : verdict;
  }

  /** A well-formed request may still be one that the server does not support. */
  #checkSupported(isTunnel: boolean, isEncrypted: boolean): Verdict {
    if (this.method !== 'GET' && this.method !== 'CONNECT' && !isKnownMethod(this.method)) return VERDICT.unknownMethod;
    const scheme = isTunnel ? (isEncrypted ? 'https' : 'http') : carriedScheme(this.scheme, isEncrypted);
    if (scheme === '') return VERDICT.otherScheme;
    this.targetScheme = scheme;
    return this.#isAmbiguous ? VERDICT.ambiguous : VERDICT.wellFormed;
  }

  /** `host` has to equal `:authority`, or replaces it (section 8.3.1). */
  #joinAuthority(): Verdict {
    const hasAuthority = (this.#seenKinds & (1 << (KIND[':authority'] >>> 8))) !== 0;
    const hasHost = (this.#seenKinds & (1 << (KIND.host >>> 8))) !== 0;
    if (!hasAuthority && !hasHost) return this.protocol === '' ? VERDICT.withoutAuthority : VERDICT.malformed;
    const authority = knownAuthority(hasAuthority ? this.authority : this.#host);
    if (authority === '') return VERDICT.malformed;
    if (hasAuthority && hasHost && knownAuthority(this.#host) !== authority) return VERDICT.malformed;
    this.authority = authority;
    return VERDICT.wellFormed;
  }
}
