/** A body on its way from the origin to the visitor, copied to the cache. */
import type { FieldList } from '../http/exchange/field-list.ts';
import type { OriginBody } from '../origin/origin.ts';
import type { CacheWriter } from './store/cache-store.ts';

/** Maximum number of bytes that are still fetched for the cache after the visitor has left. */
const MAX_FINISH_BYTES = 4 * 1024 * 1024;

export class TappedBody implements OriginBody {
  readonly #source: OriginBody;
  readonly #onEnd: (isKept: boolean) => void;
  readonly #hasFollowers: () => boolean;
  #writer: CacheWriter | null;
  #bytesRead = 0;
  #isReading = false;
  #isDraining = false;
  #hasEnded = false;
  #isReported = false;

  /** `onEnd`: called once. `hasFollowers`: whether other requests wait for the stored response. */
  constructor(
    source: OriginBody,
    writer: CacheWriter,
    onEnd: (isKept: boolean) => void,
    hasFollowers: () => boolean = () => false,
  ) {
    this.#source = source;
    this.#writer = writer;
    this.#onEnd = onEnd;
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
      this.#end(false);
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
      this.#end(false);
      throw error;
    } finally {
      this.#isReading = false;
      if (this.#isDraining) void this.#drain();
    }
  }

  /** The visitor has left. The rest is still fetched if it is short or has followers. */
  cancel(): void {
    if (this.#hasEnded || this.#isDraining) return;
    const { length } = this.#source;
    const isWorthFinishing = length !== undefined && length - this.#bytesRead <= MAX_FINISH_BYTES;
    if (this.#writer === null || !(isWorthFinishing || this.#hasFollowers())) {
      this.#end(false);
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
      this.#end(false);
    }
  }

  /** No reader is left: neither the cache nor a visitor. */
  #cancelSource(): void {
    if (this.#hasEnded) return;
    this.#end(false);
    this.#source.cancel();
  }

  #copyToCache(part: Uint8Array | null): void {
    const writer = this.#writer;
    if (part === null) {
      this.#writer = null;
      // A response that is on disk only is found by the next lookup, too.
      writer?.end();
      this.#end(writer !== null);
      return;
    }
    this.#bytesRead += part.length;
    if (writer === null || writer.push(part)) return;
    // The body is too large, or the disk too slow. The visitor still receives all of it.
    this.#writer = null;
    writer.abort();
    this.#report(false);
  }

  #end(isStored: boolean): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#writer?.abort();
    this.#writer = null;
    this.#report(isStored);
  }

  #report(isStored: boolean): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#onEnd(isStored);
  }
}
