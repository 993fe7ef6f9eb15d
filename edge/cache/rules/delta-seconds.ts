/** Seconds as cache directives and Age give them (RFC 9111 section 1.2.2). */

/** What all that is larger counts as: 2^31, some 68 years. */
export const LONGEST = 2_147_483_648;

/** Seconds, at most LONGEST; -1 for what is no number of seconds. */
export function deltaSeconds(text: string): number {
  if (text.length === 0) return -1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x30 || code > 0x39) return -1;
  }
  return Math.min(Number(text), LONGEST);
}
