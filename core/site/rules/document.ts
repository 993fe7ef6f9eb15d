/** The rules document of the API and the store: one ordered list of rules for a domain. */

export interface RulesDocument {
  readonly rules: readonly Rule[];
}

export interface Rule {
  /** A label for people and counters. */
  readonly name?: string;
  /** False: the rule is skipped. Default: true. */
  readonly enabled?: boolean;
  /** The rule is matched and counted, but does nothing. */
  readonly dry_run?: boolean;
  /** All conditions must hold. Empty or omitted: every request matches. */
  readonly match?: RuleMatch;
  /** The rule is skipped if all these conditions hold. */
  readonly except?: RuleMatch;
  readonly action: RuleAction;
}

export interface RuleMatch {
  /** `www.example.com`, or `*.example.com` for all names below. One of them must match. */
  readonly host?: readonly string[];
  /** The normalised path without the query (path.ts). */
  readonly path?: TextMatch;
  readonly method?: readonly string[];
  /** Addresses and networks in CIDR notation. One of them must match. */
  readonly client?: readonly string[];
  /** ISO 3166 codes of two letters. One of them must match. */
  readonly country?: readonly string[];
  /** All of them must match. */
  readonly header?: readonly NamedMatch[];
  readonly cookie?: readonly NamedMatch[];
  readonly query?: readonly NamedMatch[];
}

/** The text must match one entry of one of the lists. */
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

/** Without lists, any value matches. */
export interface NamedMatch extends TextMatch {
  /** May end in `*` for a cookie or a query parameter. */
  readonly name: string;
  /** The value must be absent. */
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
  /** Requests per `period`, on average. */
  readonly requests: number;
  /** Seconds. */
  readonly period: number;
  /** Requests in a burst; default: `requests`. */
  readonly burst?: number;
  /** `address`, `network`, `header:NAME` or `cookie:NAME`; default: `address`. */
  readonly by?: string;
}

export interface CacheAction {
  readonly type: 'cache';
  /** Seconds that a response is fresh at the edge. */
  readonly ttl?: number;
  /**
   * Whether `ttl` replaces the lifetime that the origin sends. Default: `ttl` applies only if the
   * origin sends none.
   */
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

/**
 * Actions that decide about the request and stop the run. After any other action the next rule
 * follows.
 */
const DECIDING: ReadonlySet<ActionType> = new Set<ActionType>([
  ...(['allow', 'deny', 'limit', 'redirect', 'basic_auth', 'challenge', 'error_page', 'maintenance'] as const),
]);

export const isDeciding = (type: ActionType): boolean => DECIDING.has(type);
