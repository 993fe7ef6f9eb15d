/**
 * Rejects requests that RFC 9112 forbids but one of the two HTTP parsers accepts. The end of a
 * message must be unambiguous: otherwise a request can be smuggled past a proxy (RFC 9112 11.2).
 */
import { HttpError } from './errors.ts';
import { MAX_FIELDS } from './transport.ts';

export interface RequestCheck {
  /** Undefined if the request is valid. */
  readonly fault: HttpError | undefined;
  readonly isChunked: boolean;
  /** Content-Length as sent. */
  readonly length: string | undefined;
  /** `Connection: close`, also among other options (RFC 9112 9.6). */
  readonly close: boolean;
}

/** `*` is the whole server (RFC 9112 3.2.4). No fragment, and ASCII only (RFC 3986 3.3, 3.4). */
const TARGET = /^(?:\/[!"$-~]*|\*)$/;
const METHOD = /^[A-Z]{1,20}$/;
/** Control characters; NUL, CR and LF are the dangerous ones (RFC 9110 5.5). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
const CONTROL = /[\0-\x08\n-\x1f\x7f]/;

const EXPECTATION = '100-continue';

/**
 * `target`: path and query in origin form. `fields`: alternately names (in any case) and values,
 * including repeated fields.
 */
export function checkRequest(method: string, target: string, fields: readonly string[]): RequestCheck {
  let fault: HttpError | undefined;
  let hosts = 0;
  let length: string | undefined;
  let coding: string | undefined;
  let close = false;
  if (!METHOD.test(method)) fault = badRequest('The method must consist of upper-case letters.');
  if (!TARGET.test(target))
    fault = badRequest('The target must be a path of printable ASCII characters; percent-encode all others.');
  if (fields.length > 2 * MAX_FIELDS) fault = tooManyFields();
  for (let i = 0; i < fields.length; i += 2) {
    const value = fields[i + 1];
    if (CONTROL.test(value)) fault ??= badRequest('A header field contains a control character.');
    // Compares only names of the right length: most fields need no comparison.
    switch (fields[i].length) {
      case 4:
        if (fields[i].toLowerCase() === 'host') hosts++;
        break;
      case 6:
        if (fields[i].toLowerCase() === 'expect' && value.toLowerCase() !== EXPECTATION) fault ??= badExpectation();
        break;
      case 10:
        if (fields[i].toLowerCase() === 'connection') close ||= hasClose(value);
        break;
      case 14:
        if (fields[i].toLowerCase() !== 'content-length') break;
        if (length !== undefined || !/^\d{1,15}$/.test(value))
          fault ??= badRequest('Content-Length must be a single number.');
        length = value;
        break;
      case 17:
        if (fields[i].toLowerCase() !== 'transfer-encoding') break;
        if (coding !== undefined || value.toLowerCase() !== 'chunked') fault ??= badCoding();
        coding = value;
    }
  }
  if (hosts > 1) fault ??= badRequest('A request must have only one Host field.');
  if (length !== undefined && coding !== undefined)
    fault ??= badRequest('Content-Length and Transfer-Encoding cannot be combined; send one of them.');
  return { fault, isChunked: coding !== undefined, length, close };
}

const hasClose = (value: string): boolean =>
  value.length === 5 ? value.toLowerCase() === 'close' : /(?:^|,)[\t ]*close[\t ]*(?:,|$)/i.test(value);

const badRequest = (message: string): HttpError => new HttpError(400, 'bad_request', message, { close: true });

/** An unsupported transfer coding (RFC 9112 6.1). */
const badCoding = (): HttpError =>
  new HttpError(501, 'unknown_coding', 'Send the body with Content-Length, or with Transfer-Encoding: chunked alone.', {
    close: true,
  });

const badExpectation = (): HttpError =>
  new HttpError(417, 'unknown_expectation', `The only supported expectation is ${EXPECTATION}.`, { close: true });

const tooManyFields = (): HttpError =>
  new HttpError(431, 'too_many_fields', `The request has more than ${MAX_FIELDS} header fields.`, { close: true });
