/**
 * Coding bodies on their way from an origin to a visitor. How it is done depends on how a body
 * comes:
 *
 *     whole and short when it is requested ─► at once, here; it stays as it is if it would not get
 *                                             shorter, as its length is known
 *     short, and whole before it pauses    ─► at once, here
 *     else                                 ─► by a stream, in another thread, flushed whenever the
 *                                             source pauses
 */
import type { FieldList } from '../http/exchange/field-list.ts';
import type { OriginBody } from '../origin/origin.ts';
import { type Coding, compressAtOnce, SHORT } from './coding.ts';
import { codedTrailers } from './fields.ts';
import { joined, StreamedBody } from './streamed-body.ts';

/** A body of which some has been taken already: that first, then the rest. */
class TakenBody implements OriginBody {
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

/** A body for the visitor, and how it is coded. */
interface Coded {
  readonly body: OriginBody;
  readonly coding: Coding | 'identity';
}

/** Of one thread. */
export class BodyCompressor {
  /** Bodies that are coded as they come, now. */
  open = 0;
  /** Bodies that were left as they are as there were too many. */
  refused = 0;
  readonly #most: number;
  /** Of the open ones, those of each site: slow visitors of one do not use up the others' share. */
  readonly #ofSites = new Map<string, number>();

  /** `most`: bodies at one time that are coded as they come (`edge.compress_concurrency`). */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * `source` is the compressor's from here on; what is returned must be read to its end or
   * cancelled, since until then it counts. The coding is "identity" when a short body does not get
   * shorter by it, or when too many are coded already. Throws OriginError as `source.readNow` does.
   */
  compress(source: OriginBody, coding: Coding, site: string): Coded {
    const parts: Uint8Array[] = [];
    let length = 0;
    let part = source.readNow();
    while (part) {
      parts.push(part);
      length += part.length;
      part = length > SHORT ? undefined : source.readNow();
    }
    if (part === null) return compressWhole(parts, length, source, coding);
    const ofSite = this.#ofSites.get(site) ?? 0;
    // A site gets no more than it leaves for others, or one.
    if (this.open >= this.#most || (ofSite > 0 && ofSite >= this.#most - this.open)) {
      this.refused++;
      return { body: new TakenBody(parts, source, source.length, false), coding: 'identity' };
    }
    this.open++;
    this.#ofSites.set(site, ofSite + 1);
    return { body: new StreamedBody(source, coding, parts, length, () => this.#ended(site)), coding };
  }

  #ended(site: string): void {
    this.open--;
    const left = this.#ofSites.get(site)! - 1;
    if (left === 0) this.#ofSites.delete(site);
    else this.#ofSites.set(site, left);
  }
}

function compressWhole(parts: Uint8Array[], length: number, source: OriginBody, coding: Coding): Coded {
  if (length > 0) {
    const bytes = compressAtOnce(joined(parts, length), coding);
    if (bytes.length < length) return { body: new TakenBody([bytes], source, bytes.length, true), coding };
  }
  return { body: new TakenBody(parts, source, length, false), coding: 'identity' };
}
