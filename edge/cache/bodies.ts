/**
 * Bodies of responses on their way through the cache: a range of one, one that is also stored, and
 * one that is read ahead of a slow visitor.
 */
import type { FieldList } from '../http/exchange/field-list.ts';
import { Parts } from '../http/exchange/parts.ts';
import type { OriginBody } from '../origin/origin.ts';
import type { Part } from './rules/range.ts';
import type { CacheWriter, OnStored } from './store/cache-store.ts';

/** Limits in bytes, for one body and for all bodies of a thread: many visitors may be slow. */
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_THREAD_BYTES = 64 * 1024 * 1024;

/** Maximum number of bytes that are still fetched for the cache after the visitor has left. */
const MAX_FINISH_BYTES = 4 * 1024 * 1024;

const NONE: FieldList = [];

/** One range of a body that is read from its start. */
export class RangedBody implements OriginBody {
  readonly length: number;
  readonly trailers = NONE;
  readonly #source: OriginBody;
  #skipBytes: number;
  #bytesLeft: number;

  constructor(source: OriginBody, { from, to }: Part) {
    this.#source = source;
    this.#skipBytes = from;
    this.#bytesLeft = to - from;
    this.length = to - from;
  }

  readNow(): Uint8Array | null | undefined {
    while (this.#bytesLeft > 0) {
      const part = this.#source.readNow();
      if (part === undefined || part === null) return part;
      const selected = this.#cut(part);
      if (selected.length > 0) return selected;
    }
    return null;
  }

  async read(maxBytes?: number): Promise<Uint8Array | null> {
    while (this.#bytesLeft > 0) {
      const part = await this.#source.read(maxBytes);
      if (part === null) return null;
      const selected = this.#cut(part);
      if (selected.length > 0) return selected;
    }
    return null;
  }

  cancel(): void {
    this.#source.cancel();
  }

  #cut(part: Uint8Array): Uint8Array {
    const from = Math.min(this.#skipBytes, part.length);
    const to = Math.min(part.length, from + this.#bytesLeft);
    this.#skipBytes -= from;
    this.#bytesLeft -= to - from;
    // A TappedBody may still fetch the rest for the cache.
    if (this.#bytesLeft === 0) this.#source.cancel();
    return from === 0 && to === part.length ? part : part.subarray(from, to);
  }
}

/** A response body that is forwarded to the visitor and copied to the cache. */
export class TappedBody implements OriginBody {
  readonly #source: OriginBody;
  readonly #onStored: OnStored;
  readonly #hasFollowers: () => boolean;
  #writer: CacheWriter | null;
  #bytesRead = 0;
  #isReading = false;
  #isDraining = false;
  #hasEnded = false;
  #isReported = false;

  /** `hasFollowers`: whether other requests wait for the stored response. */
  constructor(source: OriginBody, writer: CacheWriter, onStored: OnStored, hasFollowers: () => boolean = () => false) {
    this.#source = source;
    this.#writer = writer;
    this.#onStored = onStored;
    this.#hasFollowers = hasFollowers;
  }

  get length(): number | undefined {
    return this.#source.length;
  }

  get trailers(): FieldList {
    return this.#source.trailers;
  }

  readNow(): Uint8Array | null | undefined {
    try {
      const part = this.#source.readNow();
      if (part !== undefined) this.#copyToCache(part);
      return part;
    } catch (error) {
      this.#fail();
      throw error;
    }
  }

  async read(): Promise<Uint8Array | null> {
    this.#isReading = true;
    try {
      const part = await this.#source.read();
      this.#copyToCache(part);
      return part;
    } catch (error) {
      this.#fail();
      throw error;
    } finally {
      this.#isReading = false;
      if (this.#isDraining) void this.#drain();
    }
  }

  /** The visitor disconnected. The rest is still fetched if it is short or has followers. */
  cancel(): void {
    if (this.#hasEnded || this.#isDraining) return;
    const { length } = this.#source;
    const isWorthFinishing = length !== undefined && length - this.#bytesRead <= MAX_FINISH_BYTES;
    if (this.#writer === null || !(isWorthFinishing || this.#hasFollowers())) {
      this.#fail();
      this.#source.cancel();
      return;
    }
    this.#isDraining = true;
    if (!this.#isReading) void this.#drain();
  }

  /** Fetches the rest for the cache only. */
  finish(): void {
    if (this.#hasEnded || this.#isDraining) return;
    this.#isDraining = true;
    void this.#drain();
  }

  async #drain(): Promise<void> {
    try {
      while (!this.#hasEnded) {
        const part = this.#source.readNow();
        this.#copyToCache(part === undefined ? await this.#source.read() : part);
        if (this.#writer === null) this.#cancelSource();
      }
    } catch {
      this.#fail();
    }
  }

  /** No reader is left: neither the cache nor a visitor. */
  #cancelSource(): void {
    if (this.#hasEnded) return;
    this.#fail();
    this.#source.cancel();
  }

  #copyToCache(part: Uint8Array | null): void {
    const writer = this.#writer;
    if (part === null) {
      if (writer === null) this.#fail();
      else this.#finish(writer);
      return;
    }
    this.#bytesRead += part.length;
    if (writer === null || writer.push(part)) return;
    // The body is too large, or the disk is too slow. The visitor still receives the whole body.
    this.#writer = null;
    writer.abort();
    this.#reportNotStored();
  }

  /** The source has ended. The writer reports the result: the disk may need some time. */
  #finish(writer: CacheWriter): void {
    this.#writer = null;
    writer.end(this.#onStored);
    this.#hasEnded = true;
    this.#isReported = true;
  }

  #fail(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#writer?.abort();
    this.#writer = null;
    this.#reportNotStored();
  }

  #reportNotStored(): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#onStored(false);
  }
}

/** Bytes that all bodies of a thread hold for their readers. */
export interface ReadAheadBudget {
  bytes: number;
}

/**
 * A body that can be read ahead of its visitor. Followers wait until the same response is stored,
 * and a slow visitor must not delay them. Unread parts stay in memory, up to a limit. Above the
 * limit, the visitor's back pressure applies again, and followers wait until their timeout.
 */
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
