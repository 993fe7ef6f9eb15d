/**
 * Asks directories when certificates are to be renewed (RFC 9773 4.3): a few at a time, accounts in
 * turns, each once.
 */

import { FairQueue } from '../../../core/base/fair-queue.ts';
import type { Id } from '../../../core/store/keys.ts';

interface RenewalsOptions {
  /** Resolves with the seconds until it is asked again. Never rejects. */
  ask(domainId: Id): Promise<number>;
  /** It has been asked. */
  asked(domainId: Id, seconds: number): void;
}

const AT_ONCE = 2;

export class Renewals {
  readonly #options: RenewalsOptions;
  readonly #waiting = new FairQueue<Id, Id>();
  readonly #running = new Set<Id>();

  constructor(options: RenewalsOptions) {
    this.#options = options;
  }

  /** Those that are not asked yet. */
  get size(): number {
    return this.#waiting.size;
  }

  put(domainId: Id, accountId: Id): void {
    if (!this.#running.has(domainId)) this.#waiting.put(domainId, accountId);
  }

  /** Asks as many as there is room for. */
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
      const seconds = await this.#options.ask(id);
      this.#running.delete(id);
      this.#options.asked(id, seconds);
    } finally {
      this.#running.delete(id);
    }
  }
}
