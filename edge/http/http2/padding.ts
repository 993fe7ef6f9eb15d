/**
 * Where the content of a PADDED payload, bytes[start … end), ends (RFC 9113 sections 6.1 and 6.2).
 * It begins behind the first byte, which tells how much padding follows it. -1: that is more than
 * there is.
 */
export function contentEnd(bytes: Uint8Array, start: number, end: number): number {
  return start === end || bytes[start] >= end - start ? -1 : end - bytes[start];
}
