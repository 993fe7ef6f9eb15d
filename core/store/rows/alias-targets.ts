/**
 * What is known of the names that ALIAS records lead to. One row a target, however many records
 * lead there. It has an entry of its own for each account whose zones the target leads through:
 * what an account has in its zones counts for its own ALIAS records alone.
 */
import type { Name } from '../../dns/wire/name.ts';
import { type Id, nameKey, nameOfKey } from '../keys.ts';
import { json, table, unjson } from './table.ts';

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

export interface AliasEntry {
  /** Null: never known, or for too long not; SERVFAIL. */
  readonly a: AliasFamily | null;
  readonly aaaa: AliasFamily | null;
  /** What went wrong, for the customer to read. */
  readonly error: string | null;
  /** When it was last asked for, as of the time when the row was written. Seconds since 1970. */
  readonly checkedAt: number;
  /** Null: the entry is written for what is not served. */
  readonly spread: Spread | null;
}

/** The row itself is the entry of all accounts without one of their own. */
export interface AliasTarget extends AliasEntry {
  /** Absolute, in lower case. */
  readonly name: Name;
  /** Entries of accounts, by their ids; omitted: there are none. */
  readonly own?: Readonly<Record<string, AliasEntry>>;
  /**
   * No account uses the row's own entry, which repeats that of this account: earlier versions read
   * nothing else. Omitted: the row has an entry of its own.
   */
  readonly repeats?: Id;
}

/** The entry that the ALIAS records of an account are answered from; null: nothing is known. */
export function entryFor(row: AliasTarget, account: Id): AliasEntry | null {
  return row.own?.[account] ?? entryOf(row, null);
}

/** The entry of an account itself, or (null) that of all others; null: there is none. */
export function entryOf(row: AliasTarget, account: Id | null): AliasEntry | null {
  if (account !== null) return row.own?.[account] ?? null;
  return row.repeats === undefined ? row : null;
}

/**
 * The row with another entry. `isShared`: accounts without an own entry use the row. Pieces of
 * other entries that wait stay as they are.
 */
export function withEntry(
  row: AliasTarget | undefined,
  name: Name,
  account: Id | null,
  entry: AliasEntry,
  isShared: boolean,
): AliasTarget {
  const own = restingEntries(row);
  if (account === null) return compose(name, entry, own);
  own[account] = entry;
  if (!isShared) return { ...compose(name, entry, own), repeats: account };
  return compose(name, resting((row && entryOf(row, null)) ?? UNKNOWN), own);
}

/** The row without an entry; null: nothing is left. */
export function withoutEntry(row: AliasTarget, account: Id | null): AliasTarget | null {
  const own = restingEntries(row);
  if (account !== null) delete own[account];
  const shared = account === null ? null : entryOf(row, null);
  if (shared !== null) return compose(row.name, resting(shared), own);
  const [first] = Object.keys(own);
  return first === undefined ? null : { ...compose(row.name, own[first], own), repeats: Number(first) };
}

const UNKNOWN: AliasEntry = { a: null, aaaa: null, error: null, checkedAt: 0, spread: null };

function compose(name: Name, entry: AliasEntry, own: Record<string, AliasEntry>): AliasTarget {
  const { a, aaaa, error, checkedAt, spread } = entry;
  const row = { name, a, aaaa, error, checkedAt, spread };
  return Object.keys(own).length === 0 ? row : { ...row, own };
}

const restingEntries = (row: AliasTarget | undefined): Record<string, AliasEntry> =>
  Object.fromEntries(Object.entries(row?.own ?? {}).map(([id, entry]) => [id, resting(entry)]));

/** Makes no answers again now; a piece that waits still does. */
function resting({ a, aaaa, error, checkedAt, spread }: AliasEntry): AliasEntry {
  const waiting = spread?.to == null ? null : { from: spread.to, to: spread.to };
  return { a, aaaa, error, checkedAt, spread: waiting };
}

export const aliasTargets = table<AliasTarget>({
  number: 11,
  name: 'alias_targets',
  key: (row) => nameKey(row.name),
  encode: ({ name: _, ...row }) => json(row),
  decode: (key, value) => ({ name: nameOfKey(key, 0, key.length), ...unjson<Omit<AliasTarget, 'name'>>(value) }),
});
