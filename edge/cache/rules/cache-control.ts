/** Cache-Control (RFC 9111 section 5.2), of responses and of requests. */
import { deltaSeconds } from './delta-seconds.ts';
import { addDirective, noDirectives, type ResponseDirectives } from './directives.ts';
import { members, trimmed, unquoted } from './fields.ts';

/** `value`: all lines as one. Never fails: what is no directive says nothing, unless its name is known. */
export function parseCacheControl(value: string): ResponseDirectives {
  const directives = noDirectives();
  for (const member of members(value)) addDirective(directives, nameOf(member), argumentOf(member));
  return directives;
}

/** A blank around "=" is no part of a directive: its name counts, and its argument is none that can be used. */
function nameOf(member: string): string {
  const equals = member.indexOf('=');
  return trimmed(equals < 0 ? member : member.slice(0, equals)).toLowerCase();
}

const BLANK = /[ \t]/;

/** Either form, token and quoted string, for every directive (section 5.2). A form that is neither gives what no directive understands. */
function argumentOf(member: string): string | undefined {
  const equals = member.indexOf('=');
  if (equals < 0) return undefined;
  const argument = member.slice(equals + 1);
  return BLANK.test(member[equals - 1]) ? '?' : (unquoted(argument) ?? argument);
}

/** What a request asks of caches (section 5.2.1). Seconds; -1: not said. */
export interface RequestDirectives {
  readonly noStore: boolean;
  readonly noCache: boolean;
  readonly onlyIfCached: boolean;
  readonly maxAge: number;
  /** Infinity without a number: however stale it is. */
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

/** `mayInsist`: false: what would send a request to the origin though there is a fresh response (no-cache, max-age, min-fresh) is not heard. */
export function parseRequestCacheControl(value: string, mayInsist: boolean): RequestDirectives {
  const said = { ...NO_REQUEST_DIRECTIVES };
  for (const member of members(value)) {
    const argument = argumentOf(member);
    const seconds = argument === undefined ? -1 : deltaSeconds(argument);
    switch (nameOf(member)) {
      case 'no-store':
        said.noStore = true;
        break;
      case 'only-if-cached':
        said.onlyIfCached = true;
        break;
      case 'max-stale':
        said.maxStale = argument === undefined ? Number.POSITIVE_INFINITY : seconds;
        break;
      case 'stale-if-error':
        said.staleIfError = seconds;
        break;
      case 'no-cache':
        said.noCache = mayInsist;
        break;
      case 'max-age':
        if (mayInsist) said.maxAge = seconds;
        break;
      case 'min-fresh':
        if (mayInsist) said.minFresh = seconds;
        break;
    }
  }
  return said;
}
