/**
 * What is answered for one address family of a target, as one look after the other finds it. Pure:
 * times come from the caller, in seconds.
 */
import type { AliasFamily } from '../../store/rows.ts';
import type { FamilyResult } from './target-lookup.ts';

export interface FamilyState {
  /** Null: not known, SERVFAIL. */
  readonly served: AliasFamily | null;
  /** Answers "no such name" or "no such data" in a row. */
  readonly negatives: number;
  /** Looks that came to nothing since the last answer. */
  readonly failures: number;
  /** The TTL that was seen last, and when. */
  readonly seenTtl: number;
  readonly seenAt: number;
  /** When the TTL that is served was last changed. */
  readonly ttlSince: number;
}

/**
 * One "no" may be a slip of a server of the target, and would be kept by all who ask; what
 * says so twice is believed.
 */
const CONFIRMATIONS = 2;
/** One lost packet makes nothing stale. */
const FAILURES_UNTIL_STALE = 2;
/**
 * A TTL follows downwards at once and upwards when it has lasted: what resolvers say falls with the
 * age of what they keep.
 */
const RAISE_AFTER = 600;
/** How exactly the age of what a resolver keeps can be found. */
const CLOCK_SLACK = 2;

export function newFamily(served: AliasFamily | null): FamilyState {
  return { served, negatives: 0, failures: 0, seenTtl: 0, seenAt: 0, ttlSince: 0 };
}

/**
 * The state after a look. `staleMax`: seconds for which an answer is kept that cannot be confirmed.
 */
export function advance(state: FamilyState, result: FamilyResult, now: number, staleMax: number): FamilyState {
  switch (result.kind) {
    case 'addresses':
      return found(state, result.addresses, result.ttl, result.isOwn, now);
    case 'none': {
      const negatives = state.negatives + 1;
      if (result.isOwn || negatives >= CONFIRMATIONS)
        return { ...found(state, [], result.ttl, true, now), negatives: CONFIRMATIONS };
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

/**
 * Whether a TTL is lower than what is served only since the resolver gave the same copy as the last
 * time, older by as much as has passed.
 */
function isOlderCopy(ttl: number, seenTtl: number, passed: number, servedTtl: number): boolean {
  return ttl < servedTtl && Math.abs(seenTtl - passed - ttl) <= CLOCK_SLACK;
}

/**
 * The last good answer is kept for a while, as stale once its TTL is over (RFC 8767), then nothing
 * is.
 */
function aged(state: FamilyState, now: number, staleMax: number): FamilyState {
  const { served, failures } = state;
  if (served === null) return state;
  if (now - served.goodAt > staleMax) return { ...state, served: null };
  const isStale = failures >= FAILURES_UNTIL_STALE && now > served.goodAt + served.ttl;
  return isStale && !served.stale ? { ...state, served: { ...served, stale: true } } : state;
}

/** Seconds. */
const SHORTEST = 5;
const LONGEST = 3600;
const CONFIRM_LONGEST = 60;
const NEGATIVE_LONGEST = 300;
const BACKOFF_FIRST = 2;
const BACKOFF_LONGEST = 120;

/**
 * Seconds until the next look, with jitter: `random` in [0, 1). `isOwn`: changes tell themselves,
 * and the look is for what none reported.
 */
export function delay(state: FamilyState, isOwn: boolean, random: number): number {
  const { served, negatives, failures, seenTtl } = state;
  if (failures > 0)
    return Math.min(BACKOFF_FIRST * 2 ** Math.min(failures - 1, 10), BACKOFF_LONGEST) * (0.8 + 0.4 * random);
  if (isOwn) return LONGEST * (0.8 + 0.2 * random);
  if (negatives > 0 && negatives < CONFIRMATIONS)
    return served === null ? SHORTEST : clamp(seenTtl, SHORTEST, CONFIRM_LONGEST) + random;
  if (negatives > 0) return clamp(seenTtl, SHORTEST, NEGATIVE_LONGEST) * (0.75 + 0.15 * random);
  // An older copy: the next look is made when the resolver has to fetch a new one.
  if (served !== null && seenTtl < served.ttl) return clamp(seenTtl, SHORTEST, LONGEST) + 1 + random;
  return clamp(seenTtl, SHORTEST, LONGEST) * (0.75 + 0.15 * random);
}

/** Whether clients get the same of both. */
export function isServedAlike(a: AliasFamily | null, b: AliasFamily | null): boolean {
  if (a === null || b === null) return a === b;
  const isAlike = equal(a.addresses, b.addresses) && a.stale === b.stale;
  return isAlike && (a.ttl === b.ttl || a.addresses.length === 0);
}

function equal(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i]);
}

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);
