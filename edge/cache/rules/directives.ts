/**
 * Directives of a response, from Cache-Control or CDN-Cache-Control (RFC 9111 section 5.2.2, RFC
 * 5861, RFC 8246).
 */
import { members } from './fields.ts';

/** Larger values count as 2^31, about 68 years. */
const MAX_DELTA_SECONDS = 2_147_483_648;

export interface ResponseDirectives {
  noStore: boolean;
  noCache: boolean;
  /**
   * Names in `no-cache="…"`, in lower case: only these fields may not be reused (section 5.2.2.4).
   */
  noCacheFields: string[];
  private: boolean;
  /** Names in `private="…"`, in lower case (section 5.2.2.7). */
  privateFields: string[];
  public: boolean;
  mustRevalidate: boolean;
  proxyRevalidate: boolean;
  mustUnderstand: boolean;
  immutable: boolean;
  /**
   * Seconds; -1: absent. An invalid value counts as 0: such a response is stale (section 4.2.1).
   */
  maxAge: number;
  sMaxage: number;
  /** Seconds; -1: absent or invalid. */
  staleWhileRevalidate: number;
  staleIfError: number;
}

export function noDirectives(): ResponseDirectives {
  return {
    noStore: false,
    noCache: false,
    noCacheFields: [],
    private: false,
    privateFields: [],
    public: false,
    mustRevalidate: false,
    proxyRevalidate: false,
    mustUnderstand: false,
    immutable: false,
    maxAge: -1,
    sMaxage: -1,
    staleWhileRevalidate: -1,
    staleIfError: -1,
  };
}

/**
 * Adds one directive. `name`: in lower case. `argument`: undefined without one. `mayNameFields`:
 * the argument is a string, which may be a list of field names. A directive that restricts applies
 * with any argument. A directive that permits applies only in its defined form. Of two values the
 * first one counts.
 */
export function addDirective(
  directives: ResponseDirectives,
  name: string,
  argument: string | undefined,
  mayNameFields = true,
): void {
  switch (name) {
    case 'no-store':
      directives.noStore = true;
      break;
    case 'no-cache':
      if (!addNames(directives.noCacheFields, mayNameFields ? argument : undefined)) directives.noCache = true;
      break;
    case 'private':
      if (!addNames(directives.privateFields, mayNameFields ? argument : undefined)) directives.private = true;
      break;
    case 'public':
      directives.public ||= argument === undefined;
      break;
    case 'must-revalidate':
      directives.mustRevalidate = true;
      break;
    case 'proxy-revalidate':
      directives.proxyRevalidate = true;
      break;
    case 'must-understand':
      directives.mustUnderstand ||= argument === undefined;
      break;
    case 'immutable':
      directives.immutable ||= argument === undefined;
      break;
    case 'max-age':
      if (directives.maxAge < 0) directives.maxAge = Math.max(0, deltaSeconds(argument ?? ''));
      break;
    case 's-maxage':
      if (directives.sMaxage < 0) directives.sMaxage = Math.max(0, deltaSeconds(argument ?? ''));
      break;
    case 'stale-while-revalidate':
      if (directives.staleWhileRevalidate < 0) directives.staleWhileRevalidate = deltaSeconds(argument ?? '');
      break;
    case 'stale-if-error':
      if (directives.staleIfError < 0) directives.staleIfError = deltaSeconds(argument ?? '');
      break;
  }
}

const FIELD_NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;

/**
 * False: the argument is not a list of field names, so the directive applies to the whole response.
 */
function addNames(target: string[], argument: string | undefined): boolean {
  const names = argument === undefined ? [] : members(argument.toLowerCase());
  if (names.length === 0 || !names.every((name) => FIELD_NAME.test(name))) return false;
  target.push(...names);
  return true;
}

/**
 * Seconds in cache directives and Age (RFC 9111 section 1.2.2). Seconds, at most MAX_DELTA_SECONDS;
 * -1: invalid.
 */
export function deltaSeconds(text: string): number {
  if (text.length === 0) return -1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x30 || code > 0x39) return -1;
  }
  return Math.min(Number(text), MAX_DELTA_SECONDS);
}
