/** Computes the SOA serial of a zone. */

/**
 * Whether `a` is greater than `b` in serial number arithmetic, which wraps (RFC 1982 3.2). Both are
 * 32-bit numbers.
 */
export function isAfter(a: number, b: number): boolean {
  const ahead = (a - b) >>> 0;
  return ahead > 0 && ahead < 0x80000000;
}

/**
 * The serial after `last`: at least `last` + 1, and more if the clock (`seconds` since 1970) or the
 * serial of the master file (`kept`, 0 for none) is ahead. With the clock, a zone that is deleted
 * and created again does not reuse serials.
 *
 * For a new zone (`last` 0), the clock and `kept` are compared as plain numbers. A zone that was
 * served before must never go back, since secondaries would ignore the change.
 */
export function nextSerial(last: number, seconds: number, kept: number): number {
  if (last === 0) return Math.max(1, seconds >>> 0, kept);
  // 0 means that there was no serial, so wrapping skips it.
  let next = last === 0xffffffff ? 1 : last + 1;
  for (const other of [seconds >>> 0, kept])
    if (other !== 0 && isAfter(other, last) && isAfter(other, next)) next = other;
  return next;
}
