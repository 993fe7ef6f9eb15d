/** The freshness lifetime of a response (RFC 9111 section 4.2). All times in milliseconds. */

import type { Heuristics } from '../../../core/store/rows.ts';
import type { FieldList } from '../../http/exchange/field-list.ts';
import type { ResponseDirectives } from './directives.ts';
import { parseHttpDate } from './http-date.ts';
import { type ResponseFields, readResponseFields } from './response-fields.ts';

/** Errors keep the lifetime that the origin gives them. */
const STATUSES: ReadonlySet<number> = new Set([200, 203, 204, 300, 301, 308]);
/** The origin says itself for how long a response may be stored, or that it must not be. */
const SAYS_LIFETIME = /(?:^|[,\s])(?:max-age|s-maxage|no-store|no-cache|private)(?:[,=\s]|$)/i;

/** A heuristic lifetime is this part of the time since the last change (section 4.2.2). */
const HEURISTIC_FRACTION = 0.1;
/** At most a day: a page that has not changed for years may still change tomorrow. */
const MAX_HEURISTIC = 86_400_000;

/** Heuristically cacheable statuses (RFC 9110 section 15.1) without 206, which is not stored. */
const HEURISTIC_STATUS: ReadonlySet<number> = new Set([200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]);

/**
 * Whether the status, or `public` in its place, permits a heuristic lifetime (RFC 9111 section
 * 4.2.2).
 */
export function allowsHeuristic(status: number, fields: ResponseFields): boolean {
  return HEURISTIC_STATUS.has(status) || fields.directives.public;
}

/** Whether the response has an explicit lifetime (section 4.2.1). */
export function hasExplicitLifetime({ directives, expires }: ResponseFields): boolean {
  return directives.sMaxage >= 0 || directives.maxAge >= 0 || expires !== undefined;
}

/**
 * For a shared cache: s-maxage, then max-age, then Expires minus Date (section 4.2.1); -1 without
 * any. `date`: of the Date field, else the time of the response.
 */
export function explicitLifetime({ directives, expires }: ResponseFields, date: number): number {
  if (directives.sMaxage >= 0) return directives.sMaxage * 1000;
  if (directives.maxAge >= 0) return directives.maxAge * 1000;
  // An invalid Expires is in the past (section 5.3).
  if (expires !== undefined) return positiveOrZero(parseHttpDate(expires, date) - date);
  return -1;
}

/**
 * The lifetime of a response without an explicit one (section 4.2.2), or 0. `key`: of the cache.
 * Unless the site wants all (Site.heuristics), none for responses where it is often wrong: pages
 * and data, which change with each deployment; with Pragma; varying by Cookie; for a URI with a
 * query, usually that of a program, whose Last-Modified means little (RFC 2616 section 13.9).
 */
export function heuristicLifetime(
  status: number,
  fields: ResponseFields,
  date: number,
  key: string,
  heuristics: Heuristics,
): number {
  if (heuristics === 'off' || fields.lastModified === undefined || !allowsHeuristic(status, fields)) return 0;
  if (heuristics === 'static' && !isStaticFile(fields, key)) return 0;
  const unchanged = positiveOrZero(date - parseHttpDate(fields.lastModified, date));
  return Math.min(Math.floor(unchanged * HEURISTIC_FRACTION), MAX_HEURISTIC);
}

/** A key without a query whose last segment has an extension with a letter, but not of a page. */
const FILE = /^[^?\n]*\/[^/?\n]*\.(?!(?:html?|xhtml|json)(?:\n|$))(?=\d*[a-z])[a-z\d]{1,10}(?:\n|$)/i;
const PAGE_TYPE = /^(?:text\/html|application\/xhtml\+xml|[a-z]+\/(?:json|[^;\s]*\+json))[ \t]*(?:;|$)/i;

const isStaticFile = ({ contentType, hasPragma, vary }: ResponseFields, key: string): boolean =>
  FILE.test(key) && !PAGE_TYPE.test(contentType) && !hasPragma && !VARIES_BY_COOKIE.test(vary);

