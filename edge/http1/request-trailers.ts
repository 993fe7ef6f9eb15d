/** Trailer fields of a request (RFC 9110 section 6.5). */
import type { FieldList } from '../exchange/exchange.ts';
import { isConnectionSpecific } from '../exchange/fields.ts';

const NONE: FieldList = [];
/** Would say of the message what was decided before its body came: RFC 9110 section 6.5.1. The parser refuses lengths and codings. */
const NOT_TRAILING: ReadonlySet<string> = new Set([
  'host',
  'te',
  'trailer',
  'expect',
  'content-length',
  'cookie',
  'authorization',
]);

/** In lower case, without those that may not come there. */
export function bodyTrailers(raw: readonly string[]): FieldList {
  if (raw.length === 0) return NONE;
  const trailers: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i].toLowerCase();
    if (!isConnectionSpecific(name) && !NOT_TRAILING.has(name)) trailers.push(name, raw[i + 1]);
  }
  return trailers;
}
