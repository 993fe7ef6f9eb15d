/** The visitor's own conditions, answered from a stored response (RFC 9110 section 13.2.2, RFC 9111 section 4.3.2). */
import type { FieldList } from '../../http/exchange/field-list.ts';
import type { Facts } from './facts.ts';
import { parseHttpDate } from './http-date.ts';
import type { CacheRequest } from './request.ts';
import { listHolds } from './validators.ts';

/**
 * Whether the visitor has it already: 304. Steps 3 and 4 of the precedence; 1 and 2, If-Match and If-Unmodified-Since, are the
 * origin's to judge, which `judgeReuse` sees to. Of other statuses than 200 no condition is judged (section 13.2.1).
 */
export function isNotModified(request: CacheRequest, status: number, facts: Facts): boolean {
  if (status !== 200) return false;
  if (request.ifNoneMatch !== undefined) return listHolds(request.ifNoneMatch, facts.etag);
  if (request.ifModifiedSince === undefined) return false;
  const since = parseHttpDate(request.ifModifiedSince, facts.date);
  // Without Last-Modified by Date (RFC 9111 section 4.3.2). What is no date is passed over.
  return (Number.isNaN(facts.lastModified) ? facts.date : facts.lastModified) <= since;
}

/** Of the representation that the visitor keeps; a 304 repeats only what may have changed about it (section 15.4.5). */
const OF_THE_REPRESENTATION: ReadonlySet<string> = new Set([
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

/** The fields of a 304: those of the 200 without what describes its content, and without Last-Modified where an entity tag says it better. */
export function notModifiedFields(headers: FieldList, facts: Facts): string[] {
  const fields: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i];
    if (OF_THE_REPRESENTATION.has(name) || (name === 'last-modified' && facts.etag !== '')) continue;
    fields.push(name, headers[i + 1]);
  }
  return fields;
}
