/** A target as this node knows it. */
import type { Id } from '../store/keys.ts';
import type { AliasTarget } from '../store/rows.ts';
import type { Name } from '../wire/name.ts';
import { type FamilyState, newFamily } from './family-state.ts';

export class Target {
  readonly name: Name;
  a: FamilyState;
  aaaa: FamilyState;
  /** For the customer to read; null: all is well. */
  error: string | null;
  /** Seconds since 1970; 0: never. */
  checkedAt: number;
  /** As it was written last. */
  row: AliasTarget | null;
  /** It is being looked up. */
  isRunning = false;
  /** Something on its way has changed while it was looked up. */
  isOutdated = false;
  /** Whose domains lead here; null: of several accounts; undefined: to be looked up. */
  account: Id | null | undefined;
  /** Whether the last look asked a resolver. */
  isOutside = false;
  isGone = false;
  /** Its row is being written; `isDirty`: and has to be once more. */
  isWriting = false;
  isDirty = false;

  constructor(name: Name, row: AliasTarget | null) {
    this.name = name;
    this.row = row;
    this.a = newFamily(row?.a ?? null);
    this.aaaa = newFamily(row?.aaaa ?? null);
    this.error = row?.error ?? null;
    this.checkedAt = row?.checkedAt ?? 0;
  }
}
