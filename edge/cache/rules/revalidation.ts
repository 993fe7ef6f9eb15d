/** Asking the origin whether a stored response still holds, and what is done with its answer (RFC 9111 sections 3.2, 4.3.1, 4.3.4, 4.3.5). */
import type { FieldList } from '../../http/exchange/field-list.ts';
import type { StoredResponse } from '../stored-response.ts';
import type { Facts, Received } from './facts.ts';
import { fieldValue, withoutFields } from './fields.ts';
import { formatHttpDate } from './http-date.ts';
import { isEntityTag, isWeak, matchStrongly, matchWeakly } from './validators.ts';
import { isNewer, ORIGIN_ACCEPT_ENCODING } from './vary.ts';

/** What the visitor asks of a representation: the cache asks for all of it, and answers these by itself. */
const VISITORS_OWN: ReadonlySet<string> = new Set([
  'accept-encoding',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'range',
]);

/**
 * The fields of a request to the origin whose response may be stored: for the whole representation, and, with `stored`, only if it is another
 * one (section 4.3.1). Directives of the visitor go along (section 5.2).
 */
export function fillRequestFields(headers: FieldList, stored?: Facts): string[] {
  const fields = withoutFields(headers, VISITORS_OWN);
  fields.push('accept-encoding', ORIGIN_ACCEPT_ENCODING);
  if (stored === undefined) return fields;
  if (stored.etag !== '') fields.push('if-none-match', stored.etag);
  if (!Number.isNaN(stored.lastModified)) fields.push('if-modified-since', formatHttpDate(stored.lastModified));
  return fields;
}

/**
 * Which stored responses a 304 speaks of (section 4.3.4). `candidates`: those that the request could have been answered with. None: the 304
 * is of no use, and the origin has to be asked again, without a condition.
 */
export function identifyUpdated<T extends StoredResponse>(candidates: readonly T[], headers: FieldList): readonly T[] {
  const etag = validTag(headers);
  if (etag !== '' && !isWeak(etag)) return candidates.filter((one) => matchStrongly(validTag(one.headers), etag));
  if (etag !== '') return newest(candidates.filter((one) => hasWeakMatch(one, etag)));
  const lastModified = fieldValue(headers, 'last-modified');
  if (lastModified !== undefined)
    return newest(candidates.filter((one) => fieldValue(one.headers, 'last-modified') === lastModified));
  // Some origins leave out the tag that they matched. There was one question, so that the answer is to that.
  return candidates.length === 1 ? candidates : [];
}

function validTag(headers: FieldList): string {
  const etag = fieldValue(headers, 'etag');
  return etag !== undefined && isEntityTag(etag) ? etag : '';
}

function hasWeakMatch(one: StoredResponse, etag: string): boolean {
  const stored = validTag(one.headers);
  return stored !== '' && matchWeakly(stored, etag);
}

function newest<T extends StoredResponse>(of: readonly T[]): readonly T[] {
  return of.length < 2 ? of : [of.reduce((best, one) => (isNewer(one, best) ? one : best))];
}

/** How the stored body is coded and cut: of the body, which stays (section 3.2). */
const OF_THE_BODY: ReadonlySet<string> = new Set(['content-encoding', 'content-length', 'content-range']);

/**
 * The response that a 304, or a 200 to HEAD, makes of a stored one: the fields that it gives replace the stored ones (section 3.2). To be judged by
 * `judgeStorable` like one that came whole, since the new fields may forbid to keep it.
 */
export function freshened(
  stored: StoredResponse,
  update: FieldList,
  requestTime: number,
  responseTime: number,
): Received {
  const given = withoutFields(update, OF_THE_BODY);
  const replaced = new Set<string>(['age', 'date']);
  for (let i = 0; i < given.length; i += 2) replaced.add(given[i]);
  const { key, status, headers } = stored;
  return { key, status, headers: [...withoutFields(headers, replaced), ...given], requestTime, responseTime };
}

/**
 * What a 200 to HEAD says of a stored response to GET that it could have been answered with (section 4.3.5): `update` it, or `invalidate` it, since it is of
 * another representation. `length`: of the stored body.
 */
export function judgeHead(stored: StoredResponse, headers: FieldList): 'update' | 'invalidate' {
  const length = fieldValue(headers, 'content-length');
  if (length !== undefined && Number(length) !== stored.body.length) return 'invalidate';
  const isSame = (name: string): boolean => {
    const given = fieldValue(headers, name);
    return given === undefined || given === fieldValue(stored.headers, name);
  };
  return isSame('etag') && isSame('last-modified') ? 'update' : 'invalidate';
}
