/**
 * Assembles a header block of HEADERS and CONTINUATION frames (RFC 9113 section 4.3), within
 * limits.
 */
import type { Http2Limits } from './limits.ts';

type BlockLimits = Pick<Http2Limits, 'maxContinuations' | 'maxHeaderBlock'>;

const NOTHING = Buffer.alloc(0);

export class HeaderBlock {
  /** Stream of the open block; 0: no block is open. */
  streamId = 0;
  /** HEADERS had END_STREAM. */
  isEnd = false;
  /** Number of blocks opened so far. */
  serial = 0;
  #bytes: Buffer = NOTHING;
  #length = 0;
  #continuations = 0;
  readonly #limits: BlockLimits;

  constructor(limits: BlockLimits) {
    this.#limits = limits;
  }

  /** Adds a HEADERS frame without END_HEADERS. False: too large. */
  open(streamId: number, isEnd: boolean, bytes: Buffer, start: number, end: number): boolean {
    this.streamId = streamId;
    this.isEnd = isEnd;
    this.serial++;
    this.#continuations = 0;
    return this.#add(bytes, start, end);
  }

  /** Adds a CONTINUATION frame. False: too many bytes or frames. */
  continue(bytes: Buffer, start: number, end: number): boolean {
    return ++this.#continuations <= this.#limits.maxContinuations && this.#add(bytes, start, end);
  }

  /** Returns the complete block. */
  close(): Buffer {
    const block = this.#bytes.subarray(0, this.#length);
    this.streamId = 0;
    this.#bytes = NOTHING;
    this.#length = 0;
    return block;
  }

  #add(bytes: Buffer, start: number, end: number): boolean {
    const length = this.#length + end - start;
    if (length > this.#limits.maxHeaderBlock) return false;
    if (length > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.min(Math.max(length, 2 * this.#bytes.length), this.#limits.maxHeaderBlock));
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    bytes.copy(this.#bytes, this.#length, start, end);
    this.#length = length;
    return true;
  }
}
