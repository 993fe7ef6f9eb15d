/** A rules document as the API takes it and the store keeps it: one ordered list for a domain. */

export interface RulesDocument {
  readonly rules: readonly Rule[];
}

export interface Rule {
  /** For people, and in counters. */
  readonly name?: string;
  /** False: the rule is skipped. Default: true. */
  readonly enabled?: boolean;
  /** The rule is matched and counted, but does nothing. */
  readonly dry_run?: boolean;
  /** All its members must hold. Empty or omitted: every request. */
  readonly match?: RuleMatch;
  /** The rule does not apply to requests for which all these members hold. */
  readonly except?: RuleMatch;
  readonly action: RuleAction;
}

export interface RuleMatch {
  /** `www.example.com`, or `*.example.com` for all names below. Any of them. */
  readonly host?: readonly string[];
  /** The normalised path without the query (path.ts). */
  readonly path?: TextMatch;
  readonly method?: readonly string[];
  /** Addresses and networks in CIDR notation. Any of them. */
  readonly client?: readonly string[];
  /** ISO 3166 codes of two letters. Any of them. */
  readonly country?: readonly string[];
  /** All of them. */
  readonly header?: readonly NamedMatch[];
  readonly cookie?: readonly NamedMatch[];
  readonly query?: readonly NamedMatch[];
}

/** Any member of any list. */
export interface TextMatch {
  readonly exact?: readonly string[];
  readonly prefix?: readonly string[];
  readonly suffix?: readonly string[];
  readonly contains?: readonly string[];
  readonly glob?: readonly string[];
  readonly regex?: readonly string[];
  readonly ignore_case?: boolean;
}

export const TEXT_LISTS = ['exact', 'prefix', 'suffix', 'contains', 'glob', 'regex'] as const;

/** Without lists: it is there, with any value. */
export interface NamedMatch extends TextMatch {
  /** Of a cookie or a query parameter, it may end in `*`. */
  readonly name: string;
  /** It is not there. */
  readonly absent?: boolean;
}

export type RuleAction =
  | { readonly type: 'allow' }
  | { readonly type: 'deny'; readonly status?: number }
  | LimitAction
  | { readonly type: 'redirect'; readonly location: string; readonly status?: number }
  | { readonly type: 'rewrite'; readonly path: string }
  | { readonly type: 'set_request_header' | 'set_response_header'; readonly name: string; readonly value: string }
  | { readonly type: 'remove_request_header' | 'remove_response_header'; readonly name: string }
  | CacheAction
  | { readonly type: 'bypass_cache' }
  | { readonly type: 'no_compression' }
  | BasicAuthAction
  | { readonly type: 'challenge' }
  | { readonly type: 'error_page'; readonly status: number; readonly message?: string }
  | { readonly type: 'maintenance'; readonly message?: string; readonly retry_after?: number }
  | { readonly type: 'origin'; readonly name: string };

export type ActionType = RuleAction['type'];

export interface LimitAction {
  readonly type: 'limit';
  /** On average, so many requests in a period. */
  readonly requests: number;
  /** Seconds. */
  readonly period: number;
  /** Requests that may come at once; default: `requests`. */
  readonly burst?: number;
  /** `address`, `network`, `header:NAME` or `cookie:NAME`; default: `address`. */
  readonly by?: string;
}

export interface CacheAction {
  readonly type: 'cache';
  /** Seconds that a response is fresh at the edge. */
  readonly ttl?: number;
  /** Whether `ttl` replaces what the origin says. Default: it only fills in. */
  readonly override?: boolean;
  readonly key?: CacheKeyParts;
}

interface CacheKeyParts {
  /** Only these query parameters are part of the key; empty: none. */
  readonly query_only?: readonly string[];
  /** All query parameters but these are part of the key. */
  readonly query_without?: readonly string[];
  readonly headers?: readonly string[];
  readonly cookies?: readonly string[];
}

export interface BasicAuthAction {
  readonly type: 'basic_auth';
  readonly realm?: string;
  readonly users: readonly BasicAuthUser[];
}

export interface BasicAuthUser {
  readonly name: string;
  /** Argon2id, in the PHC string format. */
  readonly hash: string;
}

/** Actions that decide about the request; the others change something and the next rule follows. */
const DECIDING: ReadonlySet<ActionType> = new Set<ActionType>([
  ...(['allow', 'deny', 'limit', 'redirect', 'basic_auth', 'challenge', 'error_page', 'maintenance'] as const),
]);

export const isDeciding = (type: ActionType): boolean => DECIDING.has(type);
