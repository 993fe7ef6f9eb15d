/**
 * A Node method that its type definitions omit. A Buffer view moves short arrays off the heap,
 * which takes 700 ns instead of 120.
 */
const { latin1Slice } = Buffer.prototype as Buffer & {
  latin1Slice(this: Uint8Array, start: number, end: number): string;
};

/**
 * Converts bytes to a string with one character for each byte: a key for Map and Set, with the
 * order of the bytes.
 */
export function latin1(bytes: Uint8Array): string {
  return latin1Slice.call(bytes, 0, bytes.length);
}
