/**
 * The served addresses of one address family of a target, updated by each lookup. Pure: the caller
 * passes the times, in seconds.
 */
import type { AliasFamily } from '../../store/rows.ts';
import type { FamilyResult } from './target-lookup.ts';

export interface FamilyState {
  /** Null: never looked up, and queries get SERVFAIL. */
  readonly served: AliasFamily | null;
  /** Consecutive NXDOMAIN or NODATA results. */
  readonly negatives: number;
  /** Failed lookups since the last answer. */
  readonly failures: number;
  /** The TTL of the last answer, and its time. */
  readonly seenTtl: number;
  readonly seenAt: number;
  /** When the served TTL last changed. */
  readonly ttlSince: number;
}

/**
 * A single negative answer may be an error of the target's nameserver, and resolvers would cache
 * it. So a second lookup must confirm it before it replaces an answer.
 */
const CONFIRMATIONS = 2;
/** More than one, so that a lost packet makes no answer stale. */
const FAILURES_UNTIL_STALE = 2;
/**
 * Seconds before the served TTL may rise; it falls immediately. A resolver reports the remaining
 * TTL of its cached copy, which varies with the age of that copy.
 */
const RAISE_AFTER = 600;
/** Tolerance in seconds for the age of a resolver's cached copy. */
const CLOCK_SLACK = 2;

export function newFamily(served: AliasFamily | null): FamilyState {
  return { served, negatives: 0, failures: 0, seenTtl: 0, seenAt: 0, ttlSince: 0 };
}

/**
 * Returns the state after a lookup. `staleMax`: seconds for which an unconfirmed answer is served.
 */
export function advance(state: FamilyState, result: FamilyResult, now: number, staleMax: number): FamilyState {
  switch (result.kind) {
    case 'addresses':
      return found(state, result.addresses, result.ttl, result.isOwn, now);
    case 'none': {
      const negatives = state.negatives + 1;
      if (result.isOwn || negatives >= CONFIRMATIONS)
        return { ...found(state, [], result.ttl, true, now), negatives: CONFIRMATIONS };
      if (state.served === null) return { ...found(state, [], result.ttl, true, now), negatives };
      return { ...aged(state, now, staleMax), negatives, failures: 0, seenTtl: result.ttl, seenAt: now };
    }
    case 'failed':
      return aged({ ...state, failures: state.failures + 1 }, now, staleMax);
    default:
      return result satisfies never;
  }
}

function found(
  state: FamilyState,
  addresses: readonly string[],
  ttl: number,
  isOwn: boolean,
  now: number,
): FamilyState {
  const { served, seenTtl, seenAt, ttlSince } = state;
  const isSame = served !== null && equal(served.addresses, addresses);
  const isKept = isSame && !isOwn && (isOlderCopy(ttl, seenTtl, now - seenAt, served.ttl) || mustWait(ttl, served.ttl));
  const servedTtl = isKept ? served.ttl : ttl;
  return {
    served: { addresses, ttl: servedTtl, stale: false, goodAt: now },
    negatives: 0,
    failures: 0,
    seenTtl: ttl,
    seenAt: now,
    ttlSince: isSame && servedTtl === served.ttl ? ttlSince : now,
  };

  function mustWait(next: number, current: number): boolean {
    return next > current && now - ttlSince < RAISE_AFTER;
  }
}

const UNRESOLVABLE: AliasFamily = { addresses: [], ttl: 0, stale: false, goodAt: 0 };

/** The target could not be resolved, so it has no addresses. */
export const isUnresolvable = ({ goodAt }: AliasFamily): boolean => goodAt === 0;

/** Gives up a first lookup that has not ended. */
export function giveUp(state: FamilyState): FamilyState {
  return state.served === null ? { ...state, served: UNRESOLVABLE } : state;
}

/**
 * Whether a TTL is below the served TTL only because the resolver returned the same cached copy as
 * last time, which has aged by `passed`.
 */
function isOlderCopy(ttl: number, seenTtl: number, passed: number, servedTtl: number): boolean {
  return ttl < servedTtl && Math.abs(seenTtl - passed - ttl) <= CLOCK_SLACK;
}

/**
 * Keeps the last good answer for `staleMax`, marked as stale after its TTL (RFC 8767). After that,
 * and if there was none, no addresses are served.
 */
function aged(state: FamilyState, now: number, staleMax: number): FamilyState {
  const { served, failures } = state;
  if (served === null || now - served.goodAt > staleMax) return { ...state, served: UNRESOLVABLE };
  const isStale = failures >= FAILURES_UNTIL_STALE && now > served.goodAt + served.ttl;
  return isStale && !served.stale ? { ...state, served: { ...served, stale: true } } : state;
}

/** Delays until the next lookup, in seconds. */
const SHORTEST = 5;
const LONGEST = 3600;
const CONFIRM_LONGEST = 60;
const NEGATIVE_LONGEST = 300;
const BACKOFF_FIRST = 2;
const BACKOFF_LONGEST = 120;

/**
 * Seconds until the next lookup, with jitter from `random` in [0, 1). `isOwn`: our zones report
 * their changes, so the lookup only covers a missed report.
 */
export function delay(state: FamilyState, isOwn: boolean, random: number): number {
  const { served, negatives, failures, seenTtl } = state;
  if (failures > 0)
    return Math.min(BACKOFF_FIRST * 2 ** Math.min(failures - 1, 10), BACKOFF_LONGEST) * (0.8 + 0.4 * random);
  if (isOwn) return LONGEST * (0.8 + 0.2 * random);
  if (negatives > 0 && negatives < CONFIRMATIONS)
    return served?.addresses.length === 0 ? SHORTEST : clamp(seenTtl, SHORTEST, CONFIRM_LONGEST) + random;
  if (negatives > 0) return clamp(seenTtl, SHORTEST, NEGATIVE_LONGEST) * (0.75 + 0.15 * random);
  // An older copy: the next lookup happens after the resolver's cache has expired.
  if (served !== null && seenTtl < served.ttl) return clamp(seenTtl, SHORTEST, LONGEST) + 1 + random;
  return clamp(seenTtl, SHORTEST, LONGEST) * (0.75 + 0.15 * random);
}

/** Whether both produce the same response for clients. */
export function isServedAlike(a: AliasFamily | null, b: AliasFamily | null): boolean {
  if (a === null || b === null) return a === b;
  const isAlike = equal(a.addresses, b.addresses) && a.stale === b.stale;
  return isAlike && (a.ttl === b.ttl || a.addresses.length === 0);
}

function equal(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i]);
}

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);
