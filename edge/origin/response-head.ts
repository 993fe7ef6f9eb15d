/**
 * The head of a response of HTTP/1.1 (RFC 9112 sections 4, 5 and 6.3), read strictly: what two
 * readers could take for two messages is malformed. One pass over the bytes, a table look-up each;
 * as a rule no expression is matched and nothing is split. Bytes are looked at where they are: a
 * character of a text costs four times as much.
 */
import type { FieldList } from '../http/exchange/field-list.ts';
import { BYTE_CLASS, NOT_IN_NAME, NOT_IN_VALUE } from '../http/exchange/fields.ts';
import { markRecurring } from '../http/exchange/recurring-fields.ts';
import { OriginError } from './origin.ts';

/**
 * Names of response fields by their bytes: those that origins send repeatedly need neither a
 * new string nor lower case made of it. One table for a thread, of fixed size.
 *
 * Which fields the reader of a message takes for itself.
 */
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
  /** In lower case. */
  readonly text: string;
  readonly kind: FramingKind;

  constructor(readonly sent: string) {
    this.text = sent.toLowerCase();
    this.kind = KINDS.get(this.text) ?? FRAMING.none;
  }
}

/** A power of two. */
const SLOTS = 512;

const LONGEST = 48;

const slots = new Array<ResponseFieldName>(SLOTS).fill(new ResponseFieldName(''));

/** The name that bytes[from, to) are; not empty, and all of it characters of names. */
export function responseFieldName(bytes: Buffer, from: number, to: number): ResponseFieldName {
  const length = to - from;
  if (length > LONGEST) return new ResponseFieldName(bytes.toString('latin1', from, to));
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
   * Without what concerns the connection only (RFC 9110 section 7.6.1), and with one content-length
   * at most.
   */
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

/**
 * What the fields say of the message and its connection; joined by commas when they came more than
 * once.
 */
class Framing {
  connection = '';
  coding = '';
  length = -1;
  keepAlive = -1;
  upgrade = '';

  /** A field that is not for the receiver of the message. */
  take(kind: FramingKind, value: string): void {
    switch (kind) {
      case FRAMING.connection:
        this.connection = joined(this.connection, value);
        break;
      case FRAMING['transfer-encoding']:
        // An empty one is a coding that nobody knows, too.
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
    // Anchored: what an origin fills with blanks is looked through once.
    const digits = /^[ \t]*(\d{1,15})[ \t]*$/.exec(text)?.[1];
    // Of 16 digits not all are exact, and no visitor could receive them.
    if (digits === undefined) throw malformed('a content-length that is no number of at most 15 digits');
    const number = Number(digits);
    if (length >= 0 && length !== number) throw malformed('two different content-lengths');
    length = number;
  }
  return length;
}

/** A number of at most 15 digits; -1: it is none, or more. */
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
  /** LONGEST_RECENT_HEAD bytes, of which the first `length` are the head. */
  readonly bytes: Buffer;
  length: number;
  head: ResponseHead;
}

/** A power of two. */
const RECENT_HEADS = 64;
const LONGEST_RECENT_HEAD = 1024;
const recentHeads: (RecentHead | undefined)[] = new Array(RECENT_HEADS).fill(undefined);

/**
 * `parseResponseHead` for heads that recur: many responses of an origin within a second have the
 * same head. Equal heads have the same list of fields (recurring-fields.ts).
 */
export function readResponseHead(bytes: Buffer, from: number, to: number): ResponseHead {
  const length = to - from;
  if (length > LONGEST_RECENT_HEAD) return parseResponseHead(bytes, from, to);
  const mixed = (bytes[from + (length >> 1)] * 31 + bytes[from + (length >> 2)]) * 31 + bytes[to - 5] * 7 + length;
  const slot = mixed & (RECENT_HEADS - 1);
  const recent = recentHeads[slot];
  if (recent?.length === length && bytes.compare(recent.bytes, 0, length, from, to) === 0) {
    markRecurring(recent.head.headers);
    return recent.head;
  }
  const head = parseResponseHead(bytes, from, to);
  if (recent === undefined) {
    const copy = Buffer.allocUnsafeSlow(LONGEST_RECENT_HEAD);
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
 * bytes[from, to): from the status line to the empty line, which is there. Throws OriginError
 * `malformed`.
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

/** Three digits from 100 on (RFC 9110 section 15). */
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
 * Where the line behind the reason phrase begins. Servers that leave out the phrase leave out the
 * blank before it as well, so it need not be there.
 */
function reasonEnd(bytes: Buffer, from: number): number {
  const byte = bytes[from];
  if (byte !== SPACE && byte !== CR) throw malformed('a status that is not three digits');
  return lineEnd(bytes, from);
}

/**
 * Behind the end of the line. Throws at anything but CR LF that may not stand in a line: a bare CR,
 * a bare LF, a control character.
 */
function lineEnd(bytes: Buffer, from: number): number {
  let at = from;
  while ((BYTE_CLASS[bytes[at]] & NOT_IN_VALUE) === 0) at++;
  if (bytes[at] !== CR || bytes[at + 1] !== LF) throw malformed('a control character, or a CR or LF alone');
  return at + 2;
}

/**
 * Field lines in bytes[from, to), which end with an empty one (RFC 9112 section 5). Trailers have
 * no framing.
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
 * The colon behind a name. A line that begins with a blank (obs-fold, RFC 9112 section 5.2) or has
 * one before its colon (section 5.1) has no name.
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

/**
 * RFC 9112 sections 6.1 and 6.3: what says two lengths, or none that is sure, is no message to pass
 * on.
 */
function checkCoding({ coding, length }: Framing, minor: number): void {
  if (coding.toLowerCase() !== 'chunked') throw malformed('a transfer-encoding other than chunked');
  if (length >= 0) throw malformed('a content-length next to a transfer-encoding');
  if (minor === 0) throw malformed('a transfer-encoding in HTTP/1.0');
}

/** What Connection says, of the connection and of fields (RFC 9110 section 7.6.1). */
interface ConnectionOptions {
  readonly isClose: boolean;
  readonly isKeepAlive: boolean;
  readonly isUpgrade: boolean;
  /**
   * Fields that are for its receiver only: as many as an origin likes, so that they are not to be
   * looked through for each field.
   */
  readonly nominated: ReadonlySet<string>;
}

/**
 * What stands in most of them and names none of the fields that are left; and the length, which is
 * the message's.
 */
const UNAFFECTED: ReadonlySet<string> = new Set(['', 'close', 'keep-alive', 'upgrade', 'content-length']);

let lastConnection = '';
let lastOptions = optionsOf('');

/** An origin says the same in each response. */
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
