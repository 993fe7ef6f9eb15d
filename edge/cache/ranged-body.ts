/** One range of a body that is read from its start. */
import type { FieldList } from '../http/exchange/field-list.ts';
import type { OriginBody } from '../origin/origin.ts';
import type { Part } from './rules/range.ts';

const NONE: FieldList = [];

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
