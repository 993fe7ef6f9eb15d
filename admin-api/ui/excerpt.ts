/** Texts of packages, which may hold anything, as pages show them. */

/** A finding of the audit, as far as its excerpt goes. */
export interface Excerpted {
  readonly excerpt: string | null;
  /** From 1, in the line; not in the excerpt. */
  readonly column: number | null;
}

interface ExcerptParts {
  readonly before: string;
  /** The text at the position of the finding; empty if the position is not in the excerpt. */
  readonly marked: string;
  readonly after: string;
}

/** Length of the text before the position, in an excerpt that begins with `…`. */
const BEFORE = 41;

export function splitExcerpt({ excerpt, column }: Excerpted): ExcerptParts | null {
  if (excerpt === null || excerpt.trim() === '') return null;
  const at = column === null ? excerpt.length : excerpt.startsWith('…') ? BEFORE : column - 1;
  const marked = /^(?:[\w$]+|.)/su.exec(excerpt.slice(at))?.[0] ?? '';
  return {
    before: visible(excerpt.slice(0, at)),
    marked: visible(marked),
    after: visible(excerpt.slice(at + marked.length)),
  };
}

/** Text of a package, with characters that hide or reorder others as escapes. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (char) =>
    char === '\t' ? char : `\\u{${char.codePointAt(0)!.toString(16)}}`,
  );
}
