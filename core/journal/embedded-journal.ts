/** The journal of a single node. It is stored in LMDB, next to the rows. */

import { setImmediate } from 'node:timers/promises';
import type { Head } from './applied-head.ts';
import type { ZoneUpdates } from './apply/zone-updates.ts';
import { buildGroup, type Group, type PendingCommit } from './commit/commit-queue.ts';
import type { Journal } from './journal.ts';
import { type JournalOptions, LocalJournal } from './local-journal.ts';

interface PreparedGroup extends Group {
  /** A time of performance.now(). */
  readonly start: number;
  /** The checkpoint of recent writes before the group. */
  readonly checkpoint: number;
  /** Why the entries cannot be applied; null: they can. */
  readonly failure: Error | null;
}

export function openEmbeddedJournal(options: JournalOptions): Journal {
  return new EmbeddedJournal(options);
}

class EmbeddedJournal extends LocalJournal {
  protected get hasWork(): boolean {
    return !this.queue.isEmpty;
  }

  latest(): Promise<number> {
    return Promise.resolve(this.head);
  }

  /** If any zone is signed, a group is compiled and signed while the previous group is written. */
  protected async work(): Promise<void> {
    let group = await this.#prepare(this.queue.take(), this.applier.head);
    while (group !== null) {
      const writing = this.#write(group);
      const next = await this.#prepareNext(group, writing);
      const failure = await writing;
      if (failure !== null) {
        if (next !== null) this.queue.putBack(next.accepted);
        return this.#retry(group, failure);
      }
      group = next;
    }
  }

  /**
   * Builds a group after a head, and rehearses it if any zone is signed. Null: no commit was
   * accepted.
   */
  async #prepare(waiting: readonly PendingCommit[], head: Head): Promise<PreparedGroup | null> {
    const start = performance.now();
    const checkpoint = this.recent.checkpoint();
    const group = buildGroup(waiting, head, this.recent, this.clock, this.observer);
    if (group.accepted.length === 0) return null;
    let failure: Error | null = null;
    if (this.applier.isRehearsed(group.links))
      await this.applier.rehearse(group.links).catch((error: Error) => {
        failure = error;
      });
    return { ...group, start, checkpoint, failure };
  }

  /**
   * Prepares the next group during the write of a group, once as many commits are pending as that
   * group has. Null: the write ended first.
   */
  async #prepareNext({ links, hash }: PreparedGroup, writing: Promise<unknown>): Promise<PreparedGroup | null> {
    // An import in progress gets its turn after each group.
    if (!this.applier.hasSignedZones || this.importer.isBusy || this.applier.imports.hasWork) return null;
    let hasEnded = false;
    const ended = writing.then(() => {
      hasEnded = true;
    });
    await Promise.race([this.queue.hasReached(links.length), ended]);
    // Commits of the same turn of the event loop join the group.
    await setImmediate();
    if (hasEnded) return null;
    return this.#prepare(this.queue.take(), { sequence: links[links.length - 1].applied.entry.sequence, hash });
  }

  /** Resolves with the error if nothing was written; null: success. Never rejects. */
  async #write({ accepted, links, hash, start, failure }: PreparedGroup): Promise<Error | null> {
    if (failure !== null) return failure;
    let updates: ZoneUpdates;
    try {
      updates = await this.applier.apply(links, hash);
    } catch (error) {
      return error as Error;
    }
    this.applier.publish(updates);
    this.observer?.observeCommit(accepted.length, (performance.now() - start) / 1000);
    accepted.forEach((commit, i) => {
      commit.resolve({ sequence: links[i].applied.entry.sequence });
    });
    return null;
  }

  /**
   * Retries the commits one at a time. An entry that cannot be applied must not make the other
   * entries of its group fail.
   */
  async #retry({ accepted, checkpoint }: PreparedGroup, failure: Error): Promise<void> {
    this.observer?.observeFailure();
    this.recent.restore(checkpoint);
    if (accepted.length === 1) {
      accepted[0].reject(failure);
      return;
    }
    for (const commit of accepted) {
      const alone = await this.#prepare([commit], this.applier.head);
      const reason = alone && (await this.#write(alone));
      if (alone !== null && reason !== null) await this.#retry(alone, reason);
    }
  }
}
