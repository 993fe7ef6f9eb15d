/**
 * Fetches renewal times of certificates from the directory (RFC 9773 4.3). A few requests are
 * concurrent, accounts take turns, and each domain is queued once.
 */

import { FairQueue } from '../../../core/base/fair-queue.ts';
import type { Id } from '../../../core/store/keys.ts';

interface RenewalsOptions {
  /** Fetches the renewal time. Resolves with the seconds until the next request. Never rejects. */
  ask(domainId: Id): Promise<number>;
  /** The renewal time was fetched. */
  asked(domainId: Id, seconds: number): void;
}

const AT_ONCE = 2;

export class Renewals {
  readonly #waiting = new FairQueue<Id, Id>();
  readonly #running = new Set<Id>();

  constructor(private readonly options: RenewalsOptions) {}

  /** Queued domains. */
  get size(): number {
    return this.#waiting.size;
  }

  put(domainId: Id, accountId: Id): void {
    if (!this.#running.has(domainId)) this.#waiting.put(domainId, accountId);
  }

  /** Starts queued requests up to the limit. */
  begin(track: (work: Promise<void>) => void): void {
    while (this.#running.size < AT_ONCE) {
      const id = this.#waiting.take();
      if (id === undefined) return;
      this.#running.add(id);
      track(this.#run(id));
    }
  }

  async #run(id: Id): Promise<void> {
    try {
      const seconds = await this.options.ask(id);
      this.#running.delete(id);
      this.options.asked(id, seconds);
    } finally {
      this.#running.delete(id);
    }
  }
}
