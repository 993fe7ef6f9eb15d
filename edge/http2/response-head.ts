/** Heads of responses as HTTP/2 sends them (RFC 9113 section 8.3.2, RFC 9110 section 6.4), and those of ready answers, made once. */
import { currentDate, currentDateBytes } from '../exchange/date.ts';
import type { FieldList } from '../exchange/exchange.ts';
import {
  CONNECTION_SPECIFIC,
  isConnectionSpecific,
  isFieldValue,
  MALFORMED,
  nameFlags,
  PSEUDO_HEADER,
} from '../exchange/fields.ts';
import type { ReadyAnswer } from '../exchange/ready-answer.ts';
import { encodeStateless } from './hpack/stateless.ts';

/** A body that is sent whatever is written: RFC 9110 sections 9.3.2, 15.3.5 and 15.4.5. */
export const isBodiless = (status: number, isHead: boolean): boolean => isHead || status === 204 || status === 304;

/** What may be sent of a handler's fields: not those of the connection. Throws a TypeError for what no field can be. */
export function sendableFields(headers: FieldList): FieldList {
  // What follows, as the date does, would come to stand in its value's place.
  if (headers.length % 2 !== 0) throw new TypeError('A name without a value.');
  let dropped = false;
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i];
    const flags = nameFlags(name);
    if (flags === CONNECTION_SPECIFIC) dropped = true;
    else if ((flags & (MALFORMED | PSEUDO_HEADER)) !== 0 || !isFieldValue(headers[i + 1]))
      throw new TypeError(`No header field can be this: ${name}`);
  }
  return dropped ? headers.filter((_, i) => !isConnectionSpecific(headers[i & ~1])) : headers;
}

/** Throws a RangeError for a status that is no final one. */
export function checkFinalStatus(status: number): void {
  if (!Number.isInteger(status) || status < 200 || status > 999) throw new RangeError(`No final status: ${status}`);
}

/** Octets that `content-length` says; -1 without one. Throws a TypeError when it says none, or two. */
export function contentLengthOf(headers: FieldList): number {
  let length = -1;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    if (headers[i] !== 'content-length') continue;
    const value = headers[i + 1];
    if (!/^\d{1,15}$/.test(value) || (length >= 0 && length !== Number(value)))
      throw new TypeError(`No content-length: ${value}`);
    length = Number(value);
  }
  return length;
}

/** With a date, unless there is one. */
export const completeFields = (headers: FieldList): FieldList =>
  has(headers, 'date') ? headers : [...headers, 'date', currentDate()];

/** Where no body has a length to be told, or it is not for them to tell: 1xx, 204, tunnels (RFC 9110 sections 8.6 and 9.3.6), trailers. */
export const withoutLength = (headers: FieldList): FieldList =>
  has(headers, 'content-length') ? headers.filter((_, i) => headers[i & ~1] !== 'content-length') : headers;

/** Lengths that say the same are sent as one: two are malformed to some clients. */
export function withOneLength(headers: FieldList): FieldList {
  let lengths = 0;
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === 'content-length') lengths++;
  return lengths < 2 ? headers : [...withoutLength(headers), 'content-length', String(contentLengthOf(headers))];
}

function has(headers: FieldList, name: string): boolean {
  for (let i = 0; i + 1 < headers.length; i += 2) if (headers[i] === name) return true;
  return false;
}

/** `date` as a literal that is not indexed, its name that of the static table (RFC 7541 section 6.2.2), its value not by Huffman's code. */
const DATE_PREFIX = [0x0f, 33 - 15, 29];
const DATE_LENGTH = 29;

/** The block of a ready answer, with its own date or that of this second at its end; needs no dynamic table. */
export class ReadyHead {
  readonly block: Uint8Array;
  readonly isBodiless: boolean;
  /** Octets of the body that it tells. */
  readonly length: number;
  readonly #hasOwnDate: boolean;
  #date: Uint8Array = NO_DATE;

  constructor(ready: ReadyAnswer) {
    checkFinalStatus(ready.status);
    this.length = ready.body.length;
    const fields = [...sendableFields(ready.headers)];
    this.isBodiless = isBodiless(ready.status, false) || ready.body.length === 0;
    if (ready.status !== 204 && ready.status !== 304) fields.push('content-length', String(ready.body.length));
    const head = encodeStateless(ready.status, fields);
    this.block = new Uint8Array(head.length + DATE_PREFIX.length + DATE_LENGTH);
    this.block.set(head);
    this.block.set(DATE_PREFIX, head.length);
    this.#hasOwnDate = ready.date !== '';
    if (this.#hasOwnDate) this.block.set(Buffer.from(ready.date, 'latin1'), this.block.length - DATE_LENGTH);
  }

  /** Brings the date up to date. */
  renew(): void {
    if (this.#hasOwnDate) return;
    const date = currentDateBytes();
    if (date === this.#date) return;
    this.#date = date;
    this.block.set(date, this.block.length - DATE_LENGTH);
  }
}

const NO_DATE = new Uint8Array(0);

/** Kept with the answer. Throws as `checkFinalStatus` and `sendableFields` do. */
export function readyHead(ready: ReadyAnswer): ReadyHead {
  const kept = ready.encoded.http2;
  const head = kept instanceof ReadyHead ? kept : new ReadyHead(ready);
  if (head !== kept) ready.encoded.http2 = head;
  head.renew();
  return head;
}
