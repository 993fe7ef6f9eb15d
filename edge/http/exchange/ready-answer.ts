/** A whole response that is stored and sent many times. */
import type { FieldList } from './field-list.ts';

/** RFC 9110 section 5.6.7: 29 characters. */
const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/**
 * Immutable. `headers` contain neither `date` nor `content-length`: each version of HTTP adds them.
 * Each version stores its encoded head in its own slot of `encoded`, so it is encoded once for many
 * responses.
 */
export class ReadyAnswer {
  /** Encoded heads by version of HTTP. Only that version knows the type. */
  readonly encoded: { http1?: unknown; http2?: unknown } = {};

  /**
   * `body`: whole, not changed afterwards. `date`: the IMF-fixdate of the origin, which a cache
   * must not change (RFC 9110 section 6.6.1); empty: the time of sending. Throws a RangeError for a
   * status that is not final. Throws a TypeError for an invalid `date`, and for a length or a date
   * among the headers: recipients interpret duplicates differently.
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
        throw new TypeError(`A handler cannot set this field: ${headers[i]}`);
    if (date !== '' && !IMF_FIXDATE.test(date)) throw new TypeError(`No date: ${date}`);
  }
}
