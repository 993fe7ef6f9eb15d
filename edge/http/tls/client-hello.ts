/**
 * Parses the server name and the HTTP version of a ClientHello (RFC 8446 section 4.1.2, RFC 5246
 * section 7.4.1.2), which stays in the socket. A ClientHello that is unusual or spans several
 * records is not parsed. The fallback server handles it and sends the right alert.
 */

/** A record (RFC 8446 section 5.1) with its header: the maximum size of a parsed ClientHello. */
export const MAX_HELLO = 5 + 16_384;

export const HELLO = {
  /** More bytes are needed. */
  INCOMPLETE: 0,
  /** Not a ClientHello, or one of an unusual form. */
  UNUSUAL: 1,
  WHOLE: 2,
} as const;
type HelloOutcome = (typeof HELLO)[keyof typeof HELLO];

const RECORD_HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const MAX_SESSION_ID = 32;
const EXTENSION_SERVER_NAME = 0;
const EXTENSION_ALPN = 16;
const HOST_NAME = 0;
const MAX_NAME = 255;

/** Protocol names with their length byte, as in the extension. */
const HTTP2 = Buffer.from('\x02h2', 'latin1');
const HTTP1 = Buffer.from('\x08http/1.1', 'latin1');

function matchesAt(bytes: Buffer, at: number, expected: Buffer): boolean {
  for (let i = 0; i < expected.length; i++) if (bytes[at + i] !== expected[i]) return false;
  return true;
}

/** Parser of a thread. Its properties are those of the last message. */
export class ClientHello {
  /** In lower case; empty: the client sent none. */
  serverName = '';
  offersHttp2 = false;
  #offersHttp1 = false;
  #hasAlpn = false;

  /** The client's ALPN list, if there is one, has a supported version of HTTP. */
  get isOurs(): boolean {
    return this.offersHttp2 || this.#offersHttp1 || !this.#hasAlpn;
  }

  /** Reads bytes[0 … length). */
  read(bytes: Buffer, length: number): HelloOutcome {
    this.serverName = '';
    this.offersHttp2 = false;
    this.#offersHttp1 = false;
    this.#hasAlpn = false;
    if (length > 0 && bytes[0] !== RECORD_HANDSHAKE) return HELLO.UNUSUAL;
    if (length > 1 && bytes[1] !== 3) return HELLO.UNUSUAL;
    if (length > 5 && bytes[5] !== CLIENT_HELLO) return HELLO.UNUSUAL;
    if (length < 9) return HELLO.INCOMPLETE;
    const record = bytes.readUInt16BE(3);
    const message = bytes.readUIntBE(6, 3);
    // It spans several records, or another message follows it in the record.
    if (5 + record > MAX_HELLO || message + 4 !== record) return HELLO.UNUSUAL;
    const end = 5 + record;
    if (length < end) return HELLO.INCOMPLETE;
    return this.#readBody(bytes, 9, end) ? HELLO.WHOLE : HELLO.UNUSUAL;
  }

  #readBody(bytes: Buffer, start: number, end: number): boolean {
    let at = start + 2 + 32;
    if (at >= end || bytes[at] > MAX_SESSION_ID) return false;
    at += 1 + bytes[at];
    if (at + 2 > end) return false;
    const suites = bytes.readUInt16BE(at);
    if (suites < 2 || suites % 2 !== 0) return false;
    at += 2 + suites;
    if (at >= end || bytes[at] === 0) return false;
    at += 1 + bytes[at];
    return at + 2 <= end && at + 2 + bytes.readUInt16BE(at) === end && this.#readExtensions(bytes, at + 2, end);
  }

  #readExtensions(bytes: Buffer, start: number, end: number): boolean {
    let hasName = false;
    for (let at = start; at < end; ) {
      if (at + 4 > end) return false;
      const type = bytes.readUInt16BE(at);
      const from = at + 4;
      at = from + bytes.readUInt16BE(at + 2);
      if (at > end) return false;
      if (type === EXTENSION_SERVER_NAME) {
        if (hasName || !this.#readServerName(bytes, from, at)) return false;
        hasName = true;
      } else if (type === EXTENSION_ALPN) {
        if (this.#hasAlpn || !this.#readProtocols(bytes, from, at)) return false;
        this.#hasAlpn = true;
      }
    }
    return true;
  }

  /** RFC 6066 section 3: a list, which contains one name in practice. */
  #readServerName(bytes: Buffer, from: number, to: number): boolean {
    if (to - from < 6 || bytes.readUInt16BE(from) !== to - from - 2 || bytes[from + 2] !== HOST_NAME) return false;
    const length = bytes.readUInt16BE(from + 3);
    if (length !== to - from - 5 || length > MAX_NAME) return false;
    for (let at = from + 5; at < to; at++) if (bytes[at] <= 0x20 || bytes[at] >= 0x7f) return false;
    this.serverName = bytes.toString('latin1', from + 5, to).toLowerCase();
    return true;
  }

  /** RFC 7301 section 3.1. */
  #readProtocols(bytes: Buffer, from: number, to: number): boolean {
    if (to - from < 4 || bytes.readUInt16BE(from) !== to - from - 2) return false;
    let at = from + 2;
    while (at < to) {
      const length = bytes[at];
      if (length === 0 || at + 1 + length > to) return false;
      if (matchesAt(bytes, at, HTTP2)) this.offersHttp2 = true;
      else if (matchesAt(bytes, at, HTTP1)) this.#offersHttp1 = true;
      at += 1 + length;
    }
    return true;
  }
}
