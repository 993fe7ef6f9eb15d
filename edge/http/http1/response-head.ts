/**
 * Heads of responses of HTTP/1.1 (RFC 9112 section 4, RFC 9110 section 6.4): status line, fields,
 * and how the body is framed.
 */
import { STATUS_CODES } from 'node:http';
import { currentDate } from '../exchange/date.ts';
import type { FieldList } from '../exchange/field-list.ts';
import { isConnectionSpecific, isFieldName, isFieldValue } from '../exchange/fields.ts';
import type { ReadyAnswer } from '../exchange/ready-answer.ts';

/** What the request says of the response. */
export interface HeadContext {
  readonly isHead: boolean;
  readonly version: '1.0' | '1.1';
  /** The connection ends after the response. */
  readonly isLast: boolean;
}

interface ResponseHead {
  readonly text: string;
  /** Bytes of the body; -1 when it is not said. */
  readonly length: number;
  readonly framing: 'none' | 'length' | 'chunked' | 'close';
}

export const statusLine = (status: number): string => `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;

/** No body whatever is written: RFC 9110 sections 9.3.2, 15.3.5 and 15.4.5. */
const isBodiless = (status: number, isHead: boolean): boolean => isHead || status === 204 || status === 304;

/**
 * Names and values as lines, where no body has a length to be sent (RFC 9110 section 8.6), or it is
 * not for them to tell. Throws a TypeError for what no field can be: it would be read as another
 * one.
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

/** Else the last name would be lost in silence. */
function mustBePairs(headers: FieldList): void {
  if (headers.length % 2 !== 0) throw new TypeError('A name without a value.');
}

function fieldLine(name: string, value: string): string {
  if (!isFieldName(name) || !isFieldValue(value)) throw new TypeError(`No header field can be this: ${name}`);
  return `${name}: ${value}\r\n`;
}

/**
 * Throws a RangeError for a status that is no final one, a TypeError for fields that cannot be or
 * lengths that contradict.
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
  // A 204 has none (RFC 9110 section 8.6); of a 304 and to HEAD it is that of the representation.
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

/**
 * Bodies up to here are copied behind their head once a second, so that both are one write of one
 * piece.
 */
const COPIED_BODY = 16_384;

/**
 * The bytes of a ready answer on a connection that goes on, of this second unless it has a date of
 * its own.
 */
interface EncodedAnswer {
  readonly date: string;
  readonly head: Buffer;
  /** Head and body in one; null when the body is large or there is none. */
  readonly whole: Buffer | null;
}

const dateOf = (ready: ReadyAnswer): string => (ready.date === '' ? currentDate() : ready.date);

/** The head, as text without its end, of a ready answer: what is left is the connection's. */
function readyHeadText(ready: ReadyAnswer, date: string): string {
  const text = statusLine(ready.status) + fieldLines(ready.headers);
  const length = ready.status === 204 || ready.status === 304 ? '' : `content-length: ${ready.body.length}\r\n`;
  return `${text}${length}date: ${date}\r\n`;
}

/**
 * Made once a second and an answer, or once if it has its own date; a write that still waits keeps
 * its own bytes. Throws as `responseHead`.
 */
export function encodedAnswer(ready: ReadyAnswer): EncodedAnswer {
  const date = dateOf(ready);
  const kept = ready.encoded.http1;
  if (kept instanceof KeptAnswer && kept.date === date) return kept;
  const head = Buffer.from(`${readyHeadText(ready, date)}\r\n`, 'latin1');
  const isWhole = ready.body.length <= COPIED_BODY && !isBodiless(ready.status, false);
  const made = new KeptAnswer(date, head, isWhole ? Buffer.concat([head, ready.body]) : null);
  ready.encoded.http1 = made;
  return made;
}

class KeptAnswer implements EncodedAnswer {
  constructor(
    readonly date: string,
    readonly head: Buffer,
    readonly whole: Buffer | null,
  ) {}
}

/** For a connection that ends with it, or for HTTP/1.0: seldom, so it is not kept. */
export const uncommonReadyHead = (ready: ReadyAnswer, context: HeadContext): string =>
  `${readyHeadText(ready, dateOf(ready))}${connectionLine(context.version, context.isLast)}\r\n`;

export const readyHasBody = (ready: ReadyAnswer, isHead: boolean): boolean =>
  ready.body.length > 0 && !isBodiless(ready.status, isHead);

/**
 * A short text that says the status: what is refused before a handler sees it, and the 500 of a
 * handler that failed. Ends the connection when `isLast`.
 */
export function plainAnswer(status: number, isLast: boolean, isHead = false): string {
  const body = `${status} ${STATUS_CODES[status] ?? ''}\n`;
  return `${statusLine(status)}content-type: text/plain\r\ncontent-length: ${body.length}\r\ndate: ${currentDate()}\r\n${
    isLast ? 'connection: close\r\n' : ''
  }\r\n${isHead ? '' : body}`;
}
