/**
 * Compresses response bodies. The method depends on how a body arrives:
 *
 *     complete and short at the start      ─► at once, here; sent uncompressed if that is shorter
 *     short, and complete before a pause   ─► at once, here
 *     else                                 ─► by a stream, in another thread, flushed whenever the
 *                                             source pauses
 */
import type { FieldList } from '../http/exchange/field-list.ts';
import type { OriginBody } from '../origin/origin.ts';
import { type Coding, compressAtOnce, SHORT } from './coding.ts';
import { codedTrailers } from './fields.ts';
import { joined, StreamedBody } from './streamed-body.ts';

/** A body of which some parts have been read: these parts, then the rest. */
class TakenBody implements OriginBody {
  readonly length: number | undefined;
  readonly #parts: Uint8Array[];
  readonly #rest: OriginBody;
  readonly #isCoded: boolean;

  /**
   * `length`: of the parts and the rest. `isCoded`: `parts` are the complete compressed body, and
   * `rest` is at its end.
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

/** A response body and its content coding. */
interface Coded {
  readonly body: OriginBody;
  readonly coding: Coding | 'identity';
}

/** Compresses the bodies of a thread. */
export class BodyCompressor {
  /** Streams in use. */
  open = 0;
  /** Bodies that were sent uncompressed because too many streams were in use. */
  refused = 0;
  readonly #max: number;
  /** Streams by site: slow visitors of a site do not use up the share of the others. */
  readonly #ofSites = new Map<string, number>();

  /** `max`: concurrent streams (`edge.compress_concurrency`). */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Takes over `source`. The returned body must be read to its end or cancelled, which releases its
   * stream. The coding is "identity" if compression does not make a short body shorter, or if too
   * many streams are in use. Throws OriginError as `source.readNow` does.
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
    // A site may use as many streams as it leaves for others, and at least one.
    if (this.open >= this.#max || (ofSite > 0 && ofSite >= this.#max - this.open)) {
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
