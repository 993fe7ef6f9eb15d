/** Numbers of 64 bits in ZIP64 records. Infinity: more than a length or an offset can be. */
export function uint64(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at);
  return value > Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : Number(value);
}
