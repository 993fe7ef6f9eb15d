/** What a cache has to know of a request, read in one pass over its fields. */
import type { FieldList } from '../../http/exchange/field-list.ts';
import { NO_REQUEST_DIRECTIVES, parseRequestCacheControl, type RequestDirectives } from './cache-control.ts';

export interface CacheRequest {
  readonly method: string;
  readonly directives: RequestDirectives;
  readonly hasAuthorization: boolean;
  readonly hasCookie: boolean;
  /** Values as they came; undefined without the field. */
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly ifModifiedSince: string | undefined;
  /**
   * If-Match or If-Unmodified-Since: preconditions that only the origin may judge (RFC 9111 section 4.3.2); or a field by which an application may answer another target than the
   * URL. Such a request goes there as it is, and what comes back is not stored.
   */
  readonly isForOrigin: boolean;
}

/** RFC 9110 section 9.2.3, of which a cache can use GET and HEAD. Others go to the origin, and what comes back is not stored. */
export const isCacheableMethod = (method: string): boolean => method === 'GET' || method === 'HEAD';

/**
 * `mayInsist`: whether the visitor may ask for newer than what is fresh (no-cache, max-age, min-fresh, Pragma). Directives of requests are
 * advice (RFC 9111 section 5.2.1): who runs an edge may not want that anybody can send each request through to an origin.
 */
export function readRequest(method: string, headers: FieldList, mayInsist: boolean): CacheRequest {
  let cacheControl: string | undefined;
  let pragma: string | undefined;
  let range: string | undefined;
  let ifRange: string | undefined;
  let ifNoneMatch: string | undefined;
  let ifModifiedSince: string | undefined;
  let hasAuthorization = false;
  let hasCookie = false;
  let isForOrigin = false;
  for (let i = 0; i < headers.length; i += 2) {
    const value = headers[i + 1];
    switch (headers[i]) {
      case 'cache-control':
        cacheControl = joined(cacheControl, value);
        break;
      case 'pragma':
        pragma = joined(pragma, value);
        break;
      case 'authorization':
        hasAuthorization = true;
        break;
      case 'cookie':
        hasCookie = true;
        break;
      case 'range':
        range = joined(range, value); // two of them are none that can be read
        break;
      case 'if-range':
        ifRange = joined(ifRange, value);
        break;
      case 'if-none-match':
        ifNoneMatch = joined(ifNoneMatch, value);
        break;
      case 'if-modified-since':
        ifModifiedSince = joined(ifModifiedSince, value);
        break;
      case 'if-match':
      case 'if-unmodified-since':
        isForOrigin = true;
        break;
      default:
        if (namesOtherTarget(headers[i])) isForOrigin = true;
    }
  }
  return {
    method,
    directives: directivesOf(cacheControl, pragma, mayInsist),
    hasAuthorization,
    hasCookie,
    range,
    ifRange,
    ifNoneMatch,
    ifModifiedSince,
    isForOrigin,
  };
}

/**
 * Fields that frameworks take for the method, host or path in place of what the request has. The key knows nothing of them, so what is answered to them could be given to
 * everybody else (cache poisoning).
 */
const OTHER_TARGET: ReadonlySet<string> = new Set([
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

/** However it is spelled: servers of CGI and its kin take all that is no letter or digit for one (edge/proxy/request-fields.ts). */
function namesOtherTarget(name: string): boolean {
  if (name.charCodeAt(0) !== 0x78) return false;
  return OTHER_TARGET.has(name) || (UNUSUAL.test(name) && OTHER_TARGET.has(name.replace(/[^a-z0-9]/g, '-')));
}

const UNUSUAL = /[^a-z0-9-]/;

const joined = (before: string | undefined, value: string): string =>
  before === undefined ? value : `${before}, ${value}`;

/** Pragma counts only where nobody says Cache-Control (RFC 7234 section 5.4; RFC 9111 section 5.4 leaves it to caches). */
function directivesOf(
  cacheControl: string | undefined,
  pragma: string | undefined,
  mayInsist: boolean,
): RequestDirectives {
  if (cacheControl !== undefined) return parseRequestCacheControl(cacheControl, mayInsist);
  return pragma === undefined ? NO_REQUEST_DIRECTIVES : parseRequestCacheControl(onlyNoCache(pragma), mayInsist);
}

const onlyNoCache = (pragma: string): string => (/(?:^|,)[ \t]*no-cache[ \t]*(?:,|$)/i.test(pragma) ? 'no-cache' : '');
