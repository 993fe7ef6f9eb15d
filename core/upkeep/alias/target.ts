/**
 * A target as this node knows it: for all accounts together, or for an account whose own zones it
 * leads through. These look it up, change and fail apart from each other.
 */

import { type Name, nameId } from '../../dns/wire/name.ts';
import type { Id } from '../../store/keys.ts';
import type { AliasEntry } from '../../store/rows.ts';
import { type FamilyState, newFamily } from './family-state.ts';

/** The targets of one name, by account. */
type Group = ReadonlyMap<Id | null, Target>;

const ALONE: Group = new Map();

export class Target {
  readonly name: Name;
  /** Whose zones are followed in the store; null: of all accounts that have no own target here. */
  readonly account: Id | null;
  readonly group: Group;
  a: FamilyState;
  aaaa: FamilyState;
  /** For the customer to read; null: all is well. */
  error: string | null;
  /** Seconds since 1970; 0: never. */
  checkedAt: number;
  /** As it was written last; null: never. */
  entry: AliasEntry | null;
  /** It is being looked up. */
  isRunning = false;
  /** Something on its way has changed while it was looked up. */
  isOutdated = false;
  /** Whether the last look asked a resolver. */
  isOutside = false;
  isGone = false;
  /** Its entry is being written; `isDirty`: and has to be once more. */
  isWriting = false;
  isDirty = false;

  constructor(name: Name, entry: AliasEntry | null, account: Id | null = null, group = ALONE) {
    this.name = name;
    this.account = account;
    this.group = group;
    this.entry = entry;
    this.a = newFamily(entry?.a ?? null);
    this.aaaa = newFamily(entry?.aaaa ?? null);
    this.error = entry?.error ?? null;
    this.checkedAt = entry?.checkedAt ?? 0;
  }
}

export const targetId = (name: Name, account: Id | null): string =>
  account === null ? nameId(name) : `${nameId(name)} ${account}`;
