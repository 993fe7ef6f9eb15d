/**
 * The last header block of a kind. Clients and origins repeat their fields: the same bytes mean the
 * same fields as long as the table of the decoder has not changed, so they need not be decoded
 * again.
 */
import type { HpackDecoder } from './decoder.ts';

/** Bytes of a block that is kept. Blocks that repeat are mostly indices. */
const LONGEST = 512;

export class RepeatedBlock {
  #bytes: Uint8Array | null = null;
  /** 0: none is kept. */
  #length = 0;
  /** Of the decoder. */
  #revision = 0;

  forget(): void {
    this.#length = 0;
  }

  /** Keeps a block that was decoded, if that left the table as it was: at `revision`. */
  keep(decoder: HpackDecoder, revision: number, bytes: Uint8Array, start: number, end: number): void {
    if (decoder.revision !== revision || end - start > LONGEST) return;
    this.#bytes ??= new Uint8Array(LONGEST);
    for (let i = start; i < end; i++) this.#bytes[i - start] = bytes[i];
    this.#length = end - start;
    this.#revision = revision;
  }

  /** Whether bytes[start, end) decode to the same fields as the block that is kept. */
  isRepeated(decoder: HpackDecoder, bytes: Uint8Array, start: number, end: number): boolean {
    const kept = this.#bytes;
    if (kept === null || this.#length === 0 || end - start !== this.#length) return false;
    if (decoder.revision !== this.#revision) return false;
    // The end differs first: paths and lengths follow the indices.
    for (let i = this.#length - 1; i >= 0; i--) if (bytes[start + i] !== kept[i]) return false;
    return true;
  }
}
