/**
 * Decides whether a stored response may be used (RFC 9111 sections 4, 4.2 and 5.2.1; RFC 5861; RFC
 * 8246). Times in milliseconds since 1970.
 */
import type { RequestDirectives } from './cache-control.ts';
import { type Facts, hasValidator } from './facts.ts';
import type { CacheRequest } from './request.ts';

export type Reuse =
  | 'fresh'
  /** The request accepts a stale response (max-stale). */
  | 'stale'
  /** The stale response is used now and revalidated in the background. */
  | 'stale-while-revalidate'
  /** The origin must confirm the stored response. */
  | 'validate'
  | 'fetch'
  /** 504: the request accepts stored responses only (only-if-cached). */
  | 'gateway-timeout';

/**
 * A heuristic lifetime does not apply to a visitor with credentials: the origin may well have
 * another response for them.
 */
export const isHeuristicWithCredentials = (facts: Facts, request: CacheRequest): boolean =>
  facts.isHeuristic && (request.hasCookie || request.hasAuthorization);

/**
 * Whether the response to another visitor's request is likely to serve this one too: not if the
 * origin is asked for each. `facts`: of the stored response that is replaced; undefined: none.
 */
export function mayShareFetch(facts: Facts | undefined, request: CacheRequest, now: number): boolean {
  if (facts === undefined) return true;
  const { bornAt, freshUntil, alwaysValidates } = facts;
  return freshUntil > bornAt && now >= freshUntil && !alwaysValidates && !isHeuristicWithCredentials(facts, request);
}

/** For cacheable methods. `facts`: of the selected stored response; undefined: none. */
export function judgeReuse(facts: Facts | undefined, request: CacheRequest, now: number): Reuse {
  if (request.requiresOrigin) return 'fetch';
  const { directives } = request;
  const isUsable = facts !== undefined && !facts.alwaysValidates && !isHeuristicWithCredentials(facts, request);
  if (isUsable && isNewEnough(facts, directives, now)) {
    if (now < facts.freshUntil) return 'fresh';
    if (now < facts.staleWhileRevalidateUntil) return 'stale-while-revalidate';
    if (!facts.neverStale && now <= facts.freshUntil + directives.maxStale * 1000) return 'stale';
  }
  if (directives.onlyIfCached) return 'gateway-timeout';
  return facts !== undefined && hasValidator(facts) ? 'validate' : 'fetch';
}

/**
 * Whether the response is as new as the request demands. While an immutable response is fresh, only
 * no-cache demands a newer one (RFC 8246 section 2).
 */
function isNewEnough(facts: Facts, directives: RequestDirectives, now: number): boolean {
  if (directives.noCache) return false;
  if (facts.isImmutable && now < facts.freshUntil) return true;
  if (directives.maxAge >= 0 && now - facts.bornAt > directives.maxAge * 1000) return false;
  return directives.minFresh < 0 || facts.freshUntil - now >= directives.minFresh * 1000;
}

/** Statuses that count as a failure of the origin (RFC 5861 section 4). */
export const isServerError = (status: number): boolean => status >= 500 && status <= 504 && status !== 501;

/**
 * Whether the stored response may replace an error: no connection to the origin, or a status of
 * `isServerError`. A fresh response always may (RFC 9111 section 4.3.3). A stale one may until
 * stale-if-error of the response or of the request has passed. `isDisconnected`: no origin can be
 * reached, so any stale response may, unless it forbids that (RFC 9111 section 4.2.4).
 */
export function mayUseOnError(facts: Facts, request: CacheRequest, now: number, isDisconnected = false): boolean {
  if (facts.alwaysValidates || request.directives.noCache || isHeuristicWithCredentials(facts, request)) return false;
  if (now < facts.staleIfErrorUntil || (isDisconnected && !facts.neverStale)) return true;
  const { staleIfError } = request.directives;
  return !facts.neverStale && staleIfError >= 0 && now < facts.freshUntil + staleIfError * 1000;
}
