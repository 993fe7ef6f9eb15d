/** The journal of a single node. It is stored in LMDB, next to the rows. */

import type { ZoneUpdates } from './apply/apply-zones.ts';
import { buildGroup, type PendingCommit } from './commit/commit-queue.ts';
import type { Journal } from './journal.ts';
import { type JournalOptions, LocalJournal } from './local-journal.ts';

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

  protected work(): Promise<void> {
    return this.#commitGroup(this.queue.take());
  }

  async #commitGroup(waiting: readonly PendingCommit[]): Promise<void> {
    const start = performance.now();
    const checkpoint = this.recent.checkpoint();
    const { accepted, links, hash } = buildGroup(waiting, this.applier.head, this.recent, this.observer);
    if (accepted.length === 0) return;
    let updates: ZoneUpdates;
    try {
      updates = await this.applier.apply(links, hash);
    } catch (error) {
      this.observer?.observeFailure();
      this.recent.restore(checkpoint);
      if (accepted.length === 1) accepted[0].reject(error as Error);
      // An entry that cannot be applied must not make the other entries of the group fail.
      else for (const commit of accepted) await this.#commitGroup([commit]);
      return;
    }
    this.applier.publish(updates);
    this.observer?.observeCommit(accepted.length, (performance.now() - start) / 1000);
    accepted.forEach((commit, i) => {
      commit.resolve({ sequence: links[i].applied.entry.sequence });
    });
  }
}
