/**
 * The head of a response of HTTP/1.1 (RFC 9112 sections 4, 5 and 6.3), read strictly: what two readers could take for two messages is malformed. One pass over
 * the text, a table look-up a character; no expression is matched and nothing is split.
 */
import type { FieldList } from '../exchange/exchange.ts';
import { NOT_IN_NAME, NOT_IN_VALUE, OCTET_CLASS } from '../exchange/fields.ts';
import { OriginError } from './origin.ts';

const CR = 0x0d;
const LF = 0x0a;
const COLON = 0x3a;
const SPACE = 0x20;
const TAB = 0x09;

export interface ResponseHead {
  readonly status: number;
  /** Without what concerns the connection only (RFC 9110 section 7.6.1), and with one content-length at most. */
  readonly headers: FieldList;
  /** What content-length says; -1 without one. */
  readonly length: number;
  readonly isChunked: boolean;
  /** The connection ends with this response (RFC 9112 section 9.3). */
  readonly isLast: boolean;
  /** Seconds of `Keep-Alive: timeout`; -1 when it is not said. */
  readonly keepAlive: number;
  /** Of Upgrade, if Connection names it; else empty. In lower case. */
  readonly upgrade: string;
}

export const malformed = (what: string): OriginError => new OriginError('malformed', what);

/** What the fields say of the message and its connection; joined by commas when they came more than once. */
class Framing {
  connection = '';
  coding = '';
  length = -1;
  keepAlive = -1;
  upgrade = '';

