/** Cache-Control (RFC 9111 section 5.2), of responses and of requests. */
import { addDirective, deltaSeconds, noDirectives, type ResponseDirectives } from './directives.ts';
import { members, trimmed, unquoted } from './fields.ts';

/** `value`: all lines joined. Never fails: unknown directives and malformed ones are ignored. */
export function parseCacheControl(value: string): ResponseDirectives {
  const directives = noDirectives();
  for (const member of members(value)) addDirective(directives, nameOf(member), argumentOf(member));
  return directives;
}

/** With a blank around "=" the name still counts, but the argument is invalid. */
function nameOf(member: string): string {
  const equals = member.indexOf('=');
  return trimmed(equals < 0 ? member : member.slice(0, equals)).toLowerCase();
}

const BLANK = /[ \t]/;

/**
 * Every directive may have a token or a quoted string (section 5.2). Any other form yields an
 * argument that no directive accepts.
 */
function argumentOf(member: string): string | undefined {
  const equals = member.indexOf('=');
  if (equals < 0) return undefined;
  const argument = member.slice(equals + 1);
  return BLANK.test(member[equals - 1]) ? '?' : (unquoted(argument) ?? argument);
}

/** Directives of a request (section 5.2.1). Seconds; -1: absent or invalid. */
export interface RequestDirectives {
  readonly noStore: boolean;
  readonly noCache: boolean;
  readonly onlyIfCached: boolean;
  readonly maxAge: number;
  /** Infinity without an argument: any staleness is accepted. */
  readonly maxStale: number;
  readonly minFresh: number;
  readonly staleIfError: number;
}

export const NO_REQUEST_DIRECTIVES: RequestDirectives = {
  noStore: false,
  noCache: false,
  onlyIfCached: false,
  maxAge: -1,
  maxStale: -1,
  minFresh: -1,
  staleIfError: -1,
};

/**
 * `mayForceRevalidation`: false ignores no-cache, max-age and min-fresh, which would send a request
 * to the origin despite a fresh response.
 */
export function parseRequestCacheControl(value: string, mayForceRevalidation: boolean): RequestDirectives {
  const directives = { ...NO_REQUEST_DIRECTIVES };
  for (const member of members(value)) {
    const argument = argumentOf(member);
    const seconds = argument === undefined ? -1 : deltaSeconds(argument);
    switch (nameOf(member)) {
      case 'no-store':
        directives.noStore = true;
        break;
      case 'only-if-cached':
        directives.onlyIfCached = true;
        break;
      case 'max-stale':
        directives.maxStale = argument === undefined ? Number.POSITIVE_INFINITY : seconds;
        break;
      case 'stale-if-error':
        directives.staleIfError = seconds;
        break;
      case 'no-cache':
        directives.noCache = mayForceRevalidation;
        break;
      case 'max-age':
        if (mayForceRevalidation) directives.maxAge = seconds;
        break;
      case 'min-fresh':
        if (mayForceRevalidation) directives.minFresh = seconds;
        break;
    }
  }
  return directives;
}
