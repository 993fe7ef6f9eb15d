/** A stretch of a body that comes from its beginning. */
import type { FieldList } from '../http/exchange/field-list.ts';
import type { OriginBody } from '../origin/origin.ts';
import type { Part } from './rules/range.ts';

const NONE: FieldList = [];

export class RangedBody implements OriginBody {
  readonly length: number;
  readonly trailers = NONE;
  readonly #source: OriginBody;
  #skip: number;
  #left: number;

  constructor(source: OriginBody, { from, to }: Part) {
    this.#source = source;
    this.#skip = from;
    this.#left = to - from;
    this.length = to - from;
  }

  readNow(): Uint8Array | null | undefined {
    while (this.#left > 0) {
      const part = this.#source.readNow();
      if (part === undefined || part === null) return part;
      const wanted = this.#cut(part);
      if (wanted.length > 0) return wanted;
    }
    return null;
  }

  async read(most?: number): Promise<Uint8Array | null> {
    while (this.#left > 0) {
      const part = await this.#source.read(most);
      if (part === null) return null;
      const wanted = this.#cut(part);
      if (wanted.length > 0) return wanted;
    }
    return null;
  }

  cancel(): void {
    this.#source.cancel();
  }

  #cut(part: Uint8Array): Uint8Array {
    const from = Math.min(this.#skip, part.length);
    const to = Math.min(part.length, from + this.#left);
    this.#skip -= from;
    this.#left -= to - from;
    // The rest is for the cache, if for anybody.
    if (this.#left === 0) this.#source.cancel();
    return from === 0 && to === part.length ? part : part.subarray(from, to);
  }
}
