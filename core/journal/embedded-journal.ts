/** The journal of a single node: it is in LMDB, next to the rows. */

import type { ZoneUpdates } from './apply/apply-zones.ts';
import { chain, type Waiting } from './commit/commit-queue.ts';
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

  async #commitGroup(waiting: readonly Waiting[]): Promise<void> {
    const start = performance.now();
    const checkpoint = this.recent.checkpoint();
    const { accepted, links, hash } = chain(waiting, this.applier.head, this.recent, this.observer);
    if (accepted.length === 0) return;
    let updates: ZoneUpdates;
    try {
      updates = await this.applier.apply(links, hash);
    } catch (error) {
      this.observer?.failed();
      this.recent.restore(checkpoint);
      if (accepted.length === 1) accepted[0].reject(error as Error);
      // One entry that cannot be applied must not take the others with it.
      else for (const one of accepted) await this.#commitGroup([one]);
      return;
    }
    this.applier.publish(updates);
    this.observer?.committed(accepted.length, (performance.now() - start) / 1000);
    accepted.forEach((one, i) => {
      one.resolve({ sequence: links[i].applied.entry.sequence });
    });
  }
}
