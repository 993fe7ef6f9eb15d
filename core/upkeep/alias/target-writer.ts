/**
 * Writes the served addresses of a target, and recompiles its owners in pieces of one commit each:
 * ten thousand zones may use one target. The row contains the range of owners to compile, so that
 * every node compiles the same. A start continues a spread that the end of the process interrupted.
 * A spread always runs to its end: otherwise a target that changes quickly would never reach the
 * last owners.
 */
import { setImmediate } from 'node:timers/promises';
import type { Name } from '../../dns/wire/name.ts';
import { write } from '../../journal/draft/draft.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, aliasOwnerParts, aliasOwners, type Id } from '../../store/keys.ts';
import { rawReader } from '../../store/raw-reader.ts';
import { Reader } from '../../store/reader.ts';
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

/** Owners per commit: about ten milliseconds if each is in a different zone. */
const PIECE = 200;
/** Owners that a piece reads, including those of accounts with other entries. */
const MAX_SCANNED = 5000;
const BY = 'alias';

type Served = Pick<AliasEntry, 'a' | 'aaaa'>;

const keyOf = (name: Name): Buffer => aliasTargets.key({ name } as AliasTarget);

export class TargetWriter {
  readonly #owners: Owners;
  readonly #reader: Reader;
  #stopped = false;
  /**
   * Owners in pending commits. It is bounded because the journal merges pending writes into one
   * commit, and a large commit blocks the event loop.
   */
  #pendingOwners = 0;
  /** Writes that wait until `#pendingOwners` is below PIECE. */
  readonly #waiting = new Set<() => void>();
  /** Commits made. */
  written = 0;

  constructor(
    private readonly environment: Environment,
    private readonly journal: Journal,
    /**
     * Seconds after which an unchanged row is written again, so that its age is right after a
     * restart.
     */
    private readonly interval: number,
  ) {
    this.#owners = new Owners(environment);
    this.#reader = new Reader(rawReader(environment));
  }

  stop(): void {
    this.#stopped = true;
  }

  /**
   * Writes the target's state into its entry, piece by piece. A target has one write at a time.
   * Rejects if a commit does.
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
        else if (!isServed(entry, target) || this.#usesOtherShared(target)) await this.#put(target, null, '');
        else if (this.#isOld(target) || this.#isMissing(target)) await this.#put(target, null, null);
        if (target.entry?.spread?.to != null || !isServed(target.entry, target)) target.isDirty = true;
        // Lets pending requests run between two pieces.
        if (target.isDirty) await setImmediate();
      }
    } finally {
      target.isWriting = false;
    }
  }

  /** Deletes the row if no ALIAS record targets the name. */
  async remove(name: Name): Promise<void> {
    await write(this.environment, this.journal, BY, (draft) => {
      const row = draft.row(aliasTargets, keyOf(name));
      if (row !== undefined && !this.hasOwners(name)) draft.delete(aliasTargets, row);
    });
  }

  /** Deletes the entry of a target that no record uses. `isUsed`: a record uses it again. */
  async forget({ name, account }: Target, isUsed: () => boolean): Promise<void> {
    await write(this.environment, this.journal, BY, (draft) => {
      const row = draft.row(aliasTargets, keyOf(name));
      if (row === undefined || entryOf(row, account) === null || isUsed()) return;
      const rest = withoutEntry(row, account);
      if (rest === null) draft.delete(aliasTargets, row);
      else draft.put(aliasTargets, rest);
    });
  }

  hasOwners(name: Name): boolean {
    const prefix = aliasOwners(name);
    for (const _ of this.environment.aliases.getKeys({ start: prefix, end: afterPrefix(prefix), limit: 1 }))
      return true;
    return false;
  }

  /**
   * `served` null: the target's state. `from`: the start of the piece; null: no owner is compiled.
   */
  async #put(target: Target, served: Served | null, from: string | null): Promise<void> {
    while (this.#pendingOwners >= PIECE) await new Promise<void>((resume) => this.#waiting.add(resume));
    const { spread, owners } = from === null ? { spread: null, owners: 1 } : this.#piece(target, from);
    this.#pendingOwners += owners;
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
      await write(this.environment, this.journal, BY, (draft) => {
        const row = draft.row(aliasTargets, keyOf(name));
        draft.put(aliasTargets, withEntry(row, name, account, entry, group.has(null)));
      });
      target.entry = entry;
      this.written++;
    } finally {
      this.#pendingOwners -= owners;
      this.#resumeOne();
    }
  }

  #resumeOne(): void {
    if (this.#pendingOwners >= PIECE) return;
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
    for (const key of this.environment.aliases.getKeys({ start, end: afterPrefix(prefix) })) {
      const { domainId } = aliasOwnerParts(key as Buffer);
      if (last?.domainId !== domainId) {
        const of = this.#owners.accountOf(domainId);
        last = { domainId, isConcerned: account === null ? of === undefined || !group.has(of) : of === account };
      }
      if (last.isConcerned) owners++;
      if (owners > PIECE || ++count > MAX_SCANNED)
        return { spread: { from, to: (key as Buffer).toString('hex', prefix.length) }, owners };
    }
    return { spread: { from, to: null }, owners: Math.max(owners, 1) };
  }

  #isOld({ entry, a, aaaa }: Target): boolean {
    const isBehind = (now: number | undefined, then: number | undefined): boolean =>
      now !== undefined && now - (then ?? 0) > this.interval;
    return isBehind(a.served?.goodAt, entry?.a?.goodAt) || isBehind(aaaa.served?.goodAt, entry?.aaaa?.goodAt);
  }

  /**
   * The row has no entry of the account, so the account uses the shared entry. An earlier version
   * on another node drops entries of accounts.
   */
  #isMissing({ name, account }: Target): boolean {
    if (account === null) return false;
    const row = this.#reader.row(aliasTargets, keyOf(name));
    return row === undefined || entryOf(row, account) === null;
  }

  /** The row has no entry of the account, and the shared entry serves other addresses. */
  #usesOtherShared(target: Target): boolean {
    if (!this.#isMissing(target)) return false;
    const row = this.#reader.row(aliasTargets, keyOf(target.name));
    return row !== undefined && !isServed(entryOf(row, null), target);
  }
}

/** Whether the entry serves the target's state. Without an entry, queries get SERVFAIL. */
function isServed(entry: AliasEntry | null, { a, aaaa }: Target): boolean {
  return isServedAlike(entry?.a ?? null, a.served) && isServedAlike(entry?.aaaa ?? null, aaaa.served);
}
