/**
 * Collects the fields of a request and derives its framing, target and options (RFC 9112 sections 3
 * and 6, RFC 9110 section 7). A connection reuses its instance for each request. Only the field
 * list belongs to the request.
 */
import { carriedScheme, isPath, knownAuthority } from '../exchange/authority.ts';
import type { FieldList } from '../exchange/field-list.ts';
import { isToken, joinedCookie } from '../exchange/fields.ts';
import { MALFORMED_REQUEST, type Refusal, refusal } from './counters.ts';
import { type FieldLine, LINE } from './field-lines.ts';
import type { RequestLine } from './request-line.ts';

const TOO_LARGE = refusal(413, 'body_too_large');
const OTHER_CODING = refusal(501, 'transfer_coding');
const NO_AUTHORITY = refusal(400, 'authority');
const NO_TARGET = refusal(400, 'target');
const OTHER_SCHEME = refusal(421, 'target');
const OTHER_EXPECTATION = refusal(417, 'expectation');

/** Bytes of the body of a request for an upgrade. */
const MAX_UPGRADE_BODY = 65_536;
/** Methods of requests for other protocols than WebSocket. */
const UPGRADING: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
/** A name and a version (RFC 9110 section 7.8). */
const PROTOCOL = /^([a-z0-9!#$%&'*+.^_`|~-]{1,32})(?:\/[a-z0-9!#$%&'*+.^_`|~-]{1,32})?$/i;
/**
 * Never passed on. Within a tunnel of HTTP a visitor's requests would go past the rules (`h2c`
 * smuggling), and `h2c` is obsolete (RFC 9113 section 3.1). TLS belongs to the connection.
 */
const REFUSED: ReadonlySet<string> = new Set(['h2', 'h2c', 'h3', 'http', 'https', 'tls', 'websocket']);

/** A larger Content-Length is malformed. */
const MAX_LENGTH = String(2n ** 64n - 1n);

export class RequestHead {
  method = '';
  version: '1.0' | '1.1' = '1.1';
  authority = '';
  /** The scheme of the target. It may be `https` without TLS if the client wrote it so. */
  targetScheme: 'http' | 'https' = 'http';
  path = '';
  headers: FieldList = [];
  /** Bytes of the body; undefined: chunked. */
  length: number | undefined = 0;
  /** The client accepts trailers: `TE: trailers` (RFC 9110 section 10.1.4). */
  takesTrailers = false;
  expectsContinue = false;
  /** The connection ends after the response (RFC 9112 section 9.3). */
  isLast = false;
  /** Of an upgrade, as the client has written it; `websocket` in lower case. Empty: none. */
  protocol = '';
  /** Set if the framing is valid but the request is rejected. */
  refusal: Refusal | null = null;
  #target = '';
  #lines: string[] = [];
  #host: string | undefined;
  #hasHosts = false;
  #connection = '';
  #coding: string | undefined;
  #contentLength: string | undefined;
  #te = '';
  #expect = '';
  #upgrade = '';
  /** Index of the cookie value in `#lines`; -1: no cookie. */
  #cookieIndex = -1;
  #hasAuthorization = false;
  #hasContentType = false;

  begin({ method, version, target }: RequestLine): void {
    this.method = method;
    this.version = version;
    this.#target = target;
    this.#lines = [];
    this.#host = undefined;
    this.#hasHosts = false;
    this.#connection = '';
    this.#coding = undefined;
    this.#contentLength = undefined;
    this.#te = '';
    this.#expect = '';
    this.#upgrade = '';
    this.#cookieIndex = -1;
    this.#hasAuthorization = false;
    this.#hasContentType = false;
  }

  /** Returns a refusal if the framing is unknown from here on, else null. */
  add({ kind, name, value }: FieldLine): Refusal | null {
    switch (kind) {
      case LINE.other:
        this.#lines.push(name, value);
        break;
      case LINE.host:
        if (this.#host !== undefined) this.#hasHosts = true;
        this.#host = value;
        break;
      case LINE.connection:
        this.#connection = joined(this.#connection, value);
        break;
      case LINE.transferEncoding:
        this.#coding = this.#coding === undefined ? value : `${this.#coding},${value}`;
        break;
      case LINE.contentLength:
        // RFC 9112 section 6.3. Even a repeated equal length is rejected: another recipient may
        // have framed the message differently.
        if (this.#contentLength !== undefined || !isLength(value)) return MALFORMED_REQUEST;
        this.#contentLength = value;
        this.#lines.push(name, value);
        break;
      case LINE.te:
        this.#te = joined(this.#te, value);
        break;
      case LINE.expect:
        this.#expect = joined(this.#expect, value);
        break;
      case LINE.upgrade:
        this.#upgrade = joined(this.#upgrade, value);
        break;
      case LINE.cookie:
        this.#addCookie(name, value);
        break;
      // RFC 9110 sections 8.3 and 11.6.2 allow one value each. With two, the edge and the origin
      // might use different ones.
      case LINE.authorization:
        if (this.#hasAuthorization) return MALFORMED_REQUEST;
        this.#hasAuthorization = true;
        this.#lines.push(name, value);
        break;
      case LINE.contentType:
        if (this.#hasContentType) return MALFORMED_REQUEST;
        this.#hasContentType = true;
        this.#lines.push(name, value);
        break;
      case LINE.doubtful:
        return MALFORMED_REQUEST;
    }
    return null;
  }

  #addCookie(name: string, value: string): void {
    const lines = this.#lines;
    if (this.#cookieIndex < 0) {
      this.#cookieIndex = lines.length + 1;
      lines.push(name, value);
    } else lines[this.#cookieIndex] = joinedCookie(lines[this.#cookieIndex], value);
  }

  /**
   * To be called after the last line. Returns a refusal if the framing is invalid, else null.
   * `refusal` may still be set then.
   */
  finish(isEncrypted: boolean): Refusal | null {
    this.isLast = this.version === '1.0';
    this.protocol = '';
    this.headers = this.#lines;
    const failure = this.#framing();
    if (failure !== null) return failure;
    if (this.#connection !== '' && !isKeepAlive(this.#connection)) this.#applyConnection(this.#connection);
    else if (this.#connection !== '') this.isLast = false;
    this.refusal = this.#resource(isEncrypted) ?? this.#expectation();
    this.takesTrailers = this.#te !== '' && hasMember(this.#te, 'trailers');
    if (this.takesTrailers) this.headers = [...this.headers, 'te', 'trailers'];
    return null;
  }

  /** RFC 9112 sections 6.1 to 6.3. */
  #framing(): Refusal | null {
    if (this.#coding === undefined) {
      this.length = this.#contentLength === undefined ? 0 : Number(this.#contentLength);
      return Number.isSafeInteger(this.length) ? null : TOO_LARGE;
    }
    this.length = undefined;
    // HTTP/1.0 has no chunked coding: section 6.1 treats the framing as faulty. A length together
    // with a coding: section 6.3.
    if (this.#contentLength !== undefined || this.version === '1.0') return MALFORMED_REQUEST;
    return this.#coding.toLowerCase() === 'chunked' ? null : otherCoding(this.#coding);
  }

  /** RFC 9110 section 7.6.1, RFC 9112 section 9.3. */
  #applyConnection(connection: string): void {
    const options = connection
      .toLowerCase()
      .split(',')
      .map((text) => text.trim());
    this.isLast = options.includes('close') || (this.version === '1.0' && !options.includes('keep-alive'));
    if (options.includes('upgrade') && this.#upgrade !== '') this.#applyUpgrade();
    // Removes the fields that Connection names. The length stays, since it frames the body.
    const names = options.filter((option) => !UNAFFECTED.has(option));
    if (names.length === 0) return;
    const named = new Set(names);
    this.headers = this.#lines.filter((_, i) => !named.has(this.#lines[i & ~1]));
  }

  /**
   * RFC 6455 section 4.1: WebSocket is a GET without a body. A request for another protocol may
   * have a short body of a known length, such as that of `docker exec`. Other upgrades are ignored,
   * as RFC 9110 section 7.8 allows. A client that requests an upgrade may already send another
   * protocol, so this is the last request.
   */
  #applyUpgrade(): void {
    this.isLast = true;
    if (this.version !== '1.1') return;
    if (this.method === 'GET' && this.length === 0 && hasMember(this.#upgrade, 'websocket'))
      this.protocol = 'websocket';
    else if (this.length !== undefined && this.length <= MAX_UPGRADE_BODY && UPGRADING.has(this.method))
      this.protocol = otherProtocol(this.#upgrade);
  }

  #resource(isEncrypted: boolean): Refusal | null {
    const target = this.#target;
    const host = this.#host;
    if (this.#hasHosts || (host === undefined && this.version === '1.1')) return NO_AUTHORITY;
    this.path = target;
    this.targetScheme = isEncrypted ? 'https' : 'http';
    let authority = host ?? '';
    if (target.charCodeAt(0) !== 0x2f && target !== '*') {
      const parts = absoluteForm(target, this.method);
      if (parts === null) return target.includes('://') ? NO_TARGET : MALFORMED_REQUEST;
      const scheme = carriedScheme(parts.scheme, isEncrypted);
      if (scheme === '') return OTHER_SCHEME;
      this.targetScheme = scheme;
      if (host !== undefined && knownAuthority(host) === '') return NO_AUTHORITY;
      this.path = parts.path;
      authority = parts.authority;
    }
    this.authority = knownAuthority(authority);
    if (this.authority === '') return NO_AUTHORITY;
    return isPath(this.path, this.method) ? null : NO_TARGET;
  }

  /** RFC 9110 section 10.1.1. */
  #expectation(): Refusal | null {
    this.expectsContinue = false;
    if (this.#expect === '' || this.version === '1.0') return null;
    if (this.#expect.toLowerCase() !== '100-continue') return OTHER_EXPECTATION;
    this.expectsContinue = this.length !== 0;
    return null;
  }
}

/** The only protocol of an Upgrade field, if it may be passed on; else empty. */
function otherProtocol(upgrade: string): string {
  const found = PROTOCOL.exec(upgrade);
  if (found === null) return '';
  const name = found[1].toLowerCase();
  return REFUSED.has(name) || name.startsWith('h2c') ? '' : upgrade;
}

/** Joins the lines of a list (RFC 9110 section 5.3). An empty line adds nothing. */
function joined(list: string, value: string): string {
  if (value === '') return list;
  return list === '' ? value : `${list},${value}`;
}

/**
 * Whether a Content-Length is valid (RFC 9110 section 8.6). Leading zeros are allowed. Each
 * expression matches in linear time. `0*\d+` would backtrack over the zeros.
 */
function isLength(value: string): boolean {
  if (!/^\d+$/.test(value)) return false;
  const digits = value.length > MAX_LENGTH.length ? value.replace(/^0+/, '') : value;
  return digits.length < MAX_LENGTH.length || (digits.length === MAX_LENGTH.length && digits <= MAX_LENGTH);
}

/** The most common values, handled without parsing. */
const isKeepAlive = (connection: string): boolean => connection === 'keep-alive' || connection === 'Keep-Alive';

/** Whether a list (RFC 9110 section 5.6.1) has that member. Case-insensitive. */
const hasMember = (list: string, member: string): boolean =>
  list.split(',').some((text) => text.trim().toLowerCase() === member);

/**
 * Connection options that remove no field. `te` is handled separately, and `content-length` must
 * stay.
 */
const UNAFFECTED: ReadonlySet<string> = new Set(['', 'close', 'keep-alive', 'upgrade', 'te', 'content-length']);

/**
 * RFC 9112 section 6.3: only a final chunked coding delimits the body. Other codings before it are
 * not supported.
 */
function otherCoding(coding: string): Refusal {
  const names = coding.split(',').map((text) => text.trim().toLowerCase());
  const isWhole = names.pop() === 'chunked' && names.every((text) => isToken(text) && text !== 'chunked');
  return isWhole ? OTHER_CODING : MALFORMED_REQUEST;
}

/**
 * RFC 9112 section 3.2.2: the authority of an absolute form takes precedence over Host. Null: not
 * an absolute form.
 */
function absoluteForm(url: string, method: string): { scheme: string; authority: string; path: string } | null {
  const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/i.exec(url);
  if (parts === null) return null;
  const [, scheme, authority, rest] = parts;
  if (rest === '') return { scheme, authority, path: method === 'OPTIONS' ? '*' : '/' };
  return { scheme, authority, path: rest.charCodeAt(0) === 0x2f ? rest : `/${rest}` };
}
