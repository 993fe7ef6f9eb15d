/** Reads integers and strings of a header block (RFC 7541 section 5). */
import { BYTE_CLASS, NOT_IN_NAME, NOT_IN_VALUE } from '../../exchange/fields.ts';
import { DECODER_SPARE, decodedBound, decodeHuffman, HUFFMAN_EOS, skipHuffman } from './huffman.ts';
import { OUTCOME, type Outcome } from './outcome.ts';

let scratch = Buffer.allocUnsafeSlow(16 * 1024);

/**
 * A scratch buffer of at least `length` bytes for the decoded string. All readers of the thread
 * share it, since a block is decoded synchronously. Do not keep it between calls: a larger buffer
 * may replace it.
 */
export function scratchFor(length: number): Buffer {
  if (scratch.length < length) scratch = Buffer.allocUnsafeSlow(length);
  return scratch;
}

/** Maximum shift of an integer's continuation bytes: 28 bits in all, even if they are zero. */
const MAX_SHIFT = 21;

export class StringReader {
  /** Offset of the next byte. */
  at = 0;
  /** Reason of the last failure. */
  failure: Outcome = OUTCOME.decoded;
  /**
   * The last string: its length in bytes, its character classes (edge/http/exchange/fields.ts), and
   * whether `bytes` holds it.
   */
  length = 0;
  classes = 0;
  isHeld = false;
  bytes: Buffer;
  #longest: number;

  /** `longest`: maximum bytes of a string that is held. */
  constructor(longest: number) {
    this.#longest = longest;
    this.bytes = scratchFor(longest + DECODER_SPARE);
  }

  /** Raises the maximum length of a string that is held. */
  raise(longest: number): void {
    if (longest > this.#longest) this.#longest = longest;
  }

  /**
   * Reads an integer (RFC 7541 section 5.1) with a prefix in the bits of `mask`; -1: failure. The
   * first byte must exist.
   */
  integer(bytes: Uint8Array, end: number, mask: number): number {
    let value = bytes[this.at++] & mask;
    if (value !== mask) return value;
    for (let shift = 0; shift <= MAX_SHIFT; shift += 7) {
      if (this.at >= end) return this.#fail(OUTCOME.truncated);
      const byte = bytes[this.at++];
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return this.#fail(OUTCOME.integerOverflow);
  }

  /**
   * Reads a string (RFC 7541 section 5.2). It is held if it is wanted and not longer than the
   * maximum. False: failure.
   */
  read(bytes: Uint8Array, end: number, isWanted: boolean): boolean {
    if (this.at >= end) return this.#refuse(OUTCOME.truncated);
    const isHuffman = bytes[this.at] >= 0x80;
    const coded = this.integer(bytes, end, 0x7f);
    if (coded < 0) return false;
    const start = this.at;
    if (coded > end - start) return this.#refuse(OUTCOME.truncated);
    this.at = start + coded;
    if (isHuffman) return this.#huffman(bytes, start, this.at, isWanted);
    this.length = coded;
    this.isHeld = isWanted && coded <= this.#longest;
    if (this.isHeld) this.#copy(bytes, start, coded);
    return true;
  }

  /** The last string, which must be held. */
  text(): string {
    return this.bytes.toString('latin1', 0, this.length);
  }

  /**
   * Short code always decodes to a text within the maximum. For long code the length of the text is
   * determined first.
   */
  #huffman(bytes: Uint8Array, start: number, end: number, isWanted: boolean): boolean {
    const isShort = decodedBound(end - start) <= this.#longest + DECODER_SPARE;
    let decoded = isWanted && isShort ? 0 : skipHuffman(bytes, start, end);
    const isHeld = isWanted && decoded >= 0 && decoded >> 2 <= this.#longest;
    if (isHeld) {
      this.bytes = scratchFor(this.#longest + DECODER_SPARE);
      decoded = decodeHuffman(bytes, start, end, this.bytes);
    }
    if (decoded < 0) return this.#refuse(decoded === HUFFMAN_EOS ? OUTCOME.huffmanEos : OUTCOME.huffmanPadding);
    this.length = decoded >> 2;
    this.classes = decoded & (NOT_IN_NAME | NOT_IN_VALUE);
    this.isHeld = isHeld;
    return true;
  }

  #copy(bytes: Uint8Array, start: number, length: number): void {
    const data = scratchFor(length);
    let seen = 0;
    for (let i = 0; i < length; i++) {
      const byte = bytes[start + i];
      data[i] = byte;
      seen |= BYTE_CLASS[byte];
    }
    this.bytes = data;
    this.classes = seen & (NOT_IN_NAME | NOT_IN_VALUE);
  }

  #refuse(failure: Outcome): false {
    this.failure = failure;
    return false;
  }

  #fail(failure: Outcome): -1 {
    this.failure = failure;
    return -1;
  }
}
