/**
 * Writes what is answered for a target, and has the owners compiled again in pieces, each a commit:
 * ten thousand zones may lead to one name. The row says which owners its entry is for, so that
 * every node compiles the same; a row that waits for its next piece when the process ends is taken
 * up at the next start. What has begun to be spread is spread to the end, since with a target that
 * changes faster than that the last owners would never get anything.
 */
import { setImmediate } from 'node:timers/promises';
import type { Name } from '../../dns/wire/name.ts';
import { write } from '../../journal/draft/draft.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, aliasOwnerParts, aliasOwners, type Id } from '../../store/keys.ts';
import { Reader, rawReader } from '../../store/reader.ts';
import {
  type AliasEntry,
  type AliasTarget,
  aliasTargets,
  entryOf,
  type Spread,
  withEntry,
  withoutEntry,
} from '../../store/rows.ts';
import { isServedAlike } from './family-state.ts';
import { Owners } from './owners.ts';
import type { Target } from './target.ts';

/** Owners of one commit: some ten milliseconds when each is in a zone of its own. */
const PIECE = 200;
/** Owners that one piece looks at: those of other accounts have other entries. */
const LOOKED_AT = 5000;
const BY = 'alias';

type Served = Pick<AliasEntry, 'a' | 'aaaa'>;

const keyOf = (name: Name): Buffer => aliasTargets.key({ name } as AliasTarget);

export class TargetWriter {
  readonly #environment: Environment;
  readonly #journal: Journal;
  readonly #owners: Owners;
  readonly #reader: Reader;
  /**
   * Seconds after which a row is written though what is served has not changed, so that a restart
   * knows how old its answers are.
   */
  readonly #interval: number;
  #stopped = false;
  /**
   * Owners in commits that are pending. Many targets may change at once, and all that waits
   * becomes one commit, which holds up the event loop.
   */
  #underWay = 0;
  /** Who waits until these are fewer than PIECE. */
  readonly #waiting = new Set<() => void>();
  /** Commits made. */
  written = 0;

  constructor(environment: Environment, journal: Journal, interval: number) {
    this.#environment = environment;
    this.#journal = journal;
    this.#owners = new Owners(environment);
    this.#reader = new Reader(rawReader(environment));
    this.#interval = interval;
  }

  stop(): void {
    this.#stopped = true;
  }

  /**
   * Brings the entry up to the target's state, piece by piece; one at a time for each target.
   * Rejects when a commit does.
   */
  async bring(target: Target): Promise<void> {
    target.isDirty = true;
    if (target.isWriting) return;
    target.isWriting = true;
    try {
      while (target.isDirty && !this.#stopped && !target.isGone) {
        target.isDirty = false;
        const { entry } = target;
        if (entry?.spread?.to != null) await this.#put(target, entry, entry.spread.to);
        else if (!isServed(entry, target) || this.#isOthers(target)) await this.#put(target, null, '');
        else if (this.#isOld(target) || this.#isMissing(target)) await this.#put(target, null, null);
        if (target.entry?.spread?.to != null || !isServed(target.entry, target)) target.isDirty = true;
        // Requests that wait come between two pieces.
        if (target.isDirty) await setImmediate();
      }
    } finally {
      target.isWriting = false;
    }
  }

  /** Takes the row away when no ALIAS leads to the name any more. */
  async remove(name: Name): Promise<void> {
    await write(this.#environment, this.#journal, BY, (draft) => {
      const row = draft.row(aliasTargets, keyOf(name));
      if (row !== undefined && !this.hasOwners(name)) draft.delete(aliasTargets, row);
    });
  }

  /** Deletes the entry of a target that no record uses. `isUsed`: a record uses it again. */
  async forget({ name, account }: Target, isUsed: () => boolean): Promise<void> {
    await write(this.#environment, this.#journal, BY, (draft) => {
      const row = draft.row(aliasTargets, keyOf(name));
      if (row === undefined || entryOf(row, account) === null || isUsed()) return;
      const rest = withoutEntry(row, account);
      if (rest === null) draft.delete(aliasTargets, row);
      else draft.put(aliasTargets, rest);
    });
  }

