/** May a stored response be used (RFC 9111 sections 4, 4.2 and 5.2.1; RFC 5861; RFC 8246)? Times in milliseconds since 1970. */
import type { RequestDirectives } from './cache-control.ts';
import { type Facts, hasValidator } from './facts.ts';
import type { CacheRequest } from './request.ts';

export type Reuse =
  | 'fresh'
  /** The visitor takes it stale (max-stale). */
  | 'stale'
  /** Stale, used now; the origin is asked behind it. */
  | 'stale-while-revalidate'
  /** The origin is asked whether it still holds. */
  | 'validate'
  | 'fetch'
  /** 504: the visitor takes nothing that is not here (only-if-cached). */
  | 'gateway-timeout';

/** Whether a stored response is fresh by a guess alone, which is none for who says who they are: what they get may well be another. */
export const isForOthers = (facts: Facts, request: CacheRequest): boolean =>
  facts.isGuessed && (request.hasCookie || request.hasAuthorization);

/** `facts` of the stored response that is selected; undefined: there is none. For methods that are cacheable. */
export function judgeReuse(facts: Facts | undefined, request: CacheRequest, now: number): Reuse {
  if (request.isForOrigin) return 'fetch';
  const { directives } = request;
  const isUsable = facts !== undefined && !facts.alwaysValidates && !isForOthers(facts, request);
  if (isUsable && satisfies(facts, directives, now)) {
    if (now < facts.freshUntil) return 'fresh';
    if (now < facts.staleWhileRevalidateUntil) return 'stale-while-revalidate';
    if (!facts.neverStale && now <= facts.freshUntil + directives.maxStale * 1000) return 'stale';
  }
  if (directives.onlyIfCached) return 'gateway-timeout';
  return facts !== undefined && hasValidator(facts) ? 'validate' : 'fetch';
}

/**
 * Whether it is as new as the visitor asks. What is immutable does not become newer by asking while it is fresh, unless the visitor says
 * no-cache (RFC 8246 section 2).
 */
function satisfies(facts: Facts, directives: RequestDirectives, now: number): boolean {
  if (directives.noCache) return false;
  if (facts.isImmutable && now < facts.freshUntil) return true;
  if (directives.maxAge >= 0 && now - facts.bornAt > directives.maxAge * 1000) return false;
  return directives.minFresh < 0 || facts.freshUntil - now >= directives.minFresh * 1000;
}

/** Statuses that count as the origin's failure (RFC 5861 section 4). */
export const isServerError = (status: number): boolean => status >= 500 && status <= 504 && status !== 501;

/**
 * Whether it is used in place of an error: the origin could not be reached, or answered with one of `isServerError`. Allowed to the end of
 * stale-if-error, of the response or of the request, and always while it is fresh (RFC 9111 section 4.3.3).
 */
export function mayUseOnError(facts: Facts, request: CacheRequest, now: number): boolean {
  if (facts.alwaysValidates || request.directives.noCache || isForOthers(facts, request)) return false;
  if (now < facts.staleIfErrorUntil) return true;
  const { staleIfError } = request.directives;
  return !facts.neverStale && staleIfError >= 0 && now < facts.freshUntil + staleIfError * 1000;
}
