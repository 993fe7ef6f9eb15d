/** The parts of a request that the cache needs, read in one pass over its fields. */
import { originTags } from '../../compress/fields.ts';
import type { FieldList } from '../../http/exchange/field-list.ts';
import { NO_REQUEST_DIRECTIVES, parseRequestCacheControl, type RequestDirectives } from './cache-control.ts';

export interface CacheRequest {
  readonly method: string;
  readonly directives: RequestDirectives;
  readonly hasAuthorization: boolean;
  readonly hasCookie: boolean;
  /** Values as received, but with the tags of the origin; undefined without the field. */
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly ifModifiedSince: string | undefined;
  /**
   * Only the origin may answer: the request has If-Match or If-Unmodified-Since (RFC 9111 section
   * 4.3.2), or a field that may select another target than the URL. The request is forwarded
   * unchanged, and its response is not stored.
   */
  readonly requiresOrigin: boolean;
}

/**
 * Of the cacheable methods (RFC 9110 section 9.2.3) a cache supports GET and HEAD. Other requests
 * bypass it.
 */
export const isCacheableMethod = (method: string): boolean => method === 'GET' || method === 'HEAD';

/**
 * `mayForceRevalidation`: whether no-cache, max-age, min-fresh and Pragma of a request have an
 * effect. Request directives are advice (RFC 9111 section 5.2.1). An operator may not want every
 * visitor to be able to force requests through to an origin.
 */
export function readRequest(method: string, headers: FieldList, mayForceRevalidation: boolean): CacheRequest {
  let cacheControl: string | undefined;
  let pragma: string | undefined;
  let range: string | undefined;
  let ifRange: string | undefined;
  let ifNoneMatch: string | undefined;
  let ifModifiedSince: string | undefined;
  let hasAuthorization = false;
  let hasCookie = false;
  let requiresOrigin = false;
  for (let i = 0; i < headers.length; i += 2) {
    const value = headers[i + 1];
    switch (headers[i]) {
      case 'cache-control':
        cacheControl = joinLines(cacheControl, value);
        break;
      case 'pragma':
        pragma = joinLines(pragma, value);
        break;
      case 'authorization':
        hasAuthorization = true;
        break;
      case 'cookie':
        hasCookie = true;
        break;
      case 'range':
        range = joinLines(range, value); // two ranges make an invalid one
        break;
      case 'if-range':
        ifRange = joinLines(ifRange, value);
        break;
      case 'if-none-match':
        ifNoneMatch = joinLines(ifNoneMatch, originTags(value, false));
        break;
      case 'if-modified-since':
        ifModifiedSince = joinLines(ifModifiedSince, value);
        break;
      case 'if-match':
      case 'if-unmodified-since':
        requiresOrigin = true;
        break;
      default:
        if (overridesTarget(headers[i])) requiresOrigin = true;
    }
  }
  return {
    method,
    directives: directivesOf(cacheControl, pragma, mayForceRevalidation),
    hasAuthorization,
    hasCookie,
    range,
    ifRange,
    ifNoneMatch,
    ifModifiedSince,
    requiresOrigin,
  };
}

/**
 * Fields that frameworks read in place of the request's method, host or path. They are not part of
 * the key, so a response to them could be served to all other visitors (cache poisoning).
 */
const TARGET_OVERRIDES: ReadonlySet<string> = new Set([
  'x-forwarded-method',
  'x-forwarded-path',
  'x-forwarded-uri',
  'x-host',
  'x-http-host-override',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-method',
  'x-original-uri',
  'x-original-url',
  'x-rewrite-uri',
  'x-rewrite-url',
]);

/**
 * Matches any spelling: CGI and similar servers treat all characters but letters and digits alike
 * (edge/proxy/request-fields.ts).
 */
function overridesTarget(name: string): boolean {
  if (name.charCodeAt(0) !== 0x78) return false;
  return (
    TARGET_OVERRIDES.has(name) ||
    (UNUSUAL_CHARACTER.test(name) && TARGET_OVERRIDES.has(name.replace(/[^a-z0-9]/g, '-')))
  );
}

const UNUSUAL_CHARACTER = /[^a-z0-9-]/;

const joinLines = (before: string | undefined, value: string): string =>
  before === undefined ? value : `${before}, ${value}`;

/**
 * Pragma counts only without Cache-Control (RFC 7234 section 5.4; RFC 9111 section 5.4 leaves it to
 * the cache).
 */
function directivesOf(
  cacheControl: string | undefined,
  pragma: string | undefined,
  mayForceRevalidation: boolean,
): RequestDirectives {
  if (cacheControl !== undefined) return parseRequestCacheControl(cacheControl, mayForceRevalidation);
  return pragma === undefined
    ? NO_REQUEST_DIRECTIVES
    : parseRequestCacheControl(onlyNoCache(pragma), mayForceRevalidation);
}

const onlyNoCache = (pragma: string): string => (/(?:^|,)[ \t]*no-cache[ \t]*(?:,|$)/i.test(pragma) ? 'no-cache' : '');
