/**
 * A body that can be read ahead of its visitor. Followers wait until the same response is stored,
 * and a slow visitor must not delay them. Unread parts stay in memory, up to a limit. Above the
 * limit, the visitor's back pressure applies again, and followers wait until their timeout.
 */
import type { FieldList } from '../http/exchange/field-list.ts';
import { Parts } from '../http/exchange/parts.ts';
import type { OriginBody } from '../origin/origin.ts';

/** Limits in bytes, for one body and for all bodies of a thread: many visitors may be slow. */
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_THREAD_BYTES = 64 * 1024 * 1024;

/** Bytes that all bodies of a thread hold for their readers. */
export interface ReadAheadBudget {
  bytes: number;
}

export class ReadAheadBody implements OriginBody {
  readonly #source: OriginBody;
  readonly #budget: ReadAheadBudget;
  readonly #parts = new Parts();
  /** The source has ended; `#parts` may still hold bytes. */
  #hasEnded = false;
  #bytes = 0;
  #readsAhead = false;
  #isReading = false;
  #isCancelled = false;
  #failure: unknown;
  #wake: (() => void) | null = null;

  constructor(source: OriginBody, budget: ReadAheadBudget) {
    this.#source = source;
    this.#budget = budget;
  }

  get length(): number | undefined {
    return this.#source.length;
  }

  get trailers(): FieldList {
    return this.#source.trailers;
  }

  /** Starts reading ahead. Later calls do nothing. */
  readAhead(): void {
    if (this.#readsAhead) return;
    this.#readsAhead = true;
    if (!this.#isReading) void this.#pump();
  }

  readNow(): Uint8Array | null | undefined {
    // After a cancel the rest of the source is for the cache: the visitor must not consume it.
    if (this.#isCancelled) return null;
    const part = this.#parts.shift();
    if (part === undefined) {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#hasEnded) return null;
      return this.#isReading ? undefined : this.#source.readNow();
    }
    this.#addBytes(-part.length);
    if (this.#readsAhead && !this.#isReading) void this.#pump();
    return part;
  }

  async read(): Promise<Uint8Array | null> {
    const now = this.readNow();
    if (now !== undefined) return now;
    if (this.#isReading) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      return this.read();
    }
    this.#isReading = true;
    try {
      return await this.#source.read();
    } finally {
      this.#isReading = false;
      if (this.#readsAhead) void this.#pump();
    }
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#parts.clear();
    this.#addBytes(-this.#bytes);
    this.#source.cancel();
    this.#wakeReader();
  }

  async #pump(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#hasRoom()) {
        const now = this.#source.readNow();
        const part = now === undefined ? await this.#source.read() : now;
        if (this.#isCancelled) return;
        if (part === null) this.#hasEnded = true;
        else {
          this.#parts.push(part);
          this.#addBytes(part.length);
        }
        this.#wakeReader();
      }
    } catch (error) {
      this.#failure = error;
    } finally {
      this.#isReading = false;
      this.#wakeReader();
    }
  }

  #hasRoom(): boolean {
    if (this.#isCancelled || this.#hasEnded) return false;
    return this.#bytes < MAX_BODY_BYTES && this.#budget.bytes < MAX_THREAD_BYTES;
  }

  #addBytes(bytes: number): void {
    this.#bytes += bytes;
    this.#budget.bytes += bytes;
  }

  #wakeReader(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}
