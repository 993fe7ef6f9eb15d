/** Decides whether a shared cache may store a response (RFC 9111 section 3). */

import { isCacheTag } from '../../../core/base/cache-tag.ts';
import type { Heuristics } from '../../../core/store/rows.ts';
import type { FieldList } from '../../http/exchange/field-list.ts';
import type { ResponseDirectives } from './directives.ts';
import { type Facts, factsOf, hasValidator, type Received } from './facts.ts';
import { fieldValue, hasField, trimmed } from './fields.ts';
import { allowsHeuristic, hasExplicitLifetime } from './freshness.ts';
import { formatHttpDate, parseHttpDate } from './http-date.ts';
import type { CacheRequest } from './request.ts';
import { type ResponseFields, readResponseFields } from './response-fields.ts';
import { isHeuristicWithCredentials } from './reuse.ts';
import { selectingFields } from './vary.ts';

/**
 * Fields of a connection or of a proxy before this one, and the length, which the stored body has
 * itself. `cache-status` of other caches describes one request only; a later hit did not pass
 * through them.
 */
const NEVER_STORED: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'content-length',
  'cache-status',
]);

/**
 * A response is incomplete without these. A directive that names one of them applies to the whole
 * response (section 5.2.2.4, note).
 */
const ESSENTIAL: ReadonlySet<string> = new Set([
  'age',
  'cache-control',
  'cdn-cache-control',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'date',
  'etag',
  'expires',
  'last-modified',
  'location',
  'vary',
]);

/**
 * Tags of one response. A response with more tags, or with an invalid one, is not stored: a purge
 * by a missing tag would not find it.
 */
const MAX_TAGS = 256;

export type NotStored =
  | 'method' // not GET
  | 'request-no-store'
  | 'precondition' // If-Match, If-Unmodified-Since, or a field that overrides the target
  | 'one-request' // by its status: partial, or about the behaviour of one visitor
  | 'status' // unknown, or without a lifetime
  | 'no-store'
  | 'private'
  | 'authorization'
  | 'guess' // heuristic lifetime only, for a request with Cookie or Authorization
  | 'set-cookie'
  | 'vary'
  | 'tags'
  | 'too-large'
  | 'no-use'; // neither fresh nor possible to validate

type Storability =
  | { readonly store: false; readonly reason: NotStored }
  | {
      readonly store: true;
      /** These belong in StoredResponse. */
      readonly headers: FieldList;
      readonly selecting: FieldList;
      readonly tags: readonly string[];
      readonly facts: Facts;
    };

/**
 * Responses to one request only. 206, 226, 304, 412 and 416 depend on what the request selected
 * (RFC 9110 sections 13 and 14, RFC 3229 for 226); the cache never requests a part, so a 206 is
 * unexpected. RFC 6585 sections 3 to 6 forbid storing 428, 429, 431 and 511. Any visitor can
 * provoke the errors of the last row; where an origin gives all responses the same lifetime, such
 * an error would be served to everyone.
 */
const ONE_REQUEST_STATUS: ReadonlySet<number> = new Set([
  ...[206, 226, 304, 412, 416],
  ...[428, 429, 431, 511],
  ...[400, 408, 413, 417, 421, 425, 426],
]);

/**
 * The statuses of RFC 9110 section 15 and their caching requirements, for must-understand (RFC 9111
 * section 5.2.2.3).
 */
const UNDERSTOOD_STATUS: ReadonlySet<number> = new Set([
  ...[200, 201, 202, 203, 204, 205, 300, 301, 302, 303, 305, 307, 308],
  ...[400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 413, 414, 415, 417, 421, 422, 426],
  ...[500, 501, 502, 503, 504, 505],
]);

/**
 * `received.headers`: as received from the origin. `maxBodyBytes`: limit for content-length; the
 * writer checks the real length. `heuristics`: Site.heuristics.
 */
export function judgeStorable(
  request: CacheRequest,
  requestHeaders: FieldList,
  received: Received,
  maxBodyBytes: number,
  heuristics: Heuristics = 'static',
): Storability {
  const fields = readResponseFields(received.headers);
  const reason = reasonInRequest(request) ?? reasonInResponse(request, received, fields);
  if (reason !== undefined) return refuse(reason);
  if (Number(fieldValue(received.headers, 'content-length') ?? 0) > maxBodyBytes) return refuse('too-large');
  const headers = storableFields(received.headers, fields.directives, received.responseTime);
  if (hasField(headers, 'set-cookie') && !allowsSharedCookie(fields)) return refuse('set-cookie');
  const selecting = selectingFields(fields.vary, requestHeaders);
  if (selecting === undefined) return refuse('vary');
  const tags = parseCacheTags(fields.cacheTag);
  if (tags === undefined) return refuse('tags');
  const facts = factsOf(received, heuristics, fields);
  if (isHeuristicWithCredentials(facts, request)) return refuse('guess');
  return isWorthStoring(facts, fields, received.responseTime)
    ? { store: true, headers, selecting, tags, facts }
    : refuse('no-use');
}

