/**
 * Where strings of a header block are put together: one buffer for a thread, since a block is
 * decoded without a pause.
 */

let scratch = Buffer.allocUnsafeSlow(16 * 1024);

/**
 * A buffer of at least `length` bytes. Not to be kept between calls: it may be replaced by a larger
 * one.
 */
export function scratchFor(length: number): Buffer {
  if (scratch.length < length) scratch = Buffer.allocUnsafeSlow(length);
  return scratch;
}
