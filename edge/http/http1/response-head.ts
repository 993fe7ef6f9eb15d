/**
 * Heads of responses of HTTP/1.1 (RFC 9112 section 4, RFC 9110 section 6.4): status line, fields,
 * and how the body is framed.
 */
import { STATUS_CODES } from 'node:http';
import { currentDate } from '../exchange/clock.ts';
import type { FieldList } from '../exchange/field-list.ts';
import { isConnectionSpecific, isFieldName, isFieldValue } from '../exchange/fields.ts';
import type { ReadyAnswer } from '../exchange/ready-answer.ts';

/** Properties of the exchange that determine the response head. */
export interface HeadContext {
  readonly isHead: boolean;
  readonly version: '1.0' | '1.1';
  /** The connection ends after the response. */
  readonly isLast: boolean;
}

interface ResponseHead {
  readonly text: string;
  /** Bytes of the body; -1: unknown. */
  readonly length: number;
  readonly framing: 'none' | 'length' | 'chunked' | 'close';
}

export const statusLine = (status: number): string => `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;

/** Whether the response has no body: RFC 9110 sections 9.3.2, 15.3.5 and 15.4.5. */
const isBodiless = (status: number, isHead: boolean): boolean => isHead || status === 204 || status === 304;

/**
 * Field lines for informational and ready responses, upgrades and trailers. Skips
 * connection-specific fields and content-length (RFC 9110 section 8.6). Throws a TypeError for an
 * invalid field: recipients could parse it as another one.
 */
export function fieldLines(headers: FieldList): string {
  mustBePairs(headers);
  let text = '';
  for (let i = 0; i < headers.length; i += 2) {
    if (isConnectionSpecific(headers[i]) || headers[i] === 'content-length') continue;
    text += fieldLine(headers[i], headers[i + 1]);
  }
  return text;
}

/** Otherwise the last name would be dropped silently. */
function mustBePairs(headers: FieldList): void {
  if (headers.length % 2 !== 0) throw new TypeError('A name without a value.');
}

function fieldLine(name: string, value: string): string {
  if (!isFieldName(name) || !isFieldValue(value)) throw new TypeError(`No header field can be this: ${name}`);
  return `${name}: ${value}\r\n`;
}

/**
 * Throws a RangeError for a status that is not final. Throws a TypeError for invalid fields and for
 * contradicting lengths.
 */
export function responseHead(status: number, headers: FieldList, context: HeadContext): ResponseHead {
  if (!Number.isInteger(status) || status < 200 || status > 999) throw new RangeError(`No final status: ${status}`);
  mustBePairs(headers);
  let text = statusLine(status);
  let length = -1;
  let hasDate = false;
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i];
    if (isConnectionSpecific(name)) continue;
    if (name === 'content-length') {
      const value = headers[i + 1];
      if (!/^\d{1,15}$/.test(value) || (length >= 0 && length !== Number(value)))
        throw new TypeError(`No content-length: ${value}`);
      length = Number(value);
      continue;
    }
    if (name === 'date') hasDate = true;
    text += fieldLine(name, headers[i + 1]);
  }
  if (!hasDate) text += `date: ${currentDate()}\r\n`;

  const bodiless = isBodiless(status, context.isHead);
  // A 204 has no length (RFC 9110 section 8.6). In a 304 and in a response to HEAD, it is that of
  // the representation.
  if (length >= 0 && status !== 204) text += `content-length: ${length}\r\n`;
  let framing: ResponseHead['framing'] = bodiless ? 'none' : 'length';
  if (!bodiless && length < 0) {
    framing = context.version === '1.1' ? 'chunked' : 'close';
    if (framing === 'chunked') text += 'transfer-encoding: chunked\r\n';
  }
  text += connectionLine(context.version, context.isLast || framing === 'close');
  return { text: `${text}\r\n`, length, framing };
}

function connectionLine(version: '1.0' | '1.1', isLast: boolean): string {
  if (isLast) return 'connection: close\r\n';
  return version === '1.1' ? '' : 'connection: keep-alive\r\n';
}

/** Bodies up to this size are stored together with their head, so both go out in one write. */
const COPIED_BODY = 16_384;

/**
 * The encoded ready answer for a persistent connection. It is valid for one second, unless the
 * answer has its own date.
 */
interface EncodedAnswer {
  readonly date: string;
  readonly head: Buffer;
  /** Head and body in one buffer; null: the body is large, or there is none. */
  readonly whole: Buffer | null;
}

const dateOf = (ready: ReadyAnswer): string => (ready.date === '' ? currentDate() : ready.date);

/** The head of a ready answer as text, without connection fields and the final empty line. */
function readyHeadText(ready: ReadyAnswer, date: string): string {
  const text = statusLine(ready.status) + fieldLines(ready.headers);
  const length = ready.status === 204 || ready.status === 304 ? '' : `content-length: ${ready.body.length}\r\n`;
  return `${text}${length}date: ${date}\r\n`;
}

/**
 * Encodes an answer at most once a second, or once if it has its own date. A pending write keeps
 * its bytes. Throws the errors of `responseHead`.
 */
export function encodedAnswer(ready: ReadyAnswer): EncodedAnswer {
  const date = dateOf(ready);
  const previous = ready.encoded.http1;
  if (previous instanceof StoredAnswer && previous.date === date) return previous;
  const head = Buffer.from(`${readyHeadText(ready, date)}\r\n`, 'latin1');
  const isWhole = ready.body.length <= COPIED_BODY && !isBodiless(ready.status, false);
  const made = new StoredAnswer(date, head, isWhole ? Buffer.concat([head, ready.body]) : null);
  ready.encoded.http1 = made;
  return made;
}

class StoredAnswer implements EncodedAnswer {
  constructor(
    readonly date: string,
    readonly head: Buffer,
    readonly whole: Buffer | null,
  ) {}
}

/** For a connection that closes after it, or for HTTP/1.0. Rare, so it is not stored. */
export const uncommonReadyHead = (ready: ReadyAnswer, context: HeadContext): string =>
  `${readyHeadText(ready, dateOf(ready))}${connectionLine(context.version, context.isLast)}\r\n`;

export const readyHasBody = (ready: ReadyAnswer, isHead: boolean): boolean =>
  ready.body.length > 0 && !isBodiless(ready.status, isHead);

/**
 * A short text response, for requests that are rejected before the handler and for handlers that
 * failed. `isLast`: the connection closes after it.
 */
export function plainAnswer(status: number, isLast: boolean, isHead = false): string {
  const body = `${status} ${STATUS_CODES[status] ?? ''}\n`;
  return `${statusLine(status)}content-type: text/plain\r\ncontent-length: ${body.length}\r\ndate: ${currentDate()}\r\n${
    isLast ? 'connection: close\r\n' : ''
  }\r\n${isHead ? '' : body}`;
}