const refuse = (reason: NotStored): Storability => ({ store: false, reason });

function reasonInRequest(request: CacheRequest): NotStored | undefined {
  if (request.method !== 'GET') return 'method';
  if (request.directives.noStore) return 'request-no-store';
  return request.requiresOrigin ? 'precondition' : undefined;
}

function reasonInResponse(request: CacheRequest, { status }: Received, fields: ResponseFields): NotStored | undefined {
  const { directives } = fields;
  if (status < 200) return 'status';
  if (ONE_REQUEST_STATUS.has(status)) return 'one-request';
  // must-understand comes together with no-store, which is for caches that do not know the former.
  if (directives.mustUnderstand ? !UNDERSTOOD_STATUS.has(status) : directives.noStore) {
    return directives.mustUnderstand ? 'status' : 'no-store';
  }
  if (directives.private || namesEssential(directives.privateFields)) return 'private';
  if (request.hasAuthorization && !allowsAuthorized(fields)) return 'authorization';
  return hasExplicitLifetime(fields) || allowsHeuristic(status, fields) ? undefined : 'status';
}

/** Whether a response to a request with Authorization may be stored (section 3.5). */
const allowsAuthorized = ({ directives }: ResponseFields): boolean =>
  directives.public || directives.mustRevalidate || directives.sMaxage >= 0;

/**
 * Set-Cookie does not forbid storing (section 7.3). But origins send session cookies with pages
 * whose max-age is meant for the visitor's browser. So the origin must address shared caches: by
 * s-maxage, or by CDN-Cache-Control with a lifetime. `public` is not enough: PHP sends it with a
 * max-age on every page of a session, next to the session cookie (session.cache_limiter).
 */
function allowsSharedCookie({ directives, isTargeted }: ResponseFields): boolean {
  return directives.sMaxage >= 0 || (isTargeted && directives.maxAge >= 0);
}

/**
 * Whether a response is worth storing: it is fresh, it may be used stale, or it can be validated
 * and its origin mentions caching. A response with an entity tag alone may be a private page.
 */
function isWorthStoring(facts: Facts, fields: ResponseFields, now: number): boolean {
  const { directives } = fields;
  const mentionsCaching =
    hasExplicitLifetime(fields) || directives.noCache || directives.mustRevalidate || directives.public;
  if (mentionsCaching && hasValidator(facts)) return true;
  if (facts.alwaysValidates) return false;
  return now < Math.max(facts.staleWhileRevalidateUntil, facts.staleIfErrorUntil);
}

/**
 * Cache-Tag: names by which many responses can be purged at once. Not from an RFC; other content
 * delivery networks read the field in the same way.
 *
 * Tags are separated by commas and case-sensitive. Undefined: too many, or an invalid one.
 */
export function parseCacheTags(value: string): string[] | undefined {
  if (value === '') return [];
  const tags = [
    ...new Set(
      value
        .split(',')
        .map(trimmed)
        .filter((tag) => tag !== ''),
    ),
  ];
  return tags.length <= MAX_TAGS && tags.every(isCacheTag) ? tags : undefined;
}

/** The fields of a response that are stored (RFC 9111 section 3.1). */
export const namesEssential = (names: readonly string[]): boolean => names.some((name) => ESSENTIAL.has(name));

/**
 * Copies the fields. It leaves out those that are never stored, and those named by `no-cache="…"`
 * and `private="…"` (sections 5.2.2.4 and 5.2.2.7). The time of receipt replaces a missing or
 * invalid Date (RFC 9110 section 6.6.1).
 */
export function storableFields(headers: FieldList, directives: ResponseDirectives, responseTime: number): string[] {
  const { noCacheFields, privateFields } = directives;
  const stored: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i];
    if (NEVER_STORED.has(name) || noCacheFields.includes(name) || privateFields.includes(name)) continue;
    if (name === 'date' && (hasField(stored, 'date') || Number.isNaN(parseHttpDate(headers[i + 1], responseTime))))
      continue;
    stored.push(name, headers[i + 1]);
  }
  if (!hasField(stored, 'date')) stored.push('date', formatHttpDate(responseTime));
  return stored;
}
