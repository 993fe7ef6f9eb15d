/**
 * The last header block, to skip the decoding of an identical one. Clients and origins repeat their
 * fields. The same bytes decode to the same fields while the decoder's table is unchanged.
 */
import type { HpackDecoder } from './decoder.ts';

/** Maximum bytes of a block. Repeated blocks are short, since they consist mostly of indices. */
const LONGEST = 512;

export class RepeatedBlock {
  #bytes: Uint8Array | null = null;
  /** 0: no block. */
  #length = 0;
  /** Revision of the decoder. */
  #revision = 0;

  forget(): void {
    this.#length = 0;
  }

  /** Keeps a decoded block if the table is still at `revision`, so decoding did not change it. */
  keep(decoder: HpackDecoder, revision: number, bytes: Uint8Array, start: number, end: number): void {
    if (decoder.revision !== revision || end - start > LONGEST) return;
    this.#bytes ??= new Uint8Array(LONGEST);
    for (let i = start; i < end; i++) this.#bytes[i - start] = bytes[i];
    this.#length = end - start;
    this.#revision = revision;
  }

  /** Whether bytes[start, end) decode to the same fields as the last block. */
  isRepeated(decoder: HpackDecoder, bytes: Uint8Array, start: number, end: number): boolean {
    const kept = this.#bytes;
    if (kept === null || this.#length === 0 || end - start !== this.#length) return false;
    if (decoder.revision !== this.#revision) return false;
    // Compares backwards: paths and lengths, which differ most often, follow the indices.
    for (let i = this.#length - 1; i >= 0; i--) if (bytes[start + i] !== kept[i]) return false;
    return true;
  }
}
