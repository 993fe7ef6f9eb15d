/** Adapts the fields of a response to its content coding. */
import type { FieldList } from '../http/exchange/field-list.ts';
import type { Coding } from './coding.ts';

/**
 * Fields that are wrong for compressed content. Content-Digest covers the content as sent.
 * Repr-Digest and Digest cover the representation, which includes its coding (RFC 9530 sections 2
 * and 3, RFC 9110 section 8.1). Ranges would refer to bytes that differ with each compression (RFC
 * 9110 section 14.3). Unencoded-Digest stays correct.
 */
const INVALID_FIELDS: ReadonlySet<string> = new Set([
  'accept-ranges',
  'content-digest',
  'content-length',
  'content-md5',
  'digest',
  'repr-digest',
]);

/** The fields of a compressed response, with Vary: Accept-Encoding. */
export function codedFields(headers: FieldList, coding: Coding): string[] {
  const fields: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i];
    if (!INVALID_FIELDS.has(name)) fields.push(name, name === 'etag' ? codedTag(headers[i + 1]) : headers[i + 1]);
  }
  addVary(fields);
  fields.push('content-encoding', coding);
  return fields;
}

/**
 * The fields of an uncompressed response that another Accept-Encoding would get compressed (RFC
 * 9110 section 12.5.5). Without Vary, a cache would serve a variant to clients that do not accept
 * it.
 */
export function varyingFields(headers: FieldList): FieldList {
  if (variesByCoding(headers)) return headers;
  const fields = [...headers];
  addVary(fields);
  return fields;
}

/** The trailers of a compressed body. */
export function codedTrailers(trailers: FieldList): FieldList {
  return trailers.length === 0 ? trailers : trailers.flatMap((_, i) => (i % 2 === 0 ? codedTrailer(trailers, i) : []));
}

function codedTrailer(trailers: FieldList, at: number): string[] {
  const name = trailers[at];
  if (INVALID_FIELDS.has(name)) return [];
  return [name, name === 'etag' ? codedTag(trailers[at + 1]) : trailers[at + 1]];
}

/**
 * The fields of a 304 for the tag of a compressed response. It has the tag and Vary of the 200 (RFC
 * 9110 section 15.4.5), so that it refreshes the response stored under the weak tag (RFC 9111
 * section 4.3.4).
 */
export function notModifiedFields(headers: FieldList, ifNoneMatch: string | undefined): FieldList {
  const at = headers.findIndex((text, i) => i % 2 === 0 && text === 'etag');
  if (ifNoneMatch === undefined || at < 0) return headers;
  const tag = headers[at + 1];
  // Earlier versions sent the weak tag without a suffix.
  if (!tag.startsWith('"') || !originTags(ifNoneMatch, false).includes(`W/${tag}`)) return headers;
  const fields = [...headers];
  fields[at + 1] = codedTag(tag);
  addVary(fields);
  return fields;
}

/**
 * Two codings of a representation are equivalent, but not byte for byte identical (RFC 9110
 * sections 8.8.1 and 8.8.3.3), so the tag is weak. The suffix distinguishes it from weak tags of
 * origins: `originTags` restores the tag, and If-Match of it holds at the origin.
 */
function codedTag(tag: string): string {
  return tag.startsWith('"') ? `W/${tag.slice(0, -1)}${SUFFIX}` : tag;
}

const SUFFIX = '-waypost"';
const CODED_TAG = /W\/("[\x21\x23-\x7e\x80-\xff]*)-waypost"/g;

/**
 * The tags of a condition as the origin knows them. `isStrong`: for If-Match, which compares
 * strongly (section 13.1.1).
 */
export function originTags(list: string, isStrong: boolean): string {
  return list.includes(SUFFIX) ? list.replace(CODED_TAG, isStrong ? '$1"' : 'W/$1"') : list;
}

/** A Vary that covers Accept-Encoding; "*" covers every field. */
const VARY_BY_CODING = /(?:^|,)[ \t]*(?:accept-encoding|\*)[ \t]*(?:,|$)/i;

function variesByCoding(headers: FieldList): boolean {
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i] === 'vary' && VARY_BY_CODING.test(headers[i + 1])) return true;
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
