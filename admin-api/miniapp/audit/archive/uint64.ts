/** Numbers of 64 bits in ZIP64 records. Above 2^53 they are not exact, and beyond every limit. */
export const uint64 = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at));
