/**
 * Escapes control characters, bidirectional marks and invisible characters for output on a
 * terminal. Keeps tabs.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (char) =>
    char === '\t' ? char : `\\u{${char.codePointAt(0)!.toString(16)}}`,
  );
}
