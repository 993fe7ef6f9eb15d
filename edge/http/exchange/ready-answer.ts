/** A whole response that is kept and given often. */
import type { FieldList } from './field-list.ts';

/** RFC 9110 section 5.6.7: 29 characters. */
const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/**
 * Immutable. `headers` hold neither `date` nor `content-length`: each version of HTTP adds them,
 * and keeps the head that it made in `encoded`, a slot of its own, so that it is made once however
 * often the answer is given.
 */
export class ReadyAnswer {
  /** Heads already made, by version of HTTP: what is there is known to that version alone. */
  readonly encoded: { http1?: unknown; http2?: unknown } = {};

  /**
   * `body`: whole, not changed afterwards. `date`: as IMF-fixdate, of who made the response, which
   * a cache must not change (RFC 9110 section 6.6.1); empty: that of the second in which it is
   * given. Throws a RangeError for a status that is no final one, a TypeError for a length or a
   * date among the headers, with two of which a message is read as another one, and for a `date`
   * that is none.
   */
  constructor(
    readonly status: number,
    readonly headers: FieldList,
    readonly body: Uint8Array,
    readonly date = '',
  ) {
    if (!Number.isInteger(status) || status < 200 || status > 999) throw new RangeError(`No final status: ${status}`);
    for (let i = 0; i < headers.length; i += 2)
      if (headers[i] === 'content-length' || headers[i] === 'date')
        throw new TypeError(`Not to be said by who makes an answer: ${headers[i]}`);
    if (date !== '' && !IMF_FIXDATE.test(date)) throw new TypeError(`No date: ${date}`);
  }
}
