/** What coding a response changes in its fields. */
import type { FieldList } from '../http/exchange/field-list.ts';
import type { Coding } from './coding.ts';

/**
 * Not true of the coded content. Content-Digest is of the content as sent, Repr-Digest and Digest
 * of the representation, to which its coding belongs (RFC 9530 sections 2 and 3, RFC 9110 section
 * 8.1). Ranges would be of bytes that are not made the same way twice (RFC 9110 section 14.3).
 * Unencoded-Digest stays true.
 */
const UNTRUE: ReadonlySet<string> = new Set([
  'accept-ranges',
  'content-digest',
  'content-length',
  'content-md5',
  'digest',
  'repr-digest',
]);

/**
 * Of a response whose content is sent in this coding, so that it also says by what it was chosen.
 */
export function codedFields(headers: FieldList, coding: Coding): string[] {
  const fields: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i];
    if (!UNTRUE.has(name)) fields.push(name, name === 'etag' ? weakTag(headers[i + 1]) : headers[i + 1]);
  }
  addVary(fields);
  fields.push('content-encoding', coding);
  return fields;
}

/**
 * Of a response that is sent as it came, and with another Accept-Encoding would be coded (RFC 9110
 * section 12.5.5): without it a cache gives the one to who wants the other.
 */
export function varyingFields(headers: FieldList): FieldList {
  if (variesByCoding(headers)) return headers;
  const fields = [...headers];
  addVary(fields);
  return fields;
}

/** Of a body that was coded. */
export function codedTrailers(trailers: FieldList): FieldList {
  return trailers.length === 0 ? trailers : trailers.flatMap((_, i) => (i % 2 === 0 ? codedTrailer(trailers, i) : []));
}

function codedTrailer(trailers: FieldList, at: number): string[] {
  const name = trailers[at];
  if (UNTRUE.has(name)) return [];
  return [name, name === 'etag' ? weakTag(trailers[at + 1]) : trailers[at + 1]];
}

/**
 * Of a 304 to a visitor who asked by the tag of a coded response: the same tag and Vary that the
 * 200 had (RFC 9110 section 15.4.5), so that it is what was kept under the weak tag that is fresh
 * again (RFC 9111 section 4.3.4).
 */
export function notModifiedFields(headers: FieldList, ifNoneMatch: string | undefined): FieldList {
  const at = headers.findIndex((text, i) => i % 2 === 0 && text === 'etag');
  if (ifNoneMatch === undefined || at < 0) return headers;
  const weak = weakTag(headers[at + 1]);
  if (weak === headers[at + 1] || !ifNoneMatch.includes(weak)) return headers;
  const fields = [...headers];
  fields[at + 1] = weak;
  addVary(fields);
  return fields;
}

/**
 * Two codings of one thing are equivalent, not the same byte by byte (RFC 9110 sections 8.8.1 and
 * 8.8.3.3).
 */
function weakTag(tag: string): string {
  return tag.startsWith('"') ? `W/${tag}` : tag;
}

/** "*" says it, too. */
const SAYS_CODING = /(?:^|,)[ \t]*(?:accept-encoding|\*)[ \t]*(?:,|$)/i;

function variesByCoding(headers: FieldList): boolean {
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i] === 'vary' && SAYS_CODING.test(headers[i + 1])) return true;
  return false;
}

function addVary(fields: string[]): void {
  if (variesByCoding(fields)) return;
  for (let i = 0; i < fields.length; i += 2) {
    if (fields[i] !== 'vary') continue;
    fields[i + 1] = fields[i + 1] === '' ? 'accept-encoding' : `${fields[i + 1]}, accept-encoding`;
    return;
  }
  fields.push('vary', 'accept-encoding');
}