const VARIES_BY_COOKIE = /(?:^|,)[ \t]*cookie[ \t]*(?:,|$)/i;

/** 0 also for NaN. */
const positiveOrZero = (time: number): number => (time > 0 ? time : 0);

interface RuleLifetime {
  /** Seconds; -1: as the origin says. */
  readonly ttl: number;
  readonly overrides: boolean;
  /** Seconds; -1: no maximum. */
  readonly maxTtl: number;
}

/**
 * The lifetime that a rule of the site gives to responses. It takes the form of CDN-Cache-Control
 * (RFC 9213), which replaces Cache-Control and Expires for the edge only: visitors still receive
 * what the origin says.
 */
export function withRuleTtl(status: number, headers: FieldList, { ttl, overrides, maxTtl }: RuleLifetime): FieldList {
  if (ttl < 0 || !STATUSES.has(status)) return withMaxTtl(headers, maxTtl);
  const kept: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i];
    // A cookie is for one visitor, whatever a rule says.
    if (name === 'set-cookie') return withMaxTtl(headers, maxTtl);
    const saysLifetime =
      name === 'expires' ||
      name === 'cdn-cache-control' ||
      (name === 'cache-control' && SAYS_LIFETIME.test(headers[i + 1]));
    if (saysLifetime && !overrides) return withMaxTtl(headers, maxTtl);
    if (name !== 'cdn-cache-control') kept.push(name, headers[i + 1]);
  }
  kept.push('cdn-cache-control', `max-age=${ttl}`);
  return kept;
}

/** Shortens the lifetime of the origin, and permits nothing that the origin does not. */
function withMaxTtl(headers: FieldList, maxTtl: number): FieldList {
  if (maxTtl < 0) return headers;
  const fields = readResponseFields(headers);
  const { directives } = fields;
  if (directives.noStore || directives.private || !hasExplicitLifetime(fields)) return headers;
  const lifetime = Math.floor(explicitLifetime(fields, dateOf(fields)) / 1000);
  if (lifetime + Math.max(0, directives.staleWhileRevalidate) <= maxTtl) return headers;
  // With a cookie, a lifetime in CDN-Cache-Control would permit what max-age does not.
  if (!fields.isTargeted && directives.sMaxage < 0 && headers.some((text, i) => i % 2 === 0 && text === 'set-cookie'))
    return headers;
  const kept = headers.filter((_, i) => headers[i & ~1] !== 'cdn-cache-control');
  kept.push('cdn-cache-control', targetedDirectives(directives, Math.min(lifetime, maxTtl), maxTtl));
  return kept;
}

function dateOf({ date }: ResponseFields): number {
  const now = Date.now();
  return date === undefined ? now : parseHttpDate(date, now);
}

/** The directives with another lifetime, and used stale until `maxTtl` at most. In seconds. */
function targetedDirectives(directives: ResponseDirectives, lifetime: number, maxTtl: number): string {
  const { privateFields, noCacheFields, staleIfError } = directives;
  const staleWhileRevalidate = Math.min(directives.staleWhileRevalidate, maxTtl - lifetime);
  const parts = [`${directives.sMaxage >= 0 ? 's-maxage' : 'max-age'}=${lifetime}`];
  if (directives.public) parts.push('public');
  if (directives.noCache) parts.push('no-cache');
  if (directives.mustRevalidate) parts.push('must-revalidate');
  if (directives.proxyRevalidate) parts.push('proxy-revalidate');
  if (directives.mustUnderstand) parts.push('must-understand');
  if (directives.immutable) parts.push('immutable');
  if (staleWhileRevalidate > 0) parts.push(`stale-while-revalidate=${staleWhileRevalidate}`);
  if (staleIfError >= 0) parts.push(`stale-if-error=${staleIfError}`);
  if (privateFields.length > 0) parts.push(`private="${privateFields.join(', ')}"`);
  if (noCacheFields.length > 0) parts.push(`no-cache="${noCacheFields.join(', ')}"`);
  return parts.join(', ');
}
