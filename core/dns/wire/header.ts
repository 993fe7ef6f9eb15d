/** Bytes of the header of a DNS message (RFC 1035 4.1.1). The question follows at this offset. */
export const HEADER_LENGTH = 12;

/** Flags in byte 2 of the header. */
export const QR = 0x80;
export const AA = 0x04;
export const TC = 0x02;

/** The opcode of the message at bytes[start]. */
export const opcodeOf = (bytes: Uint8Array, start = 0): number => (bytes[start + 2] >>> 3) & 15;

/** Type and class, which follow the name in a question. */
export const AFTER_NAME = 4;

/** Bytes of the longest message: over TCP its length has two bytes. */
export const MAX_MESSAGE = 65535;

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
