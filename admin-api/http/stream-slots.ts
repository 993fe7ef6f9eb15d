/**
 * Slots for long responses that are generated while their clients read them: exports and whole
 * lists. Each stream has at most one chunk in memory. It may hold a snapshot of the store, which
 * has a limited number of readers and cannot reuse pages meanwhile. The stream of a client that is
 * too slow is therefore ended.
 *
 * Streams generate their chunks in turns, one at a time. Many streams together therefore delay
 * other requests no more than a single stream.
 */
import { FairSlots, type Slot, type SlotOwner } from '../../core/base/fair-slots.ts';
import type { Logger } from '../../core/base/log/index.ts';
import { SnapshotDeadline } from '../../core/store/snapshot-deadline.ts';
import { HttpError } from './errors.ts';
import type { HttpRequest } from './transport.ts';

/**
 * Concurrent streams of all accounts. Other work shares the MAX_READERS of the store
 * (core/store/environment.ts).
 */
const MAX_STREAMS = 128;
const MAX_WAITING = 256;
const RETRY_SECONDS = '10';
/** Minimum bytes per second of a client while other streams wait, as in SnapshotDeadline. */
const MINIMUM_RATE = 64 * 1024;
const WINDOW_MS = 10_000;

export interface StreamSource {
  /** An empty chunk is not sent. It only yields the turn to other streams. */
  readonly chunks: AsyncGenerator<string>;
  /** Releases the resources of the source. Called once, also if no chunk was read. */
  close?(): void;
}

export class StreamSlots {
  readonly #slots: FairSlots;
  /** The queue is never full, because each stream generates at most one chunk at a time. */
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

  /** Called once per window. */
  enforceMinimumRate(): void {
    this.#slots.enforceMinimumRate();
  }

  /**
   * Starts a stream when a slot is free. The stream holds the slot until it ends. A reader that
   * stops early must call `return`, also before the first chunk. Rejects with HttpError 503 if the
   * queue is full, with Aborted if the client disconnects, and with the error of `begin`.
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
  readonly #deadline: SnapshotDeadline;
  /** Bytes of the last chunk, which the client has read when it requests the next one. */
  #unread = 0;
  #isOver = false;

  constructor(
    private readonly slot: Slot,
    private readonly source: StreamSource,
    private readonly parts: StreamParts,
  ) {
    this.#deadline = new SnapshotDeadline(parts.now);
    slot.signal.addEventListener('abort', () => void this.return());
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<string>> {
    const { signal } = this.slot;
    try {
      this.slot.addProgress(this.#unread);
      if (signal.aborted || this.#deadline.isPast(this.#unread))
        throw new HttpError(408, 'too_slow', 'The client read too slowly.');
      const result = await this.#makeChunk();
      if (result.done === true) this.#end();
      this.#unread = result.done === true ? 0 : Buffer.byteLength(result.value);
      return result;
    } catch (error) {
      // The status line was already sent, so the error can only be logged.
      if (!(error instanceof HttpError)) this.parts.log.error('response aborted', { error });
      await this.return();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<string>> {
    // The generator must end before its source is closed.
    await this.source.chunks.return(undefined);
    this.#end();
    return { done: true, value: undefined };
  }

  /**
   * Pauses the slot meanwhile: generation time does not count towards the client's minimum rate.
   */
  async #makeChunk(): Promise<IteratorResult<string>> {
    const slot = this.slot;
    slot.pause();
    try {
      for (;;) {
        const result = await this.parts.turns.run(slot.owner, () => this.source.chunks.next());
        if (result.done === true || result.value !== '') return result;
      }
    } finally {
      slot.resume();
    }
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.source.close?.();
    this.slot.release();
  }
}
