/**
 * A body that, from a moment on, is fetched faster than its reader takes it: others wait for the same, and a visitor who takes it slowly, or means to, must not keep them.
 * What the reader has not taken lies here, up to a bound; past it the reader's pace counts again, and those who wait have a time-out of their own.
 */
import type { FieldList } from '../http/exchange/field-list.ts';
import { Parts } from '../http/exchange/parts.ts';
import type { OriginBody } from '../origin/origin.ts';

/** Bytes of one body, and of all of a thread: slow visitors may be many. */
const MOST_AHEAD = 1024 * 1024;
const MOST_OF_ALL = 64 * 1024 * 1024;

/** What the bodies of a thread hold for their readers. */
export interface AheadRoom {
  bytes: number;
}

export class AheadBody implements OriginBody {
  readonly #source: OriginBody;
  readonly #room: AheadRoom;
  readonly #parts = new Parts();
  /** Behind the parts comes the end. */
  #isWhole = false;
  #bytes = 0;
  #hurries = false;
  #isReading = false;
  #isCancelled = false;
  #failure: unknown;
  #wake: (() => void) | null = null;

  constructor(source: OriginBody, room: AheadRoom) {
    this.#source = source;
    this.#room = room;
  }

  get length(): number | undefined {
    return this.#source.length;
  }

  get trailers(): FieldList {
    return this.#source.trailers;
  }

  /** From here on; more than once does nothing. */
  hurry(): void {
    if (this.#hurries) return;
    this.#hurries = true;
    if (!this.#isReading) void this.#pump();
  }

  readNow(): Uint8Array | null | undefined {
    // What the source still gives is for the cache: who has gone must not take it from there.
    if (this.#isCancelled) return null;
    const part = this.#parts.shift();
    if (part === undefined) {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#isWhole) return null;
      return this.#isReading ? undefined : this.#source.readNow();
    }
    this.#hold(-part.length);
    if (this.#hurries && !this.#isReading) void this.#pump();
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
      if (this.#hurries) void this.#pump();
    }
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#parts.clear();
    this.#hold(-this.#bytes);
    this.#source.cancel();
    this.#stir();
  }

  async #pump(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#mayHoldMore()) {
        const now = this.#source.readNow();
        const part = now === undefined ? await this.#source.read() : now;
        if (this.#isCancelled) return;
        if (part === null) this.#isWhole = true;
        else {
          this.#parts.push(part);
          this.#hold(part.length);
        }
        this.#stir();
      }
    } catch (error) {
      this.#failure = error;
    } finally {
      this.#isReading = false;
      this.#stir();
    }
  }

  #mayHoldMore(): boolean {
    if (this.#isCancelled || this.#isWhole) return false;
    return this.#bytes < MOST_AHEAD && this.#room.bytes < MOST_OF_ALL;
  }

  #hold(bytes: number): void {
    this.#bytes += bytes;
    this.#room.bytes += bytes;
  }

  #stir(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}
