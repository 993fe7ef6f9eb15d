/** A body of which some has been taken already: that first, then the rest. */
import type { FieldList } from '../http/exchange/field-list.ts';
import type { OriginBody } from '../origin/origin.ts';
import { codedTrailers } from './fields.ts';

export class TakenBody implements OriginBody {
  readonly length: number | undefined;
  readonly #parts: Uint8Array[];
  readonly #rest: OriginBody;
  readonly #isCoded: boolean;

  /**
   * `length`: of the parts and the rest. `isCoded`: the parts are the whole, coded; `rest` is at
   * its end.
   */
  constructor(parts: Uint8Array[], rest: OriginBody, length: number | undefined, isCoded: boolean) {
    this.#parts = parts;
    this.#rest = rest;
    this.length = length;
    this.#isCoded = isCoded;
  }

  get trailers(): FieldList {
    return this.#isCoded ? codedTrailers(this.#rest.trailers) : this.#rest.trailers;
  }

  readNow(): Uint8Array | null | undefined {
    return this.#parts.shift() ?? this.#rest.readNow();
  }

  read(): Promise<Uint8Array | null> {
    const part = this.#parts.shift();
    return part === undefined ? this.#rest.read() : Promise.resolve(part);
  }

  cancel(): void {
    this.#parts.length = 0;
    this.#rest.cancel();
  }
}
