/**
 * The offset after the name at `at`, which may end in a pointer (RFC 1035 section 4.1.4); 0: it
 * extends beyond `end`, or has a label of a reserved kind. For hot paths: it allocates nothing.
 */
export function skipName(bytes: Uint8Array, at: number, end: number): number {
  let p = at;
  while (p < end) {
    const length = bytes[p];
    if (length === 0) return p + 1;
    if (length >= 0xc0) return p + 2 <= end ? p + 2 : 0;
    if (length > 63) return 0;
    p += length + 1;
  }
  return 0;
}
