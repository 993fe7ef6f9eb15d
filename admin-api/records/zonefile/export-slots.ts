/**
 * Limits exports that clients read: each has an open read transaction of the store, which has a
 * limited number of readers and cannot reuse pages meanwhile.
 */
import { FairSlots, type Slot } from '../../../core/base/fair-slots.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import type { Context } from '../../http/route.ts';
import { callerOwner } from '../../http/slot-owner.ts';

/** Of all accounts; the store has MAX_READERS (core/store/environment.ts), also for all else. */
const MAX_CONCURRENT = 128;
const RETRY_SECONDS = '10';

export class ExportSlots {
  readonly #slots = new FairSlots({ slots: MAX_CONCURRENT, queue: 0 });

  /**
   * The chunks of `source`, with a slot until they end. The reader must call `return` if it stops
   * earlier, also before the first chunk. Throws HttpError 503 without a free slot.
   */
  hold<T>(
    context: Pick<Context<Caller>, 'caller' | 'remoteAddress'>,
    source: AsyncGenerator<T>,
  ): AsyncIterableIterator<T> {
    const slot = this.#slots.tryAcquire(callerOwner(context));
    if (slot === null)
      throw new HttpError(503, 'busy', 'Too many exports are being read; send the request again when one has ended.', {
        headers: { 'Retry-After': RETRY_SECONDS },
      });
    return new Held(slot, source);
  }
}

class Held<T> implements AsyncIterableIterator<T> {
  readonly #slot: Slot;
  readonly #source: AsyncGenerator<T>;

  constructor(slot: Slot, source: AsyncGenerator<T>) {
    this.#slot = slot;
    this.#source = source;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<T>> {
    try {
      const result = await this.#source.next();
      if (result.done) this.#slot.release();
      return result;
    } catch (error) {
      this.#slot.release();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<T>> {
    // The transaction of the source ends first.
    await this.#source.return(undefined);
    this.#slot.release();
    return { done: true, value: undefined };
  }
}
