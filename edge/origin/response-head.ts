/**
 * Strict parser of HTTP/1.1 response heads (RFC 9112 sections 4, 5 and 6.3): input that two parsers
 * could split into different messages is malformed. One pass over the bytes, with a table look-up
 * for each; usually without regular expressions and splits. Bytes are read in place: reading
 * characters of a string costs four times as much.
 */
import type { FieldList } from '../http/exchange/field-list.ts';
import { BYTE_CLASS, NOT_IN_NAME, NOT_IN_VALUE } from '../http/exchange/fields.ts';
import { markRecurring } from '../http/exchange/recurring-fields.ts';
import { OriginError } from './origin.ts';

/** Fields that the parser itself uses for framing and for the connection. */
export const FRAMING = {
  none: 0,
  connection: 1,
  'transfer-encoding': 2,
  'content-length': 3,
  'keep-alive': 4,
  upgrade: 5,
  'proxy-connection': 6,
} as const;

type FramingKind = (typeof FRAMING)[keyof typeof FRAMING];

const KINDS: ReadonlyMap<string, FramingKind> = new Map(Object.entries(FRAMING).slice(1));

class ResponseFieldName {
  /** The name in lower case. */
  readonly text: string;
  readonly kind: FramingKind;

  constructor(readonly sent: string) {
    this.text = sent.toLowerCase();
    this.kind = KINDS.get(this.text) ?? FRAMING.none;
  }
}

/** A power of two. */
const SLOTS = 512;

const MAX_CACHED_LENGTH = 48;

const slots = new Array<ResponseFieldName>(SLOTS).fill(new ResponseFieldName(''));

/**
 * The name in bytes[from, to), which is not empty and has only characters of names. Names that
 * origins repeat are cached in a table of fixed size per thread: they need no new string and no
 * conversion to lower case.
 */
export function responseFieldName(bytes: Buffer, from: number, to: number): ResponseFieldName {
  const length = to - from;
  if (length > MAX_CACHED_LENGTH) return new ResponseFieldName(bytes.toString('latin1', from, to));
  const mixed = (bytes[from] * 31 + bytes[from + (length >> 1)]) * 31 + bytes[to - 1] * 7 + length * 131;
  const slot = mixed & (SLOTS - 1);
  const kept = slots[slot];
  if (isSame(kept.sent, bytes, from, to)) return kept;
  const name = new ResponseFieldName(bytes.toString('latin1', from, to));
  slots[slot] = name;
  return name;
}

function isSame(text: string, bytes: Buffer, from: number, to: number): boolean {
  if (text.length !== to - from) return false;
  for (let i = from; i < to; i++) if (text.charCodeAt(i - from) !== bytes[i]) return false;
  return true;
}

const CR = 0x0d;
const LF = 0x0a;
const COLON = 0x3a;
const SPACE = 0x20;
const TAB = 0x09;

export interface ResponseHead {
  readonly status: number;
  /**
   * Without connection-specific fields (RFC 9110 section 7.6.1), and with one content-length at
   * most.
   */
  readonly headers: FieldList;
  /** The value of content-length; -1: absent. */
  readonly length: number;
  readonly isChunked: boolean;
  /** The connection ends with this response (RFC 9112 section 9.3). */
  readonly isLast: boolean;
  /** Seconds of `Keep-Alive: timeout`; -1: absent. */
  readonly keepAlive: number;
  /** The value of Upgrade in lower case, if Connection nominates it; empty: none. */
  readonly upgrade: string;
}

export const malformed = (what: string): OriginError => new OriginError('malformed', what);

/** Framing and connection fields of a head. Repeated fields are joined by commas. */
class Framing {
  connection = '';
  coding = '';
  length = -1;
  keepAlive = -1;
  upgrade = '';

