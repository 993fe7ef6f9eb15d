/**
 * Returns the end of the content of a PADDED payload, bytes[start, end) (RFC 9113 sections 6.1 and
 * 6.2). The first byte is the length of the padding, and the content follows it. -1: the padding
 * exceeds the payload.
 */
export function contentEnd(bytes: Uint8Array, start: number, end: number): number {
  return start === end || bytes[start] >= end - start ? -1 : end - bytes[start];
}
