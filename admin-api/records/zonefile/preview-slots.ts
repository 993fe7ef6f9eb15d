/**
 * Bounds the previews of imports. Each has a copy of all records of its zone in memory, and unlike
 * imports they are not limited by the commits that they wait for.
 */
import { Semaphore } from '../../../core/base/semaphore.ts';
import type { Id } from '../../../core/store/keys.ts';
import { HttpError } from '../../http/errors.ts';

/** Concurrent previews of all accounts; others wait. */
const MAX_CONCURRENT = 2;
/** Running and waiting previews of one account. */
const MAX_OF_ACCOUNT = 8;

export class PreviewSlots {
  readonly #slots = new Semaphore(MAX_CONCURRENT);
  readonly #counts = new Map<Id, number>();

  /** Runs `work` when a slot is free. Throws HttpError 503 above the limit of the account. */
  async run<T>(accountId: Id, work: () => Promise<T>): Promise<T> {
    const count = this.#counts.get(accountId) ?? 0;
    if (count >= MAX_OF_ACCOUNT)
      throw new HttpError(503, 'busy', 'Too many previews of the account are running; retry later.');
    this.#counts.set(accountId, count + 1);
    try {
      return await this.#slots.run(work);
    } finally {
      const left = (this.#counts.get(accountId) ?? 1) - 1;
      if (left === 0) this.#counts.delete(accountId);
      else this.#counts.set(accountId, left);
    }
  }
}
