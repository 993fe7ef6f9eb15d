/**
 * A text as a terminal may show it: what would drive it, turn the line or hide itself is written as
 * an escape; tabs stay.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (char) =>
    char === '\t' ? char : `\\u{${char.codePointAt(0)!.toString(16)}}`,
  );
}