  /** Adds a framing or connection field, which is not forwarded. */
  take(kind: FramingKind, value: string): void {
    switch (kind) {
      case FRAMING.connection:
        this.connection = joined(this.connection, value);
        break;
      case FRAMING['transfer-encoding']:
        // An empty value is an unknown coding, too.
        this.coding = joined(this.coding, value === '' ? '?' : value);
        break;
      case FRAMING['content-length']:
        this.length = lengthOf(value, this.length);
        break;
      case FRAMING['keep-alive']:
        this.keepAlive = Number(/(?:^|[,; \t])timeout[ \t]*=[ \t]*"?(\d{1,9})/i.exec(value)?.[1] ?? -1);
        break;
      case FRAMING.upgrade:
        this.upgrade = joined(this.upgrade, value);
        break;
    }
  }
}

const joined = (before: string, value: string): string => (before === '' ? value : `${before},${value}`);

/** RFC 9112 section 6.3: a list of equal values is one; anything else is unrecoverable. */
function lengthOf(value: string, before: number): number {
  const usual = before < 0 ? digitsOf(value) : -1;
  if (usual >= 0) return usual;
  let length = before;
  for (const text of value.split(',')) {
    // Anchored, so that a value full of blanks is scanned only once.
    const digits = /^[ \t]*(\d{1,15})[ \t]*$/.exec(text)?.[1];
    // Not all numbers of 16 digits are exact.
    if (digits === undefined) throw malformed('a content-length that is not a number of at most 15 digits');
    const number = Number(digits);
    if (length >= 0 && length !== number) throw malformed('two different content-lengths');
    length = number;
  }
  return length;
}

/** A number of at most 15 digits; -1: not a number, or longer. */
function digitsOf(text: string): number {
  const { length } = text;
  if (length === 0 || length > 15) return -1;
  let number = 0;
  for (let i = 0; i < length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}

/** A recent head and its parsed form. */
interface RecentHead {
  /** MAX_RECENT_HEAD bytes, of which the first `length` are the head. */
  readonly bytes: Buffer;
  length: number;
  head: ResponseHead;
}

/** A power of two. */
const RECENT_HEADS = 64;
const MAX_RECENT_HEAD = 1024;
const recentHeads: (RecentHead | undefined)[] = new Array(RECENT_HEADS).fill(undefined);

/**
 * `parseResponseHead` for heads that recur: many responses of an origin within a second have the
 * same head. Equal heads have the same list of fields (recurring-fields.ts).
 */
export function readResponseHead(bytes: Buffer, from: number, to: number): ResponseHead {
  const length = to - from;
  if (length > MAX_RECENT_HEAD) return parseResponseHead(bytes, from, to);
  const mixed = (bytes[from + (length >> 1)] * 31 + bytes[from + (length >> 2)]) * 31 + bytes[to - 5] * 7 + length;
  const slot = mixed & (RECENT_HEADS - 1);
  const recent = recentHeads[slot];
  if (recent?.length === length && bytes.compare(recent.bytes, 0, length, from, to) === 0) {
    markRecurring(recent.head.headers);
    return recent.head;
  }
  const head = parseResponseHead(bytes, from, to);
  if (recent === undefined) {
    const copy = Buffer.allocUnsafeSlow(MAX_RECENT_HEAD);
    bytes.copy(copy, 0, from, to);
    recentHeads[slot] = { bytes: copy, length, head };
  } else {
    bytes.copy(recent.bytes, 0, from, to);
    recent.length = length;
    recent.head = head;
  }
  return head;
}

/**
 * `readResponseHead` for an origin that may end lines with LF alone, which a recipient may accept
 * (RFC 9112 section 2.2). Others could see other lines, so the connection is not used again.
 */
export function readLenientHead(bytes: Buffer, from: number, to: number): ResponseHead {
  const sent = bytes.toString('latin1', from, to);
  const text = sent.replace(/(?<!\r)\n/g, '\r\n');
  if (text === sent) return readResponseHead(bytes, from, to);
  const { status, headers, length, isChunked, keepAlive, upgrade } = parseResponseHead(
    Buffer.from(text, 'latin1'),
    0,
    text.length,
  );
  return { status, headers, length, isChunked, isLast: true, keepAlive, upgrade };
}

/**
 * bytes[from, to): from the status line to the empty line, which must be present. Throws
 * OriginError `malformed`.
 */
export function parseResponseHead(bytes: Buffer, from: number, to: number): ResponseHead {
  const minor = minorVersion(bytes, from);
  const status = statusAt(bytes, from + 9);
  const headers: string[] = [];
  const framing = new Framing();
  readFields(bytes, reasonEnd(bytes, from + 12), to, headers, framing);
  if (framing.length >= 0) headers.push('content-length', `${framing.length}`);

  const isChunked = framing.coding !== '';
  if (isChunked) checkCoding(framing, minor);
  const { isClose, isKeepAlive, isUpgrade, nominated } = connectionOptions(framing.connection);
  return {
    status,
    headers: nominated.size === 0 ? headers : headers.filter((_, i) => !nominated.has(headers[i & ~1])),
    length: framing.length,
    isChunked,
    isLast: minor === 1 ? isClose : isClose || !isKeepAlive,
    keepAlive: framing.keepAlive,
    upgrade: isUpgrade ? framing.upgrade.toLowerCase() : '',
  };
}

const VERSION = Buffer.from('HTTP/1.', 'latin1');

function minorVersion(bytes: Buffer, from: number): number {
  let at = 0;
  while (at < VERSION.length && bytes[from + at] === VERSION[at]) at++;
  const minor = bytes[from + at] - 0x30;
  if (at < VERSION.length || (minor !== 0 && minor !== 1) || bytes[from + at + 1] !== SPACE)
    throw malformed('a status line that is not of HTTP/1.1 or 1.0');
  return minor;
}

/** Parses three digits, at least 100 (RFC 9110 section 15). */
function statusAt(bytes: Buffer, at: number): number {
  let status = 0;
  for (let i = at; i < at + 3; i++) {
    const digit = bytes[i] - 0x30;
    if (!(digit >= 0 && digit <= 9)) throw malformed('a status that is not three digits');
    status = status * 10 + digit;
  }
  if (status < 100) throw malformed('a status below 100');
  return status;
}

/**
 * Returns the offset after the status line. Servers that omit the reason phrase also omit the blank
 * before it, so the blank is optional.
 */
function reasonEnd(bytes: Buffer, from: number): number {
  const byte = bytes[from];
  if (byte !== SPACE && byte !== CR) throw malformed('a status that is not three digits');
  return lineEnd(bytes, from);
}

/** Returns the offset after CR LF. Throws at a bare CR, a bare LF, or a control character. */
function lineEnd(bytes: Buffer, from: number): number {
  let at = from;
  while ((BYTE_CLASS[bytes[at]] & NOT_IN_VALUE) === 0) at++;
  if (bytes[at] !== CR || bytes[at + 1] !== LF) throw malformed('a control character, or a CR or LF alone');
  return at + 2;
}

/**
 * Parses the field lines in bytes[from, to), which end with an empty line (RFC 9112 section 5).
 * `framing`: null for trailers.
 */
export function readFields(bytes: Buffer, from: number, to: number, fields: string[], framing: Framing | null): void {
  const text = bytes.toString('latin1', from, to);
  let at = from;
  while (bytes[at] !== CR) {
    const colon = nameEnd(bytes, at);
    const name = responseFieldName(bytes, at, colon);
    const next = lineEnd(bytes, colon + 1);
    let start = colon + 1;
    let end = next - 2;
    while (start < end && isBlank(bytes[start])) start++;
    while (end > start && isBlank(bytes[end - 1])) end--;
    const value = text.slice(start - from, end - from);
    if (framing === null || name.kind === FRAMING.none) fields.push(name.text, value);
    else framing.take(name.kind, value);
    at = next;
  }
  if (at + 2 !== to) throw malformed('a CR alone');
}

/**
 * Returns the offset of the colon after a name. A line that begins with a blank (obs-fold, RFC 9112
 * section 5.2) or has one before its colon (section 5.1) is rejected.
 */
function nameEnd(bytes: Buffer, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte === COLON) break;
    if ((BYTE_CLASS[byte] & NOT_IN_NAME) !== 0 && (byte < 0x41 || byte > 0x5a))
      throw malformed('a field line without a name and a colon');
    at++;
  }
  if (at === from) throw malformed('a field without a name');
  return at;
}

