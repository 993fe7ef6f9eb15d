/** Trailer fields of a request (RFC 9110 section 6.5); of lengths and codings the parser lets none pass. */
import type { FieldList } from '../exchange/exchange.ts';
import { trailerFields } from '../exchange/trailers.ts';

const NONE: FieldList = [];

/** In lower case, without those that may not come there. */
export function bodyTrailers(raw: readonly string[]): FieldList {
  if (raw.length === 0) return NONE;
  return trailerFields(raw.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : text)));
}
