/**
 * Resolved addresses of ALIAS targets. One row for each target, however many records have it. An
 * account has an entry of its own if the target's chain passes through its zones: their contents
 * apply only to its own ALIAS records.
 */
import type { Name } from '../../dns/wire/name.ts';
import { type Id, nameKey, nameOfKey } from '../keys.ts';
import { json, table, unjson } from './table.ts';

/** The served addresses of one family. */
export interface AliasFamily {
  /**
   * Rdata of A or AAAA as hexadecimal text, in canonical order. Empty: the target has no addresses
   * of this family.
   */
  readonly addresses: readonly string[];
  /** Seconds; the lowest TTL in the target's chain. */
  readonly ttl: number;
  /** Expired, but served because the target cannot be resolved (RFC 8767). */
  readonly stale: boolean;
  /**
   * When the addresses were last confirmed, seconds since 1970. Confirmations that change nothing
   * are not always written, so this may be older. 0: the target could not be resolved, and there
   * are no addresses.
   */
  readonly goodAt: number;
}

/**
 * The owners whose answers are recompiled by the entry that writes the row. Their keys
 * (aliasOwnerKey without the target) are in [from, to), as hexadecimal text. `to` null: no upper
 * bound. A row with a `to` is continued by another entry.
 */
export interface Spread {
  readonly from: string;
  readonly to: string | null;
}

export interface AliasEntry {
  /** Null: not looked up yet; answered with SERVFAIL, and the zone is not published. */
  readonly a: AliasFamily | null;
  readonly aaaa: AliasFamily | null;
  /** The resolution error, shown to the customer; null: none. */
  readonly error: string | null;
  /**
   * Time of the last attempt to resolve the target before the row was written. Seconds since 1970;
   * 0: never.
   */
  readonly checkedAt: number;
  /** Null: no answers change. */
  readonly spread: Spread | null;
}

/** The row is also the entry of all accounts without an own entry. */
export interface AliasTarget extends AliasEntry {
  /** Absolute, in lower case. */
  readonly name: Name;
  /** Entries by account id; omitted: none. */
  readonly own?: Readonly<Record<string, AliasEntry>>;
  /**
   * The row repeats the entry of this account, for earlier versions, which do not read `own`. No
   * account uses the shared entry. Omitted: the row has its own shared entry.
   */
  readonly repeats?: Id;
}

/** The entry used for the ALIAS records of an account; null: none. */
export function entryFor(row: AliasTarget, account: Id): AliasEntry | null {
  return row.own?.[account] ?? entryOf(row, null);
}

/** The own entry of an account, or (account null) the shared entry; null: none. */
export function entryOf(row: AliasTarget, account: Id | null): AliasEntry | null {
  if (account !== null) return row.own?.[account] ?? null;
  return row.repeats === undefined ? row : null;
}

/**
 * Returns the row with a new entry. `isShared`: accounts without an own entry use the row. Pending
 * pieces of other entries stay pending.
 */
export function withEntry(
  row: AliasTarget | undefined,
  name: Name,
  account: Id | null,
  entry: AliasEntry,
  isShared: boolean,
): AliasTarget {
  const own = otherEntries(row);
  if (account === null) return compose(name, entry, own);
  own[account] = entry;
  if (!isShared) return { ...compose(name, entry, own), repeats: account };
  return compose(name, withoutRecompile((row && entryOf(row, null)) ?? UNKNOWN), own);
}

/** Returns the row without an entry; null: it has no other entries. */
export function withoutEntry(row: AliasTarget, account: Id | null): AliasTarget | null {
  const own = otherEntries(row);
  if (account !== null) delete own[account];
  const shared = account === null ? null : entryOf(row, null);
  if (shared !== null) return compose(row.name, withoutRecompile(shared), own);
  const [first] = Object.keys(own);
  return first === undefined ? null : { ...compose(row.name, own[first], own), repeats: Number(first) };
}

const UNKNOWN: AliasEntry = { a: null, aaaa: null, error: null, checkedAt: 0, spread: null };

function compose(name: Name, entry: AliasEntry, own: Record<string, AliasEntry>): AliasTarget {
  const { a, aaaa, error, checkedAt, spread } = entry;
  const row = { name, a, aaaa, error, checkedAt, spread };
  return Object.keys(own).length === 0 ? row : { ...row, own };
}

const otherEntries = (row: AliasTarget | undefined): Record<string, AliasEntry> =>
  Object.fromEntries(Object.entries(row?.own ?? {}).map(([id, entry]) => [id, withoutRecompile(entry)]));

/** Returns the entry so that this write recompiles no answers. A pending piece stays pending. */
function withoutRecompile({ a, aaaa, error, checkedAt, spread }: AliasEntry): AliasEntry {
  const waiting = spread?.to == null ? null : { from: spread.to, to: spread.to };
  return { a, aaaa, error, checkedAt, spread: waiting };
}

export const aliasTargets = table<AliasTarget>({
  number: 11,
  name: 'alias_targets',
  quota: { none: 'one for each target of a record that counts and accounts in whose zones it is' },
  key: (row) => nameKey(row.name),
  encode: ({ name: _, ...row }) => json(row),
  decode: (key, value) => ({ name: nameOfKey(key, 0, key.length), ...unjson<Omit<AliasTarget, 'name'>>(value) }),
});