  /** False: the field is for the receiver of the message, too. */
  take(name: string, value: string): boolean {
    switch (name) {
      case 'connection':
        this.connection = joined(this.connection, value);
        return true;
      case 'transfer-encoding':
        // An empty one is a coding that nobody knows, too.
        this.coding = joined(this.coding, value === '' ? '?' : value);
        return true;
      case 'content-length':
        this.length = lengthOf(value, this.length);
        return true;
      case 'keep-alive':
        this.keepAlive = Number(/(?:^|[,; \t])timeout[ \t]*=[ \t]*"?(\d{1,9})/i.exec(value)?.[1] ?? -1);
        return true;
      case 'upgrade':
        this.upgrade = joined(this.upgrade, value);
        return true;
      case 'proxy-connection':
        return true;
      default:
        return false;
    }
  }
}

const joined = (before: string, value: string): string => (before === '' ? value : `${before},${value}`);

/** RFC 9112 section 6.3: a list of equal values is one; anything else is unrecoverable. */
function lengthOf(value: string, before: number): number {
  let length = before;
  // As a rule there is one, and nothing is split.
  for (const one of value.includes(',') ? value.split(',') : [value]) {
    const digits = trimmed(one, 0, one.length);
    if (!/^\d{1,16}$/.test(digits)) throw malformed('a content-length that is no number');
    const number = Number(digits);
    if (!Number.isSafeInteger(number)) throw malformed('a content-length beyond 2^53');
    if (length >= 0 && length !== number) throw malformed('two different content-lengths');
    length = number;
  }
  return length;
}

/** `text`: from the status line to the empty line, in Latin-1. Throws OriginError `malformed`. */
export function parseResponseHead(text: string): ResponseHead {
  const minor = text.startsWith('HTTP/1.1 ') ? 1 : text.startsWith('HTTP/1.0 ') ? 0 : -1;
  if (minor < 0) throw malformed('a status line that is not of HTTP/1.1 or 1.0');
  const status = statusAt(text, 9);
  const headers: string[] = [];
  const framing = new Framing();
  readFields(text, reasonEnd(text, 12), headers, framing);
  if (framing.length >= 0) headers.push('content-length', `${framing.length}`);

  const isChunked = framing.coding !== '';
  if (isChunked) checkCoding(framing, minor);
  const { connection } = framing;
  const isClosed = connection !== '' && hasMember(connection, 'close');
  return {
    status,
    headers: connection === '' ? headers : withoutNominated(headers, connection),
    length: framing.length,
    isChunked,
    isLast: minor === 1 ? isClosed : isClosed || !hasMember(connection, 'keep-alive'),
    keepAlive: framing.keepAlive,
    upgrade: framing.upgrade !== '' && hasMember(connection, 'upgrade') ? framing.upgrade.toLowerCase() : '',
  };
}

/** Three digits from 100 on (RFC 9110 section 15). */
function statusAt(text: string, at: number): number {
  let status = 0;
  for (let i = at; i < at + 3; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (!(digit >= 0 && digit <= 9)) throw malformed('a status that is not three digits');
    status = status * 10 + digit;
  }
  if (status < 100) throw malformed('a status below 100');
  return status;
}

/** Where the line behind the reason phrase begins. Servers that leave out the phrase leave out the blank before it as well, so it need not be there. */
function reasonEnd(text: string, from: number): number {
  const code = text.charCodeAt(from);
  if (code !== SPACE && code !== CR) throw malformed('a status that is not three digits');
  return lineEnd(text, from);
}

/** Behind the end of the line. Throws at anything but CR LF that may not stand in a line: a bare CR, a bare LF, a control character. */
function lineEnd(text: string, from: number): number {
  let at = from;
  while ((OCTET_CLASS[text.charCodeAt(at)] & NOT_IN_VALUE) === 0) at++;
  if (text.charCodeAt(at) !== CR || text.charCodeAt(at + 1) !== LF)
    throw malformed('a control character, or a CR or LF alone');
  return at + 2;
}

/** Field lines up to the empty one (RFC 9112 section 5). Trailers have no framing. */
export function readFields(text: string, from: number, fields: string[], framing: Framing | null): void {
  let at = from;
  while (text.charCodeAt(at) !== CR) {
    const colon = nameEnd(text, at);
    const name = text.slice(at, colon);
    const lower = isLower ? name : name.toLowerCase();
    const next = lineEnd(text, colon + 1);
    const value = trimmed(text, colon + 1, next - 2);
    if (framing === null || !framing.take(lower, value)) fields.push(lower, value);
    at = next;
  }
  if (at + 2 !== text.length) throw malformed('a CR alone');
}

/** Said by the last `nameEnd`. */
let isLower = true;

/** The colon behind a name. A line that begins with a blank (obs-fold, RFC 9112 section 5.2) or has one before its colon (section 5.1) has no name. */
function nameEnd(text: string, from: number): number {
  isLower = true;
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === COLON) break;
    if ((OCTET_CLASS[code] & NOT_IN_NAME) !== 0) {
      if (code < 0x41 || code > 0x5a) throw malformed('a field line without a name and a colon');
      isLower = false;
    }
    at++;
  }
  if (at === from) throw malformed('a field without a name');
  return at;
}

function trimmed(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const isBlank = (code: number): boolean => code === SPACE || code === TAB;

/** RFC 9112 sections 6.1 and 6.3: what says two lengths, or none that is sure, is no message to pass on. */
function checkCoding({ coding, length }: Framing, minor: number): void {
  if (coding.toLowerCase() !== 'chunked') throw malformed('a transfer-encoding other than chunked');
  if (length >= 0) throw malformed('a content-length beside a transfer-encoding');
  if (minor === 0) throw malformed('a transfer-encoding in HTTP/1.0');
}

function hasMember(list: string, name: string): boolean {
  if (list.length === name.length) return list.toLowerCase() === name;
  return list.split(',').some((one) => one.trim().toLowerCase() === name);
}

/** What stands in most Connection fields and names none of the fields that are left; and the length, which is the message's. */
const UNAFFECTED: ReadonlySet<string> = new Set(['', 'close', 'keep-alive', 'upgrade', 'content-length']);

/** RFC 9110 section 7.6.1. */
function withoutNominated(headers: readonly string[], connection: string): FieldList {
  const names = connection
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
    .filter((one) => !UNAFFECTED.has(one));
  return names.length === 0 ? headers : headers.filter((_, i) => !names.includes(headers[i & ~1]));
}