  hasOwners(name: Name): boolean {
    const prefix = aliasOwners(name);
    for (const _ of this.#environment.aliases.getKeys({ start: prefix, end: afterPrefix(prefix), limit: 1 }))
      return true;
    return false;
  }

  /**
   * `served`: null for the target's state; `from`: where the piece begins, null when nobody is to
   * be compiled.
   */
  async #put(target: Target, served: Served | null, from: string | null): Promise<void> {
    while (this.#underWay >= PIECE) await new Promise<void>((resume) => this.#waiting.add(resume));
    const { spread, owners } = from === null ? { spread: null, owners: 1 } : this.#piece(target, from);
    this.#underWay += owners;
    this.#resumeOne();
    try {
      if (this.#stopped || target.isGone) return;
      const { name, account, group } = target;
      const entry: AliasEntry = {
        a: served === null ? target.a.served : served.a,
        aaaa: served === null ? target.aaaa.served : served.aaaa,
        error: target.error,
        checkedAt: target.checkedAt,
        spread,
      };
      await write(this.#environment, this.#journal, BY, (draft) => {
        const row = draft.row(aliasTargets, keyOf(name));
        draft.put(aliasTargets, withEntry(row, name, account, entry, group.has(null)));
      });
      target.entry = entry;
      this.written++;
    } finally {
      this.#underWay -= owners;
      this.#resumeOne();
    }
  }

  #resumeOne(): void {
    if (this.#underWay >= PIECE) return;
    for (const resume of this.#waiting) {
      this.#waiting.delete(resume);
      resume();
      return;
    }
  }

  #piece({ name, account, group }: Target, from: string): { spread: Spread; owners: number } {
    const prefix = aliasOwners(name);
    const start = Buffer.concat([prefix, Buffer.from(from, 'hex')]);
    let owners = 0;
    let count = 0;
    let last: { readonly domainId: Id; readonly isConcerned: boolean } | undefined;
    for (const key of this.#environment.aliases.getKeys({ start, end: afterPrefix(prefix) })) {
      const { domainId } = aliasOwnerParts(key as Buffer);
      if (last?.domainId !== domainId) {
        const of = this.#owners.accountOf(domainId);
        last = { domainId, isConcerned: account === null ? of === undefined || !group.has(of) : of === account };
      }
      if (last.isConcerned) owners++;
      if (owners > PIECE || ++count > LOOKED_AT)
        return { spread: { from, to: (key as Buffer).toString('hex', prefix.length) }, owners };
    }
    return { spread: { from, to: null }, owners: Math.max(owners, 1) };
  }

  #isOld({ entry, a, aaaa }: Target): boolean {
    const isBehind = (now: number | undefined, then: number | undefined): boolean =>
      now !== undefined && now - (then ?? 0) > this.#interval;
    return isBehind(a.served?.goodAt, entry?.a?.goodAt) || isBehind(aaaa.served?.goodAt, entry?.aaaa?.goodAt);
  }

  /**
   * The row has no entry of the account, which uses that of all others until then. An earlier
   * version on another node drops such entries.
   */
  #isMissing({ name, account }: Target): boolean {
    if (account === null) return false;
    const row = this.#reader.row(aliasTargets, keyOf(name));
    return row === undefined || entryOf(row, account) === null;
  }

  /** The same, and that of all others serves something else. */
  #isOthers(target: Target): boolean {
    if (!this.#isMissing(target)) return false;
    const row = this.#reader.row(aliasTargets, keyOf(target.name));
    return row !== undefined && !isServed(entryOf(row, null), target);
  }
}

/** Whether clients get what the target's state says. Without an entry they get SERVFAIL. */
function isServed(entry: AliasEntry | null, { a, aaaa }: Target): boolean {
  return isServedAlike(entry?.a ?? null, a.served) && isServedAlike(entry?.aaaa ?? null, aaaa.served);
}
