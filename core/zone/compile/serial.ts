/** How a zone's SOA serial goes on. */

/**
 * Whether `a` comes after `b` in the order of serials, which goes around (RFC 1982 3.2). Both are
 * 32-bit numbers.
 */
export function isAfter(a: number, b: number): boolean {
  const ahead = (a - b) >>> 0;
  return ahead > 0 && ahead < 0x80000000;
}

/**
 * The serial after `last`: one more, or the clock (`seconds` since 1970) when that is further, so
 * that a zone made again goes on from where it was, or the serial that its master file had (`kept`,
 * 0 for none). A new zone (`last` 0) takes the file's whatever it is; for one that was served
 * already a serial that does not come after ours would look like a step back to those who hold a
 * copy.
 */
export function nextSerial(last: number, seconds: number, kept: number): number {
  if (last === 0) return Math.max(1, seconds >>> 0, kept);
  // 0 says that there was none yet; going around leaves it out.
  let next = last === 0xffffffff ? 1 : last + 1;
  for (const other of [seconds >>> 0, kept])
    if (other !== 0 && isAfter(other, last) && isAfter(other, next)) next = other;
  return next;
}
