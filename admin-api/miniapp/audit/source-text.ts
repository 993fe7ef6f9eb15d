/** The text of a file, with the line and column of each offset. */
import type { Place } from './finding.ts';

/** Characters of an excerpt. */
const EXCERPT = 120;

export type SourceKind = 'script' | 'markup' | 'style';

export class SourceText {
  readonly isPartial: boolean;
  /** Offsets of line starts; computed at the first call of `at`. */
  #lines: number[] | undefined;

  constructor(
    readonly file: string,
    readonly text: string,
    isPartial = false,
  ) {
    this.isPartial = isPartial;
  }

  /**
   * The place of an offset in UTF-16 units. Lines end at LF, CR or CR LF, as in editors. U+2028 and
   * U+2029 do not end a line, unlike in ECMAScript.
   */
  at(offset: number): Place {
    this.#lines ??= lineStarts(this.text);
    const lines = this.#lines;
    let low = 0;
    let high = lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (lines[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    const start = lines[low];
    const end = lines[low + 1] ?? this.text.length;
    return { file: this.file, line: low + 1, column: offset - start + 1, excerpt: this.#excerpt(start, end, offset) };
  }

  /**
   * The text of the line; of a long line, the part around the offset. Leading blanks stay, so that
   * `column` is an index into an uncut excerpt.
   */
  #excerpt(start: number, end: number, offset: number): string {
    if (end - start <= EXCERPT) return this.text.slice(start, end).trimEnd();
    const from = Math.max(start, offset - EXCERPT / 3);
    const to = Math.min(end, from + EXCERPT);
    return `${from > start ? '…' : ''}${this.text.slice(from, to).trimEnd()}${to < end ? '…' : ''}`;
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || (code === 13 && text.charCodeAt(i + 1) !== 10)) starts.push(i + 1);
  }
  return starts;
}
