/**
 * Heads and trailers of responses of an origin (RFC 9113 sections 8.1 and 8.3.2), read strictly.
 */
import type { FieldList } from '../../http/exchange/field-list.ts';
import { KIND, KIND_MASK, MALFORMED, PSEUDO_HEADER } from '../../http/exchange/fields.ts';
import { hasSameFields, markRecurring } from '../../http/exchange/recurring-fields.ts';
import type { HeaderSink } from '../../http/http2/hpack/decoder.ts';

const SPECIAL = MALFORMED | PSEUDO_HEADER | KIND_MASK;

/** Digits of a length: of more, not all are exact. */
const LENGTH_DIGITS = 15;

export class ResponseHead implements HeaderSink {
  /** 0 for trailers. */
  status = 0;
  /** A list that recurs is the same object. */
  headers: FieldList = [];
  /** What `content-length` announces; -1 without it. */
  length = -1;
  /** What is wrong; empty: nothing so far. */
  fault = '';
  #fields: string[] = [];
  /** Of the last block. */
  #last: FieldList = [];
  #isTrailers = false;
  #hasRegular = false;
  #isMarked = false;

  /** Before each block that differs from the last one. */
  reset(isTrailers: boolean): void {
    this.status = 0;
    this.#fields = [];
    this.headers = this.#fields;
    this.length = -1;
    this.fault = '';
    this.#isMarked = false;
    this.#isTrailers = isTrailers;
    this.#hasRegular = false;
  }

  field(name: string, value: string, flags: number): void {
    if ((flags & SPECIAL) === 0) {
      this.#hasRegular = true;
      this.#fields.push(name, value);
    } else if ((flags & MALFORMED) !== 0) this.fault = 'a field that HTTP/2 does not allow';
    else if ((flags & PSEUDO_HEADER) !== 0) this.#pseudo(flags & KIND_MASK, value);
    else {
      this.#hasRegular = true;
      if ((flags & KIND_MASK) === KIND['content-length']) this.#length(value);
      else this.#fields.push(name, value);
    }
  }

  /** After each block. */
  finish(): void {
    if (this.status === 0 && !this.#isTrailers) this.fault ||= 'a response without a status';
    if (this.length >= 0) this.#fields.push('content-length', `${this.length}`);
    if (hasSameFields(this.#fields, this.#last)) {
      markRecurring(this.#last);
      this.headers = this.#last;
    } else this.#last = this.#fields;
  }

  /** The last block has come again. */
  repeat(): void {
    if (this.#isMarked) return;
    this.#isMarked = true;
    markRecurring(this.headers);
  }

  #pseudo(kind: number, value: string): void {
    // Once, before all other fields (section 8.3), and none in trailers (section 8.1).
    if (kind !== KIND[':status'] || this.status !== 0 || this.#hasRegular || this.#isTrailers)
      this.fault = 'a pseudo-header that does not belong there';
    else this.status = Number(value);
  }

  #length(value: string): void {
    const length = value.length > LENGTH_DIGITS ? -1 : Number(value);
    if (length < 0) this.fault = `a content-length of more than ${LENGTH_DIGITS} digits`;
    else if (this.length >= 0 && this.length !== length) this.fault = 'two different content-lengths';
    // In trailers it says nothing (RFC 9110 section 6.5.1).
    else if (!this.#isTrailers) this.length = length;
  }
}
