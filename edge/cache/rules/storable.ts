/** May a response be stored (RFC 9111 section 3), in a cache that many visitors share? */
import type { FieldList } from '../../http/exchange/field-list.ts';
import { parseCacheTags } from './cache-tag.ts';
import { type Facts, factsOf, hasValidator, type Received } from './facts.ts';
import { fieldValue, hasField } from './fields.ts';
import { allowsHeuristic, hasExplicitLifetime } from './freshness.ts';
import type { CacheRequest } from './request.ts';
import { type ResponseFields, readResponseFields } from './response-fields.ts';
import { isForOthers } from './reuse.ts';
import { keptFields, namesEssential } from './stored-fields.ts';
import { selectingFields } from './vary.ts';

export type NotStored =
  | 'method' // not GET
  | 'request-no-store'
  | 'precondition' // If-Match, If-Unmodified-Since, or another target than the URL: the answer is to that
  | 'one-request' // by its status: partial, or an answer to how one visitor asked
  | 'status' // not understood, or without a lifetime
  | 'no-store'
  | 'private'
  | 'authorization'
  | 'guess' // without a lifetime, to a request with Cookie or Authorization
  | 'set-cookie'
  | 'vary'
  | 'tags'
  | 'too-large'
  | 'no-use'; // neither fresh nor to be validated

export type Storability =
  | { readonly store: false; readonly reason: NotStored }
  | {
      readonly store: true;
      /** For StoredResponse. */
      readonly headers: FieldList;
      readonly selecting: FieldList;
      readonly tags: readonly string[];
      readonly facts: Facts;
    };

/**
 * Answers to what one request asked of a representation (RFC 9110 sections 13 and 14, RFC 3229 for 226), to how one visitor behaves (RFC 6585 sections 3 to 6, which forbids to
 * store them), or to what is wrong with one request, which anybody can make to have an error kept for all, where an origin says the same lifetime of everything: no answer to
 * another one. 206: we fetch whole.
 */
const TO_ONE_REQUEST: ReadonlySet<number> = new Set([
  ...[206, 226, 304, 412, 416],
  ...[428, 429, 431, 511],
  ...[400, 408, 413, 417, 421, 425, 426],
]);

/** Those of RFC 9110 section 15 with their caching requirements, for must-understand (RFC 9111 section 5.2.2.3). */
const UNDERSTOOD: ReadonlySet<number> = new Set([
  ...[200, 201, 202, 203, 204, 205, 300, 301, 302, 303, 305, 307, 308],
  ...[400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 413, 414, 415, 417, 421, 422, 426],
  ...[500, 501, 502, 503, 504, 505],
]);

/**
 * `received.headers`: as they came from the origin. `largest`: bytes of a body that may be stored; a body may turn out longer than announced. `guessesAll`: Site.heuristicFreshness.
 */
export function judgeStorable(
  request: CacheRequest,
  requestHeaders: FieldList,
  received: Received,
  largest: number,
  guessesAll = false,
): Storability {
  const fields = readResponseFields(received.headers);
  const refused = refusedByRequest(request) ?? refusedByResponse(request, received, fields);
  if (refused !== undefined) return no(refused);
  if (Number(fieldValue(received.headers, 'content-length') ?? 0) > largest) return no('too-large');
  const headers = keptFields(received.headers, fields.directives, received.responseTime);
  if (hasField(headers, 'set-cookie') && !isForEverybody(fields)) return no('set-cookie');
  const selecting = selectingFields(fields.vary, requestHeaders);
  if (selecting === undefined) return no('vary');
  const tags = parseCacheTags(fields.cacheTag);
  if (tags === undefined) return no('tags');
  const facts = factsOf(received, guessesAll, fields);
  if (isForOthers(facts, request)) return no('guess');
  return isOfUse(facts, fields, received.responseTime)
    ? { store: true, headers, selecting, tags, facts }
    : no('no-use');
}

const no = (reason: NotStored): Storability => ({ store: false, reason });

function refusedByRequest(request: CacheRequest): NotStored | undefined {
  if (request.method !== 'GET') return 'method';
  if (request.directives.noStore) return 'request-no-store';
  return request.isForOrigin ? 'precondition' : undefined;
}

function refusedByResponse(request: CacheRequest, { status }: Received, fields: ResponseFields): NotStored | undefined {
  const { directives } = fields;
  if (status < 200) return 'status';
  if (TO_ONE_REQUEST.has(status)) return 'one-request';
  // An origin that says must-understand says no-store, too, for caches that don't know the one.
  if (directives.mustUnderstand ? !UNDERSTOOD.has(status) : directives.noStore) {
    return directives.mustUnderstand ? 'status' : 'no-store';
  }
  if (directives.private || namesEssential(directives.privateFields)) return 'private';
  if (request.hasAuthorization && !allowsAuthorized(fields)) return 'authorization';
  return hasExplicitLifetime(fields) || allowsHeuristic(status, fields) ? undefined : 'status';
}

/** Section 3.5. */
const allowsAuthorized = ({ directives }: ResponseFields): boolean =>
  directives.public || directives.mustRevalidate || directives.sMaxage >= 0;

/**
 * Set-Cookie forbids no storing (section 7.3), but origins send a visitor's session with pages whose max-age was meant for that visitor's
 * browser. So it has to be said for caches that are shared: s-maxage, or CDN-Cache-Control with a lifetime. `public` is not enough: PHP says it, with a max-age, of all pages of a
 * session (session.cache_limiter), beside the session's cookie.
 */
function isForEverybody({ directives, isTargeted }: ResponseFields): boolean {
  return directives.sMaxage >= 0 || (isTargeted && directives.maxAge >= 0);
}

/**
 * A response that is not fresh is worth keeping when it may be used stale, or when its origin spoke of caching and it can be validated. One
 * that has an entity tag and nothing else may be some visitor's own page.
 */
function isOfUse(facts: Facts, fields: ResponseFields, now: number): boolean {
  const { directives } = fields;
  const speaks = hasExplicitLifetime(fields) || directives.noCache || directives.mustRevalidate || directives.public;
  if (speaks && hasValidator(facts)) return true;
  if (facts.alwaysValidates) return false;
  return now < Math.max(facts.staleWhileRevalidateUntil, facts.staleIfErrorUntil);
}
