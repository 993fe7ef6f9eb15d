/** How long a response is fresh (RFC 9111 section 4.2). All times in milliseconds. */
import { parseHttpDate } from './http-date.ts';
import type { ResponseFields } from './response-fields.ts';

/** Of the time since its last change that a response without a lifetime counts as fresh, as section 4.2.2 suggests. */
const HEURISTIC_FRACTION = 0.1;
/** And at most a day: a page that has not changed for years may do so tomorrow, and nobody said that it would not. */
const HEURISTIC_MOST = 86_400_000;

/** Heuristically cacheable (RFC 9110 section 15.1), without 206, which is not kept. */
const HEURISTIC_STATUS: ReadonlySet<number> = new Set([200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]);

/** Cacheable by its status alone, or by `public`, which stands in for it (RFC 9111 section 4.2.2). */
export function allowsHeuristic(status: number, fields: ResponseFields): boolean {
  return HEURISTIC_STATUS.has(status) || fields.directives.public;
}

/** Whether the response itself says how long (section 4.2.1). */
export function hasExplicitLifetime({ directives, expires }: ResponseFields): boolean {
  return directives.sMaxage >= 0 || directives.maxAge >= 0 || expires !== undefined;
}

/** Section 4.2.1, for a shared cache: s-maxage, max-age, Expires less Date; -1 without any. `date`: of Date, or the time of the response without one. */
export function explicitLifetime({ directives, expires }: ResponseFields, date: number): number {
  if (directives.sMaxage >= 0) return directives.sMaxage * 1000;
  if (directives.maxAge >= 0) return directives.maxAge * 1000;
  if (expires !== undefined) return positive(parseHttpDate(expires, date) - date); // no date is the past (section 5.3)
  return -1;
}

/**
 * The lifetime of a response that says none (section 4.2.2): a guess, or 0. None is made, unless a site asks for it (`guessesAll`), where it is often wrong: for a URI with a query,
 * which as a rule is that of a program whose Last-Modified says little (RFC 2616 section 13.9 forbade it), a response with Pragma, and one that differs by Cookie.
 */
export function heuristicLifetime(
  status: number,
  fields: ResponseFields,
  date: number,
  hasQuery: boolean,
  guessesAll: boolean,
): number {
  if (fields.lastModified === undefined || !allowsHeuristic(status, fields)) return 0;
  if (!guessesAll && (hasQuery || fields.hasPragma || VARIES_BY_COOKIE.test(fields.vary))) return 0;
  const unchanged = positive(date - parseHttpDate(fields.lastModified, date));
  return Math.min(Math.floor(unchanged * HEURISTIC_FRACTION), HEURISTIC_MOST);
}

const VARIES_BY_COOKIE = /(?:^|,)[ \t]*cookie[ \t]*(?:,|$)/i;

const positive = (time: number): number => (time > 0 ? time : 0); // NaN is not
