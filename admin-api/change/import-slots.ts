/**
 * Limits imports, and other work on thousands of records: each has all records of its zone in
 * memory, and its commit keeps the main thread busy. One account has one import at a time.
 */
import { FairSlots, SlotsFullError } from '../../core/base/fair-slots.ts';
import type { Caller } from '../http/caller.ts';
import { HttpError } from '../http/errors.ts';
import type { Context } from '../http/route.ts';

/** Concurrent imports of all accounts. Of two slots, one account gets one. */
const SLOTS = 2;
/** Waiting imports of all accounts. Their bodies are bounded by admin-api/http/body-memory.ts. */
const MAX_QUEUED = 256;
const RETRY_SECONDS = '10';
/**
 * Bytes of a body up to which it is no more work than a batch (some thousand records), and takes no
 * turn: tools import many small zones concurrently.
 */
export const SMALL_IMPORT = 64 * 1024;

export class ImportSlots {
  readonly #slots = new FairSlots({ slots: SLOTS, queue: MAX_QUEUED });

  /**
   * Runs `work` when it is the account's turn; never, if the client disconnects before. Throws
   * HttpError 503 if the queue is full.
   */
  async run<T>({ caller, client }: Pick<Context<Caller>, 'caller' | 'client'>, work: () => T | Promise<T>): Promise<T> {
    // Accounts that share a network are not slower than others.
    const owner = { account: String(caller.account.id), network: '' };
    try {
      return await this.#slots.run(owner, async () => work(), client.signal);
    } catch (error) {
      if (!(error instanceof SlotsFullError)) throw error;
      throw new HttpError(
        503,
        'busy',
        'Too many imports of the account are waiting; send the request again when they are done.',
        { headers: { 'Retry-After': RETRY_SECONDS } },
      );
    }
  }
}
