/**
 * Prepares the heads of responses for HTTP/2 (RFC 9113 section 8.3.2, RFC 9110 section 6.4). Heads
 * of ready answers are encoded once.
 */
import { currentDate, currentDateBytes } from '../exchange/clock.ts';
import type { FieldList } from '../exchange/field-list.ts';
import {
  CONNECTION_SPECIFIC,
  isConnectionSpecific,
  isFieldValue,
  KIND,
  KIND_MASK,
  MALFORMED,
  nameFlags,
  PSEUDO_HEADER,
} from '../exchange/fields.ts';
import type { ReadyAnswer } from '../exchange/ready-answer.ts';
import { derivedOf, markRecurring } from '../exchange/recurring-fields.ts';
import { encodeStateless } from './hpack/encoder.ts';

/** The response never has a body: RFC 9110 sections 9.3.2, 15.3.5 and 15.4.5. */
export const isBodiless = (status: number, isHead: boolean): boolean => isHead || status === 204 || status === 304;

/**
 * A handler's fields without the connection-specific ones. Throws a TypeError for an invalid field.
 */
export function sendableFields(headers: FieldList): FieldList {
  if (headers.length % 2 !== 0) throw new TypeError(ODD);
  let isDropping = false;
  for (let i = 0; i < headers.length; i += 2)
    isDropping = sendableFlags(headers[i], headers[i + 1]) === CONNECTION_SPECIFIC || isDropping;
  return isDropping ? withoutConnection(headers) : headers;
}

/** A field added later, such as the date, would become the value of that name. */
const ODD = 'A name without a value.';

/**
 * Flags of the name. CONNECTION_SPECIFIC: the field is not sent. Throws a TypeError for an invalid
 * field.
 */
function sendableFlags(name: string, value: string): number {
  const flags = nameFlags(name);
  if (flags !== CONNECTION_SPECIFIC && ((flags & (MALFORMED | PSEUDO_HEADER)) !== 0 || !isFieldValue(value)))
    throw new TypeError(`No header field can be this: ${name}`);
  return flags;
}

const withoutConnection = (headers: FieldList): FieldList =>
  headers.filter((_, i) => !isConnectionSpecific(headers[i & ~1]));

/** Throws a RangeError unless `status` is a final one. */
export function checkFinalStatus(status: number): void {
  if (!Number.isInteger(status) || status < 200 || status > 999) throw new RangeError(`No final status: ${status}`);
}

/** The fields to send with a final response. */
class FinalFields {
  constructor(
    readonly fields: FieldList,
    /** Value of `content-length`; -1: none. */
    readonly length: number,
    /** The status is 204, which allows no content-length. */
    readonly isEmpty: boolean,
    /** The date added to `fields`, which are then valid for a second; empty: none was added. */
    readonly ownDate: string,
  ) {}

  get isCurrent(): boolean {
    return this.ownDate === '' || this.ownDate === currentDate();
  }
}

/**
 * The fields of a final response: with a date (`completeFields`), and with at most one
 * content-length, since some clients treat equal duplicates as malformed. 204 has none. Checks in
 * one pass, since usually nothing has to be changed. Throws a TypeError as `sendableFields` does,
 * and for invalid or different lengths.
 */
export function finalFields(status: number, headers: FieldList): FinalFields {
  const derived = derivedOf(headers);
  const last = derived?.final;
  if (last instanceof FinalFields && last.isEmpty === (status === 204) && last.isCurrent) return last;
  const final = makeFinalFields(status, headers);
  if (derived !== undefined) {
    markRecurring(final.fields);
    derived.final = final;
  }
  return final;
}

function makeFinalFields(status: number, headers: FieldList): FinalFields {
  if (headers.length % 2 !== 0) throw new TypeError(ODD);
  const mayHaveLength = status !== 204;
  let length = -1;
  let lengths = 0;
  let hasDate = false;
  let isDropping = false;
  for (let i = 0; i < headers.length; i += 2) {
    const flags = sendableFlags(headers[i], headers[i + 1]);
    if (flags === CONNECTION_SPECIFIC) isDropping = true;
    else if ((flags & KIND_MASK) === KIND['content-length']) {
      lengths++;
      if (mayHaveLength) length = contentLength(headers[i + 1], length);
    } else hasDate ||= headers[i] === 'date';
  }
  let fields = isDropping ? withoutConnection(headers) : headers;
  if (lengths > (mayHaveLength ? 1 : 0)) fields = withoutLength(fields);
  if (length >= 0 && lengths > 1) fields = [...fields, 'content-length', String(length)];
  if (hasDate) return new FinalFields(fields, length, !mayHaveLength, '');
  const date = currentDate();
  return new FinalFields([...fields, 'date', date], length, !mayHaveLength, date);
}

/** `previous`: the value of an earlier line; -1: none. */
function contentLength(value: string, previous: number): number {
  const length = /^\d{1,15}$/.test(value) ? Number(value) : -1;
  if (length < 0 || (previous >= 0 && length !== previous)) throw new TypeError(`No content-length: ${value}`);
  return length;
}

/** Adds a date, unless there is one. */
export const completeFields = (headers: FieldList): FieldList =>
  has(headers, 'date') ? headers : [...headers, 'date', currentDate()];

/**
 * Removes `content-length`, which is not allowed in 1xx, 204, tunnels (RFC 9110 sections 8.6 and
 * 9.3.6) and trailers.
 */
export const withoutLength = (headers: FieldList): FieldList =>
  has(headers, 'content-length') ? headers.filter((_, i) => headers[i & ~1] !== 'content-length') : headers;

/**
 * The trailers to send, in a list that the handler cannot change. Throws as `sendableFields` does.
 */
export function sendableTrailers(trailers: FieldList): FieldList {
  const derived = derivedOf(trailers);
  if (derived?.trailers !== undefined) return derived.trailers;
  const fields = withoutLength(sendableFields(trailers));
  if (derived === undefined) return fields === trailers ? [...fields] : fields;
  markRecurring(fields);
  derived.trailers = fields;
  return fields;
}

function has(headers: FieldList, name: string): boolean {
  for (let i = 0; i + 1 < headers.length; i += 2) if (headers[i] === name) return true;
  return false;
}

/**
 * Start of a `date` line: a literal without indexing, with a name of the static table (RFC 7541
 * section 6.2.2) and a value without Huffman code.
 */
const DATE_PREFIX = [0x0f, 33 - 15, 29];
const DATE_LENGTH = 29;

/**
 * The encoded block of a ready answer. It ends with the answer's own date or the current one, and
 * does not depend on the dynamic table.
 */
export class ReadyHead {
  readonly block: Uint8Array;
  readonly isBodiless: boolean;
  /** Bytes of the body when the block was encoded. */
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

  /** Sets the current date, unless the answer has its own. */
  renew(): void {
    if (this.#hasOwnDate) return;
    const date = currentDateBytes();
    if (date === this.#date) return;
    this.#date = date;
    this.block.set(date, this.block.length - DATE_LENGTH);
  }
}

const NO_DATE = new Uint8Array(0);

/**
 * The encoded head of a ready answer, cached in the answer. Throws as `checkFinalStatus` and
 * `sendableFields` do.
 */
export function readyHead(ready: ReadyAnswer): ReadyHead {
  const kept = ready.encoded.http2;
  const head = kept instanceof ReadyHead ? kept : new ReadyHead(ready);
  if (head !== kept) ready.encoded.http2 = head;
  head.renew();
  return head;
}
