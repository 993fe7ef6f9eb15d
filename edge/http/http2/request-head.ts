/**
 * The fields of a request while its block is decoded, held to RFC 9113 sections 8.2 and 8.3. One
 * for a session, used again for each block; the list of fields alone is the request's own.
 */
import { isPath, knownAuthority } from '../exchange/authority.ts';
import { joinedCookie, KIND, KIND_MASK, MALFORMED, PSEUDO_HEADER } from '../exchange/fields.ts';
import { carriedScheme, isKnownMethod } from '../exchange/target.ts';
import type { HeaderSink } from './hpack/decoder.ts';

/** What a list of fields turned out to be. */
export const VERDICT = {
  wellFormed: 0,
  /** RFC 9113 section 8.1.1: an error of the stream. */
  malformed: 1,
  /** Well-formed, but neither `:authority` nor `host` say for whom (RFC 9110 section 7.2): 400. */
  withoutAuthority: 2,
  /**
   * Well-formed, but with two lines of a field that has one value (RFC 9110 sections 8.3 and
   * 11.6.2): 400.
   */
  ambiguous: 3,
  /** RFC 9110 section 9.1: 501. */
  unknownMethod: 4,
  /**
   * RFC 9113 section 8.3.1 lets a client ask a gateway for other schemes; RFC 9110 section 7.4:
   * 421.
   */
  otherScheme: 5,
} as const;

export type Verdict = (typeof VERDICT)[keyof typeof VERDICT];

const SPECIAL = MALFORMED | PSEUDO_HEADER | KIND_MASK;

/** Lengths beyond are no length of anything: 2^53. */
const LENGTH_DIGITS = 15;

export class RequestHead implements HeaderSink {
  method = '';
  scheme = '';
  /** Of a request that is well-formed. */
  targetScheme: 'http' | 'https' = 'https';
  authority = '';
  path = '';
  protocol = '';
  headers: string[] = [];
  /** Bytes of the body that `content-length` announces; -1: it does not say. */
  contentLength = -1;
  expectsContinue = false;
  /** The value of `priority` (RFC 9218); empty without one. */
  priority = '';
  #host = '';
  #seen = 0;
  #cookieAt = -1;
  #isMalformed = false;
  #isAmbiguous = false;
  #isTrailers = false;
  #hasRegular = false;

  /** Before each block. `isTrailers`: no pseudo-header may come. */
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
    this.#seen = 0;
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
    else if ((flags & PSEUDO_HEADER) !== 0) this.#pseudo(flags & KIND_MASK, value);
    else {
      this.#hasRegular = true;
      this.#known(flags & KIND_MASK, name, value);
    }
  }

  #pseudo(kind: number, value: string): void {
    // Each once, before all other fields (section 8.3), and none in trailers (section 8.1).
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
        this.#isMalformed = true; // that of a response, or one that nobody knows
    }
  }

  #known(kind: number, name: string, value: string): void {
    switch (kind) {
      case KIND.host:
        if (!this.#isFirst(kind)) this.#isMalformed = true;
        this.#host = value;
        return;
      case KIND['content-length']:
        this.#length(name, value);
        return;
      case KIND.cookie:
        this.#cookie(name, value);
        return;
      case KIND.expect:
        // The body's first reader answers it: edge/http/exchange/exchange.ts.
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
    const isFirst = (this.#seen & bit) === 0;
    this.#seen |= bit;
    return isFirst;
  }

  #length(name: string, value: string): void {
    const length = value.length > LENGTH_DIGITS ? -1 : Number(value);
    if (length < 0 || (this.contentLength >= 0 && this.contentLength !== length)) this.#isMalformed = true;
    else if (this.contentLength < 0) this.headers.push(name, value);
    this.contentLength = length;
  }

  /** Joins the crumbs of a cookie into one field again. */
  #cookie(name: string, value: string): void {
    if (this.#cookieAt < 0) {
      this.#cookieAt = this.headers.length + 1;
      this.headers.push(name, value);
    } else this.headers[this.#cookieAt] = joinedCookie(this.headers[this.#cookieAt], value);
  }

  /** Of trailers. */
  get isMalformed(): boolean {
    return this.#isMalformed;
  }

  /** After the block of a request: checks it as a whole, and brings the authority into its form. */
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
    return verdict === VERDICT.wellFormed ? this.#judge(isTunnel, isEncrypted) : verdict;
  }

  /** What is well-formed may still be nothing that is served here. */
  #judge(isTunnel: boolean, isEncrypted: boolean): Verdict {
    if (this.method !== 'GET' && this.method !== 'CONNECT' && !isKnownMethod(this.method)) return VERDICT.unknownMethod;
    const scheme = isTunnel ? (isEncrypted ? 'https' : 'http') : carriedScheme(this.scheme, isEncrypted);
    if (scheme === '') return VERDICT.otherScheme;
    this.targetScheme = scheme;
    return this.#isAmbiguous ? VERDICT.ambiguous : VERDICT.wellFormed;
  }

  /** Sections 8.3.1 and 8.2.2: `host` may say the same as `:authority`, or stand for it. */
  #joinAuthority(): Verdict {
    const hasAuthority = (this.#seen & (1 << (KIND[':authority'] >>> 8))) !== 0;
    const hasHost = (this.#seen & (1 << (KIND.host >>> 8))) !== 0;
    if (!hasAuthority && !hasHost) return this.protocol === '' ? VERDICT.withoutAuthority : VERDICT.malformed;
    const authority = knownAuthority(hasAuthority ? this.authority : this.#host);
    if (authority === '') return VERDICT.malformed;
    if (hasAuthority && hasHost && knownAuthority(this.#host) !== authority) return VERDICT.malformed;
    this.authority = authority;
    return VERDICT.wellFormed;
  }
}
