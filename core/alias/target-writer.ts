/**
 * Writes what is answered for a target, and has the owners compiled again in pieces, each a commit:
 * ten thousand zones may lead to one name. The row says which owners its entry is for, so that
 * every node compiles the same; a row that waits for its next piece when the process ends is taken
 * up at the next start. What has begun to be spread is spread to the end, since with a target that
 * changes faster than that the last owners would never get anything.
 */
import { setImmediate } from 'node:timers/promises';
import { write } from '../journal/draft/draft.ts';
import type { Journal } from '../journal/journal.ts';
import type { Environment } from '../store/environment.ts';
import { afterPrefix, aliasOwners } from '../store/keys.ts';
import { type AliasTarget, aliasTargets, type Spread } from '../store/rows.ts';
import type { Name } from '../wire/name.ts';
import { isServedAlike } from './family-state.ts';
import type { Target } from './target.ts';

/** Owners of one commit: some ten milliseconds when each is in a zone of its own. */
const PIECE = 200;
const BY = 'alias';

type Served = Pick<AliasTarget, 'a' | 'aaaa'>;

export class TargetWriter {
  readonly #environment: Environment;
  readonly #journal: Journal;
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
    this.#interval = interval;
  }

  stop(): void {
    this.#stopped = true;
  }

  /**
   * Brings the row up to the target's state, piece by piece; one at a time for each target. Rejects
   * when a commit does.
   */
  async bring(target: Target): Promise<void> {
    target.isDirty = true;
    if (target.isWriting) return;
    target.isWriting = true;
    try {
      while (target.isDirty && !this.#stopped) {
        target.isDirty = false;
        const { row } = target;
        if (row?.spread?.to != null) await this.#put(target, row, row.spread.to);
        else if (!isServed(row, target)) await this.#put(target, null, '');
        else if (this.#isOld(target)) await this.#put(target, null, null);
        if (target.row?.spread?.to != null || !isServed(target.row, target)) target.isDirty = true;
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
      const row = draft.row(aliasTargets, aliasTargets.key({ name } as AliasTarget));
      if (row !== undefined && !this.hasOwners(name)) draft.delete(aliasTargets, row);
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
    const { spread, owners } = from === null ? { spread: null, owners: 1 } : this.#piece(target.name, from);
    this.#underWay += owners;
    this.#resumeOne();
    try {
      if (this.#stopped) return;
      const row: AliasTarget = {
        name: target.name,
        a: served === null ? target.a.served : served.a,
        aaaa: served === null ? target.aaaa.served : served.aaaa,
        error: target.error,
        checkedAt: target.checkedAt,
        spread,
      };
      await write(this.#environment, this.#journal, BY, (draft) => draft.put(aliasTargets, row));
      target.row = row;
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

  #piece(name: Name, from: string): { spread: Spread; owners: number } {
    const prefix = aliasOwners(name);
    const start = Buffer.concat([prefix, Buffer.from(from, 'hex')]);
    let owners = 0;
    for (const key of this.#environment.aliases.getKeys({ start, end: afterPrefix(prefix), limit: PIECE + 1 }))
      if (++owners > PIECE) return { spread: { from, to: (key as Buffer).toString('hex', prefix.length) }, owners };
    return { spread: { from, to: null }, owners: Math.max(owners, 1) };
  }

  #isOld({ row, a, aaaa }: Target): boolean {
    const isBehind = (now: number | undefined, then: number | undefined): boolean =>
      now !== undefined && now - (then ?? 0) > this.#interval;
    return isBehind(a.served?.goodAt, row?.a?.goodAt) || isBehind(aaaa.served?.goodAt, row?.aaaa?.goodAt);
  }
}

/** Whether clients get what the target's state says. Without a row they get SERVFAIL. */
function isServed(row: AliasTarget | null, { a, aaaa }: Target): boolean {
  return isServedAlike(row?.a ?? null, a.served) && isServedAlike(row?.aaaa ?? null, aaaa.served);
}
