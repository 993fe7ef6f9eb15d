/**
 * What is known of the names that ALIAS records lead to. One row a target, however many records
 * lead there.
 */
import type { Name } from '../../wire/name.ts';
import { nameKey, nameOfKey } from '../keys.ts';
import { json, type Table, unjson } from './table.ts';

/** The addresses of one family as they are served. */
export interface AliasFamily {
  /**
   * Rdata of A or AAAA as hexadecimal text, in canonical order. None: the target has no address of
   * this family.
   */
  readonly addresses: readonly string[];
  /** Seconds; the least of the target's chain. */
  readonly ttl: number;
  /** Kept past its TTL, since the target could not be resolved again (RFC 8767). */
  readonly stale: boolean;
  /**
   * When it was last known to be right, seconds since 1970; may be behind by as much as such rows
   * are not written for.
   */
  readonly goodAt: number;
}

/**
 * The owners whose answers the entry that writes the row makes again: those whose keys
 * (aliasOwnerKey, without the target) are in [from, to), as hexadecimal text. `to` null: to the
 * last one. A row with a `to` waits for the next piece.
 */
export interface Spread {
  readonly from: string;
  readonly to: string | null;
}

export interface AliasTarget {
  /** Absolute, in lower case. */
  readonly name: Name;
  /** Null: never known, or for too long not; SERVFAIL. */
  readonly a: AliasFamily | null;
  readonly aaaa: AliasFamily | null;
  /** What went wrong, for the customer to read. */
  readonly error: string | null;
  /** When it was last asked for, as of the time when the row was written. Seconds since 1970. */
  readonly checkedAt: number;
  /** Null: the row is written for what is not served. */
  readonly spread: Spread | null;
}

export const aliasTargets: Table<AliasTarget> = {
  number: 11,
  name: 'alias_targets',
  key: (row) => nameKey(row.name),
  encode: ({ name: _, ...row }) => json(row),
  decode: (key, value) => ({ name: nameOfKey(key, 0, key.length), ...unjson<Omit<AliasTarget, 'name'>>(value) }),
  lookups: () => [],
};
