/** Seconds in cache directives and Age (RFC 9111 section 1.2.2). */

/** Larger values count as 2^31, about 68 years. */
const MAX_DELTA_SECONDS = 2_147_483_648;

/** Seconds, at most MAX_DELTA_SECONDS; -1: invalid. */
export function deltaSeconds(text: string): number {
  if (text.length === 0) return -1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x30 || code > 0x39) return -1;
  }
  return Math.min(Number(text), MAX_DELTA_SECONDS);
}
