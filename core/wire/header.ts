/** Bytes of the header of a DNS message (RFC 1035 4.1.1). The question follows at this offset. */
export const HEADER_LENGTH = 12;
