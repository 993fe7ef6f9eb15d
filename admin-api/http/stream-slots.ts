/**
 * Slots for long responses that are made while their clients read them: exports and whole lists.
 * Each has at most one chunk in memory, and may hold a snapshot of the store, which has a limited
 * number of readers and cannot reuse pages meanwhile. So a reader that is too slow is left.
 *
 * Chunks are made in turns, one stream at a time, so that many streams together delay other
 * requests no more than one does.
 */
import { FairSlots, type Slot, type SlotOwner } from '../../core/base/fair-slots.ts';
import type { Logger } from '../../core/base/log/index.ts';
import { SnapshotDeadline } from '../../core/store/snapshot-deadline.ts';
import { HttpError } from './errors.ts';
import type { HttpRequest } from './transport.ts';

/** Of all accounts; the store has MAX_READERS (core/store/environment.ts), also for all else. */
const MAX_STREAMS = 128;
const MAX_WAITING = 256;
const RETRY_SECONDS = '10';
/** Bytes a second that a reader must take while others wait: as SnapshotDeadline. */
const MINIMUM_RATE = 64 * 1024;
const WINDOW_MS = 10_000;

/** What a stream sends. */
export interface StreamSource {
  /** An empty chunk is not sent: it gives the turn to others. */
  readonly chunks: AsyncGenerator<string>;
  /** Frees what the source holds; called once, also if no chunk was read. */
  close?(): void;
}

export class StreamSlots {
  readonly #slots: FairSlots;
  /** A stream has at most one chunk in the making, so that the queue is never full. */
  readonly #turns = new FairSlots({ slots: 1, queue: MAX_STREAMS });
  readonly #parts: StreamParts;

  /** `now` in milliseconds of a monotonic clock. */
  constructor(log: Pick<Logger, 'error'>, now: () => number = () => performance.now()) {
    this.#slots = new FairSlots({
      slots: MAX_STREAMS,
      queue: MAX_WAITING,
      minimumRate: { perSecond: MINIMUM_RATE, windowMs: WINDOW_MS },
      now,
    });
    this.#parts = { turns: this.#turns, log, now };
  }

  /** Called in each window; a test calls it itself. */
  enforceMinimumRate(): void {
    this.#slots.enforceMinimumRate();
  }

  /**
   * Begins a stream when it has a slot, which it holds until its end. Its reader must call `return`
   * if it stops earlier, also before the first chunk. Rejects with HttpError 503 if too many wait,
   * with Aborted if the client disconnects, and with the error of `begin`.
   */
  async open(
    owner: SlotOwner,
    client: Pick<HttpRequest, 'signal'>,
    begin: () => StreamSource | Promise<StreamSource>,
  ): Promise<AsyncIterableIterator<string>> {
    const slot = this.#slots.tryAcquire(owner) ?? (await this.#slots.acquire(owner, client.signal));
    if (slot === 'full')
      throw new HttpError(
        503,
        'busy',
        'Too many lists and exports are being read; send the request again when one has ended.',
        { headers: { 'Retry-After': RETRY_SECONDS } },
      );
    if (slot === 'aborted') throw client.signal.reason;
    slot.pause();
    try {
      const source = await this.#turns.run(owner, async () => begin());
      return new Stream(slot, source, this.#parts);
    } catch (error) {
      slot.release();
      throw error;
    }
  }
}

interface StreamParts {
  readonly turns: FairSlots;
  readonly log: Pick<Logger, 'error'>;
  readonly now: () => number;
}

class Stream implements AsyncIterableIterator<string> {
  readonly #slot: Slot;
  readonly #source: StreamSource;
  readonly #parts: StreamParts;
  readonly #deadline: SnapshotDeadline;
  /** Bytes of the last chunk, which the client has read when it requests the next one. */
  #unread = 0;
  #isOver = false;

  constructor(slot: Slot, source: StreamSource, parts: StreamParts) {
    this.#slot = slot;
    this.#source = source;
    this.#parts = parts;
    this.#deadline = new SnapshotDeadline(parts.now);
    slot.signal.addEventListener('abort', () => void this.return());
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<string>> {
    const { signal } = this.#slot;
    try {
      this.#slot.addProgress(this.#unread);
      if (signal.aborted || this.#deadline.isPast(this.#unread))
        throw new HttpError(408, 'too_slow', 'The client read too slowly.');
      const result = await this.#makeChunk();
      if (result.done === true) this.#end();
      this.#unread = result.done === true ? 0 : Buffer.byteLength(result.value);
      return result;
    } catch (error) {
      // Its status was sent before.
      if (!(error instanceof HttpError)) this.#parts.log.error('response ended early', { error });
      await this.return();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<string>> {
    // What the source holds ends first.
    await this.#source.chunks.return(undefined);
    this.#end();
    return { done: true, value: undefined };
  }

  /** While it is made, the client waits: that is not its slowness. */
  async #makeChunk(): Promise<IteratorResult<string>> {
    const slot = this.#slot;
    slot.pause();
    try {
      for (;;) {
        const result = await this.#parts.turns.run(slot.owner, () => this.#source.chunks.next());
        if (result.done === true || result.value !== '') return result;
      }
    } finally {
      slot.resume();
    }
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#source.close?.();
    this.#slot.release();
  }
}
