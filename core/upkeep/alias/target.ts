/**
 * The live state of an ALIAS target on this node: shared by all accounts, or of the single account
 * whose own zones the chain goes through. Each has its own lookups, addresses and failures.
 */

import { type Name, nameId } from '../../dns/wire/name.ts';
import type { Id } from '../../store/keys.ts';
import type { AliasEntry } from '../../store/rows.ts';
import { type FamilyState, newFamily } from './family-state.ts';

/** The targets of one name, by account. */
type Group = ReadonlyMap<Id | null, Target>;

const ALONE: Group = new Map();

export class Target {
  readonly group: Group;
  a: FamilyState;
  aaaa: FamilyState;
  /** A message for the customer; null: there is no error. */
  error: string | null;
  /** Seconds since 1970; 0: never. */
  checkedAt: number;
  /** A lookup is in flight. */
  isRunning = false;
  /** A name of the chain changed during the lookup. */
  isOutdated = false;
  /** Whether the last lookup queried a resolver. */
  isOutside = false;
  isGone = false;
  /** Its entry is being written. */
  isWriting = false;
  /** The state has changed since the entry was last written. */
  isDirty = false;

  constructor(
    readonly name: Name,
    /** As last written; null: never. */
    public entry: AliasEntry | null,
    /** Its zones are followed in the store; null: shared by accounts without their own target. */
    readonly account: Id | null = null,
    group = ALONE,
  ) {
    this.group = group;
    this.a = newFamily(entry?.a ?? null);
    this.aaaa = newFamily(entry?.aaaa ?? null);
    this.error = entry?.error ?? null;
    this.checkedAt = entry?.checkedAt ?? 0;
  }
}

export const targetId = (name: Name, account: Id | null): string =>
  account === null ? nameId(name) : `${nameId(name)} ${account}`;
