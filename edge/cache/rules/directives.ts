/** What Cache-Control, or CDN-Cache-Control in its place, says of a response (RFC 9111 section 5.2.2, RFC 5861, RFC 8246). */
import { deltaSeconds } from './delta-seconds.ts';
import { members } from './fields.ts';

export interface ResponseDirectives {
  noStore: boolean;
  noCache: boolean;
  /** Names of `no-cache="…"`, in lower case: only these fields may not be reused (section 5.2.2.4). */
  noCacheFields: string[];
  private: boolean;
  /** Names of `private="…"` (section 5.2.2.7). */
  privateFields: string[];
  public: boolean;
  mustRevalidate: boolean;
  proxyRevalidate: boolean;
  mustUnderstand: boolean;
  immutable: boolean;
  /** Seconds; -1: not said; 0 also when what was said is no number: such a response is stale (section 4.2.1). */
  maxAge: number;
  sMaxage: number;
  /** Seconds; -1: not said, or not in a way that can be understood. */
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
 * Adds one directive. `name`: in lower case; `argument`: what it says, undefined without one; `isText`: it was given as a text, and may
 * name fields. What restricts holds whatever its argument is; what permits holds only as it is defined. Of two values the first counts.
 */
export function addDirective(to: ResponseDirectives, name: string, argument: string | undefined, isText = true): void {
  switch (name) {
    case 'no-store':
      to.noStore = true;
      break;
    case 'no-cache':
      if (!addNames(to.noCacheFields, isText ? argument : undefined)) to.noCache = true;
      break;
    case 'private':
      if (!addNames(to.privateFields, isText ? argument : undefined)) to.private = true;
      break;
    case 'public':
      to.public ||= argument === undefined;
      break;
    case 'must-revalidate':
      to.mustRevalidate = true;
      break;
    case 'proxy-revalidate':
      to.proxyRevalidate = true;
      break;
    case 'must-understand':
      to.mustUnderstand ||= argument === undefined;
      break;
    case 'immutable':
      to.immutable ||= argument === undefined;
      break;
    case 'max-age':
      if (to.maxAge < 0) to.maxAge = Math.max(0, deltaSeconds(argument ?? ''));
      break;
    case 's-maxage':
      if (to.sMaxage < 0) to.sMaxage = Math.max(0, deltaSeconds(argument ?? ''));
      break;
    case 'stale-while-revalidate':
      if (to.staleWhileRevalidate < 0) to.staleWhileRevalidate = deltaSeconds(argument ?? '');
      break;
    case 'stale-if-error':
      if (to.staleIfError < 0) to.staleIfError = deltaSeconds(argument ?? '');
      break;
  }
}

const FIELD_NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;

/** False: it names no fields, or not only fields, and speaks of the whole response. */
function addNames(to: string[], argument: string | undefined): boolean {
  const names = argument === undefined ? [] : members(argument.toLowerCase());
  if (names.length === 0 || !names.every((name) => FIELD_NAME.test(name))) return false;
  to.push(...names);
  return true;
}
