/** The open streams of server-sent events on this node, whose number is limited. */
import { FairSlots } from '../../core/base/fair-slots.ts';
import type { Id } from '../../core/store/keys.ts';
import { HttpError } from '../http/errors.ts';

/**
 * Concurrent streams of all accounts. An account can use half of the slots that other accounts
 * leave free (FairSlots).
 */
const MAX_STREAMS = 1000;
/** Concurrent streams of one account. */
const MAX_ACCOUNT_STREAMS = 20;
/** Seconds after which a client that exceeds a limit retries. */
const RETRY_SECONDS = '10';

export interface Stream {
  /** Called when events may be available. */
  wake(): void;
  end(): void;
}

export class OpenStreams {
  readonly #open = new Set<Stream>();
  readonly #accounts = new Map<Id, number>();
  readonly #slots = new FairSlots({ slots: MAX_STREAMS, queue: 0 });
  #isClosed = false;

  /** Returns a function to call when the stream ends. Throws HttpError 429. */
  enter(accountId: Id, stream: Stream): () => void {
    const count = this.#accounts.get(accountId) ?? 0;
    const isWithin = !this.#isClosed && count < MAX_ACCOUNT_STREAMS;
    const slot = isWithin ? this.#slots.tryAcquire({ account: String(accountId), network: '' }) : null;
    if (slot === null)
      throw new HttpError(
        429,
        'too_many_streams',
        count >= MAX_ACCOUNT_STREAMS
          ? `The account has ${count} open streams of events, which is the limit; close one of them.`
          : 'This node has too many open streams of events; retry later.',
        { headers: { 'Retry-After': RETRY_SECONDS } },
      );
    this.#open.add(stream);
    this.#accounts.set(accountId, count + 1);
    return () => {
      if (!this.#open.delete(stream)) return;
      slot.release();
      const left = (this.#accounts.get(accountId) ?? 1) - 1;
      if (left === 0) this.#accounts.delete(accountId);
      else this.#accounts.set(accountId, left);
    };
  }

  /** Whether any stream is open and `close` was not called. */
  protected get isUsed(): boolean {
    return this.#open.size > 0 && !this.#isClosed;
  }

  protected wakeAll(): void {
    for (const stream of this.#open) stream.wake();
  }

  /** Ends all streams. */
  close(): void {
    this.#isClosed = true;
    for (const stream of this.#open) stream.end();
  }
}
