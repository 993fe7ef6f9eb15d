/** Judges the delegation of a domain, and schedules its next check. Pure. */
import type { DelegationRow } from '../../store/rows.ts';
import type { FailedLook, ParentNameservers } from './look.ts';

/**
 * `live`: the parent has the expected nameservers and no others. `partial`: some of them, or others
 * as well. `elsewhere`: only others. `none`: no nameservers. `unknown`: the parent never answered.
 */
export const DELEGATION_STATES = ['live', 'partial', 'elsewhere', 'none', 'unknown'] as const;
export type DelegationState = (typeof DELEGATION_STATES)[number];

interface Delegation {
  readonly state: DelegationState;
  /** Names that any server of the parent has. */
  readonly seen: readonly string[];
  /** Expected names that at least one server of the parent does not have. */
  readonly missing: readonly string[];
  /** Names that any server of the parent has, although they are not expected. */
  readonly extra: readonly string[];
}

/** `expected`: names without the last dot. */
export function judgeDelegation(expected: readonly string[], row: DelegationRow | undefined): Delegation {
  const sets = row?.sets ?? [];
  const wanted = expected.map((name) => name.toLowerCase());
  const seen = [...new Set(sets.flat())].sort();
  const missing = wanted.filter((name) => sets.some((set) => !set.includes(name)));
  const extra = seen.filter((name) => !wanted.includes(name));
  const judge = (): DelegationState => {
    if (sets.length === 0) return 'unknown';
    if (seen.length === 0) return 'none';
    if (seen.length === extra.length) return 'elsewhere';
    return missing.length === 0 && extra.length === 0 ? 'live' : 'partial';
  };
  return { state: judge(), seen, missing: sets.length === 0 ? [] : missing, extra };
}

const HOUR = 3600;
/** Seconds until the next check. */
const LIVE_INTERVAL = 24 * HOUR;
const NEW_INTERVAL = HOUR;
const OTHER_INTERVAL = 12 * HOUR;
/** Seconds from its creation in which a domain is probably being delegated. */
const NEW = 3 * 24 * HOUR;

interface LookedAt {
  readonly domainId: number;
  /** When the domain was created. */
  readonly createdAt: number;
  readonly expected: readonly string[];
}

/** The row after a look. `before`: the previous row. `now`: seconds since 1970. */
export function noteDelegation(
  { domainId, createdAt, expected }: LookedAt,
  before: DelegationRow | undefined,
  look: ParentNameservers | FailedLook,
  now: number,
): DelegationRow {
  if ('trouble' in look) {
    const { zone = null, sets = [], checkedAt = null } = before ?? {};
    return { domainId, zone, sets, checkedAt, trouble: look.trouble, dueAt: now + NEW_INTERVAL };
  }
  const { zone, sets } = look;
  const row = { domainId, zone, sets, checkedAt: now, trouble: null, dueAt: 0 };
  const isLive = judgeDelegation(expected, row).state === 'live';
  const interval = isLive ? LIVE_INTERVAL : createdAt > now - NEW ? NEW_INTERVAL : OTHER_INTERVAL;
  return { ...row, dueAt: now + interval };
}

/** Whether a look has found the same as the previous look. */
export function isSameDelegation(before: DelegationRow | undefined, row: DelegationRow): boolean {
  const essence = ({ zone, sets, trouble }: DelegationRow): string => JSON.stringify([zone, sets, trouble]);
  return before !== undefined && essence(before) === essence(row);
}
