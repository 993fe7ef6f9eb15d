/** A response body that is forwarded to the visitor and copied to the cache. */
import type { FieldList } from '../http/exchange/field-list.ts';
import type { OriginBody } from '../origin/origin.ts';
import type { CacheWriter, OnStored } from './store/cache-store.ts';

/** Maximum number of bytes that are still fetched for the cache after the visitor has left. */
const MAX_FINISH_BYTES = 4 * 1024 * 1024;

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
