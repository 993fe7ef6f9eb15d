/**
 * Reads a 64-bit number of a ZIP64 record. Values above 2^53 are inexact, but exceed every limit
 * anyway.
 */
export const uint64 = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at));
