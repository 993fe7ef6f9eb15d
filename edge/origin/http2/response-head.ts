/** Strict checks of response heads and trailers of an origin (RFC 9113 sections 8.1 and 8.3.2). */
import type { FieldList } from '../../http/exchange/field-list.ts';
import { KIND, KIND_MASK, MALFORMED, PSEUDO_HEADER } from '../../http/exchange/fields.ts';
import { hasSameFields, markRecurring } from '../../http/exchange/recurring-fields.ts';
import type { HeaderSink } from '../../http/http2/hpack/decoder.ts';

const SPECIAL = MALFORMED | PSEUDO_HEADER | KIND_MASK;

/** Maximum digits of content-length. Longer numbers are not all exact. */
const LENGTH_DIGITS = 15;

export class ResponseHead implements HeaderSink {
  /** 0 for trailers. */
  status = 0;
  /** A recurring list is the same object each time. */
  headers: FieldList = [];
  /** The announced `content-length`; -1: absent. */
  length = -1;
  /** Why the block is invalid; empty: valid so far. */
  fault = '';
  #fields: string[] = [];
  /** The fields of the last block. */
  #last: FieldList = [];
  #isTrailers = false;
  #hasRegular = false;
  #isMarked = false;

  /** Called before each block that differs from the last. */
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

  /** Called after each decoded block. */
  finish(): void {
    if (this.status === 0 && !this.#isTrailers) this.fault ||= 'a response without a status';
    if (this.length >= 0) this.#fields.push('content-length', `${this.length}`);
    if (hasSameFields(this.#fields, this.#last)) {
      markRecurring(this.#last);
      this.headers = this.#last;
    } else this.#last = this.#fields;
  }

  /** Called instead of decoding when a block repeats the last. */
  repeat(): void {
    if (this.#isMarked) return;
    this.#isMarked = true;
    markRecurring(this.headers);
  }

  #pseudo(kind: number, value: string): void {
    // `:status` is allowed once, before all regular fields (section 8.3), and not in trailers
    // (section 8.1).
    if (kind !== KIND[':status'] || this.status !== 0 || this.#hasRegular || this.#isTrailers)
      this.fault = 'a pseudo-header that does not belong there';
    else this.status = Number(value);
  }

  #length(value: string): void {
    const length = value.length > LENGTH_DIGITS ? -1 : Number(value);
    if (length < 0) this.fault = `a content-length of more than ${LENGTH_DIGITS} digits`;
    else if (this.length >= 0 && this.length !== length) this.fault = 'two different content-lengths';
    // Ignored in trailers (RFC 9110 section 6.5.1).
    else if (!this.#isTrailers) this.length = length;
  }
}
