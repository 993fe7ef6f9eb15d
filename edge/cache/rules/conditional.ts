/**
 * The visitor's conditions, evaluated on a stored response (RFC 9110 section 13.2.2, RFC 9111
 * section 4.3.2).
 */
import type { FieldList } from '../../http/exchange/field-list.ts';
import type { Facts } from './facts.ts';
import { parseHttpDate } from './http-date.ts';
import type { CacheRequest } from './request.ts';
import { listMatches } from './validators.ts';

/**
 * Whether the visitor already has the response: 304. These are steps 3 and 4 of the precedence.
 * Only the origin may evaluate steps 1 and 2, If-Match and If-Unmodified-Since: `judgeReuse` sees
 * to that. Conditions apply to status 200 only (section 13.2.1).
 */
export function isNotModified(request: CacheRequest, status: number, facts: Facts): boolean {
  if (status !== 200) return false;
  if (request.ifNoneMatch !== undefined) return listMatches(request.ifNoneMatch, facts.etag);
  if (request.ifModifiedSince === undefined) return false;
  const since = parseHttpDate(request.ifModifiedSince, facts.date);
  // Without Last-Modified, Date counts (RFC 9111 section 4.3.2). An invalid date is ignored.
  return (Number.isNaN(facts.lastModified) ? facts.date : facts.lastModified) <= since;
}

/**
 * Metadata of the representation, which the visitor has already. A 304 repeats only fields that may
 * have changed (RFC 9110 section 15.4.5).
 */
const REPRESENTATION_FIELDS: ReadonlySet<string> = new Set([
  'accept-ranges',
  'content-digest',
  'content-encoding',
  'content-language',
  'content-length',
  'content-md5',
  'content-range',
  'content-type',
  'digest',
  'repr-digest',
]);

/**
 * The fields of a 304: those of the 200 without metadata of the content. An entity tag also makes
 * Last-Modified unnecessary.
 */
export function notModifiedFields(headers: FieldList, facts: Facts): string[] {
  const fields: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i];
    if (REPRESENTATION_FIELDS.has(name) || (name === 'last-modified' && facts.etag !== '')) continue;
    fields.push(name, headers[i + 1]);
  }
  return fields;
}
