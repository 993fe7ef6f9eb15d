/**
 * Validation of stored responses by the origin, and what its response changes (RFC 9111 sections
 * 3.2, 4.3.1, 4.3.4 and 4.3.5).
 */
import type { FieldList } from '../../http/exchange/field-list.ts';
import { derivedOf, markRecurring } from '../../http/exchange/recurring-fields.ts';
import type { StoredResponse } from '../stored-response.ts';
import type { Facts, Received } from './facts.ts';
import { fieldValue, withoutFields } from './fields.ts';
import { formatHttpDate } from './http-date.ts';
import { isEntityTag, isWeak, matchStrongly, matchWeakly } from './validators.ts';
import { isNewer, ORIGIN_ACCEPT_ENCODING } from './vary.ts';

/**
 * Fields that select a part or form of the representation. The cache fetches the whole, and applies
 * these fields itself.
 */
const VISITOR_SPECIFIC: ReadonlySet<string> = new Set([
  'accept-encoding',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'range',
]);

/**
 * The fields of a request to the origin whose response may be stored. The request is for the whole
 * representation; with `stored`, only if that has changed (section 4.3.1). The visitor's directives
 * are forwarded (section 5.2).
 */
export function fillRequestFields(headers: FieldList, stored?: Facts): FieldList {
  const derived = stored === undefined ? derivedOf(headers) : undefined;
  if (derived?.shared !== undefined) return derived.shared;
  const fields = withoutFields(headers, VISITOR_SPECIFIC);
  fields.push('accept-encoding', ORIGIN_ACCEPT_ENCODING);
  if (derived !== undefined) {
    derived.shared = fields;
    markRecurring(fields);
  }
  if (stored === undefined) return fields;
  if (stored.etag !== '') fields.push('if-none-match', stored.etag);
  if (!Number.isNaN(stored.lastModified)) fields.push('if-modified-since', formatHttpDate(stored.lastModified));
  return fields;
}

/**
 * The stored responses that a 304 confirms (section 4.3.4). `candidates`: those that the request
 * selects. Empty: the 304 is useless, and the cache must repeat the request without a condition.
 */
export function identifyUpdated<T extends StoredResponse>(candidates: readonly T[], headers: FieldList): readonly T[] {
  const etag = entityTagOf(headers);
  if (etag !== '' && !isWeak(etag))
    return candidates.filter((candidate) => matchStrongly(entityTagOf(candidate.headers), etag));
  if (etag !== '') return newest(candidates.filter((candidate) => hasWeakMatch(candidate, etag)));
  const lastModified = fieldValue(headers, 'last-modified');
  if (lastModified !== undefined)
    return newest(candidates.filter((candidate) => fieldValue(candidate.headers, 'last-modified') === lastModified));
  // Some origins omit the tag that they matched. With one candidate, the 304 is about that one.
  return candidates.length === 1 ? candidates : [];
}

function entityTagOf(headers: FieldList): string {
  const etag = fieldValue(headers, 'etag');
  return etag !== undefined && isEntityTag(etag) ? etag : '';
}

function hasWeakMatch(response: StoredResponse, etag: string): boolean {
  const stored = entityTagOf(response.headers);
  return stored !== '' && matchWeakly(stored, etag);
}

function newest<T extends StoredResponse>(responses: readonly T[]): readonly T[] {
  return responses.length < 2
    ? responses
    : [responses.reduce((best, response) => (isNewer(response, best) ? response : best))];
}

/** Fields that describe the form of the stored body, which does not change (section 3.2). */
const BODY_FIELDS: ReadonlySet<string> = new Set(['content-encoding', 'content-length', 'content-range']);

/**
 * The response that results when a 304, or a 200 to HEAD, updates a stored one: its fields replace
 * the stored ones (section 3.2). `judgeStorable` must judge the result like a new response, since
 * the new fields may forbid storing.
 */
export function freshenResponse(
  stored: StoredResponse,
  update: FieldList,
  requestTime: number,
  responseTime: number,
): Received {
  const newFields = withoutFields(update, BODY_FIELDS);
  const replaced = new Set<string>(['age', 'date']);
  for (let i = 0; i < newFields.length; i += 2) replaced.add(newFields[i]);
  const { key, status, headers } = stored;
  return { key, status, headers: [...withoutFields(headers, replaced), ...newFields], requestTime, responseTime };
}

/**
 * What a 200 to HEAD means for the stored response to GET that the request selects (section 4.3.5):
 * update its fields, or invalidate it because it is another representation.
 */
export function judgeHead(stored: StoredResponse, headers: FieldList): 'update' | 'invalidate' {
  const length = fieldValue(headers, 'content-length');
  if (length !== undefined && Number(length) !== stored.body.length) return 'invalidate';
  const isSame = (name: string): boolean => {
    const value = fieldValue(headers, name);
    return value === undefined || value === fieldValue(stored.headers, name);
  };
  return isSame('etag') && isSame('last-modified') ? 'update' : 'invalidate';
}