const isBlank = (byte: number): boolean => byte === SPACE || byte === TAB;

/** RFC 9112 sections 6.1 and 6.3: rejects messages with an ambiguous length. */
function checkCoding({ coding, length }: Framing, minor: number): void {
  if (coding.toLowerCase() !== 'chunked') throw malformed('a transfer-encoding other than chunked');
  if (length >= 0) throw malformed('a content-length next to a transfer-encoding');
  if (minor === 0) throw malformed('a transfer-encoding in HTTP/1.0');
}

/** The parsed value of Connection (RFC 9110 section 7.6.1). */
interface ConnectionOptions {
  readonly isClose: boolean;
  readonly isKeepAlive: boolean;
  readonly isUpgrade: boolean;
  /** Nominated fields, which are not forwarded. A set, since an origin may nominate any number. */
  readonly nominated: ReadonlySet<string>;
}

/**
 * Common options that nominate no forwarded field, and content-length, which is forwarded in any
 * case.
 */
const UNAFFECTED: ReadonlySet<string> = new Set(['', 'close', 'keep-alive', 'upgrade', 'content-length']);

let lastConnection = '';
let lastOptions = optionsOf('');

/** Cached: an origin repeats the same value in each response. */
function connectionOptions(connection: string): ConnectionOptions {
  if (connection !== lastConnection) {
    lastOptions = optionsOf(connection);
    lastConnection = connection;
  }
  return lastOptions;
}

function optionsOf(connection: string): ConnectionOptions {
  const members = connection
    .toLowerCase()
    .split(',')
    .map((text) => text.trim());
  return {
    isClose: members.includes('close'),
    isKeepAlive: members.includes('keep-alive'),
    isUpgrade: members.includes('upgrade'),
    nominated: new Set(members.filter((member) => !UNAFFECTED.has(member))),
  };
}
