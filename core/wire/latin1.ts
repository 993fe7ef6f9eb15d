/** Node's own, which its types leave out. The way by a Buffer over the octets moves short arrays off the heap: 700 ns against 120. */
const { latin1Slice } = Buffer.prototype as Buffer & {
  latin1Slice(this: Uint8Array, start: number, end: number): string;
};

/** Octets as a text of one character each: a key for Map and Set, and ordered as the octets are. */
export function latin1(bytes: Uint8Array): string {
  return latin1Slice.call(bytes, 0, bytes.length);
}
