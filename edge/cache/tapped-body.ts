/** A body on its way from the origin to the visitor, of which the cache gets a copy. */
import type { FieldList } from '../http/exchange/field-list.ts';
import type { OriginBody } from '../origin/origin.ts';
import type { CacheWriter } from './store/cache-store.ts';

/** Bytes that are fetched to an end for the cache though the visitor takes no more of them. */
const WORTH_FINISHING = 4 * 1024 * 1024;

export class TappedBody implements OriginBody {
  readonly #source: OriginBody;
  readonly #onEnd: (isKept: boolean) => void;
  readonly #isAwaited: () => boolean;
  #writer: CacheWriter | null;
  #taken = 0;
  #isReading = false;
  #isDraining = false;
  #isOver = false;
  #isTold = false;

  /** `onEnd`: once, whether it was kept. `isAwaited`: somebody else waits for what is kept. */
  constructor(
    source: OriginBody,
    writer: CacheWriter,
    onEnd: (isKept: boolean) => void,
    isAwaited: () => boolean = () => false,
  ) {
    this.#source = source;
    this.#writer = writer;
    this.#onEnd = onEnd;
    this.#isAwaited = isAwaited;
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
      if (part !== undefined) this.#took(part);
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
      this.#took(part);
      return part;
    } catch (error) {
      this.#end(false);
      throw error;
    } finally {
      this.#isReading = false;
      if (this.#isDraining) void this.#drain();
    }
  }

  /** The visitor takes no more. What is left is still fetched if it is little, or others wait for it. */
  cancel(): void {
    if (this.#isOver || this.#isDraining) return;
    const { length } = this.#source;
    const isLittle = length !== undefined && length - this.#taken <= WORTH_FINISHING;
    if (this.#writer === null || !(isLittle || this.#isAwaited())) {
      this.#end(false);
      this.#source.cancel();
      return;
    }
    this.#isDraining = true;
    if (!this.#isReading) void this.#drain();
  }

  /** Fetches what is left, for the cache alone. */
  finish(): void {
    if (this.#isOver || this.#isDraining) return;
    this.#isDraining = true;
    void this.#drain();
  }

  async #drain(): Promise<void> {
    try {
      while (!this.#isOver) {
        const part = this.#source.readNow();
        this.#took(part === undefined ? await this.#source.read() : part);
        if (this.#writer === null) this.#stop();
      }
    } catch {
      this.#end(false);
    }
  }

  /** It is not kept any more, and nobody else wants it. */
  #stop(): void {
    if (this.#isOver) return;
    this.#end(false);
    this.#source.cancel();
  }

  #took(part: Uint8Array | null): void {
    const writer = this.#writer;
    if (part === null) {
      this.#writer = null;
      // What lies on disk alone is given by the next look-up as well.
      writer?.end();
      this.#end(writer !== null);
      return;
    }
    this.#taken += part.length;
    if (writer === null || writer.push(part)) return;
    // Too large, or the disk too slow: the visitor gets it all the same.
    this.#writer = null;
    writer.abort();
    this.#tell(false);
  }

  #end(isKept: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#writer?.abort();
    this.#writer = null;
    this.#tell(isKept);
  }

  #tell(isKept: boolean): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#onEnd(isKept);
  }
}
