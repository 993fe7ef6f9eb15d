/** Where strings of a header block are put together: one buffer for a thread, since a block is decoded without a pause. */
import { decodedBound } from './huffman-decode.ts';

let scratch = Buffer.allocUnsafeSlow(decodedBound(16 * 1024));

/** Holds what `decodeHuffman` writes for at least `length` octets of code. Not to be kept between calls: it may be replaced. */
export function scratchFor(length: number): Buffer {
  const bound = decodedBound(length);
  if (scratch.length < bound) scratch = Buffer.allocUnsafeSlow(bound);
  return scratch;
}
