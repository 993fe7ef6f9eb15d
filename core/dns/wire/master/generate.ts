/** The range and the templates of `$GENERATE`, as BIND expands them (BIND 9 ARM, section 3.6). */

/** Maximum number of records of all `$GENERATE` in a file: four networks of 65,536 addresses. */
export const MAX_GENERATED = 262_144;
/** Maximum bytes of text that all `$GENERATE` of a file expand to. */
export const MAX_GENERATED_TEXT = 32 << 20;

/** Whether reading the file may take much longer than its size suggests. */
export function mayGenerate(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return buffer.includes(0x24) && /^\$generate\s/im.test(buffer.toString('latin1'));
}

/** The records of all `$GENERATE` of a file, at most MAX_GENERATED. */
export function countGenerated(bytes: Uint8Array): number {
  if (!mayGenerate(bytes)) return 0;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  let count = 0;
  for (const [, words] of text.matchAll(/^\$generate\s+(\S{1,40})/gim)) {
    const range = readRange(words);
    if (range !== undefined) count += countOf(range);
    if (count >= MAX_GENERATED) return MAX_GENERATED;
  }
  return count;
}

interface GenerateRange {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
}

/** Reads `start-stop` or `start-stop/step`; undefined when the text is no range. */
export function readRange(text: string): GenerateRange | undefined {
  const parts = /^(\d{1,10})-(\d{1,10})(?:\/(\d{1,10}))?$/.exec(text);
  if (parts === null) return undefined;
  const [start, stop] = [Number(parts[1]), Number(parts[2])];
  const step = parts[3] === undefined ? 1 : Number(parts[3]);
  return stop > 0x7fffffff || start > stop || step < 1 || step > 0x7fffffff ? undefined : { start, stop, step };
}

export const countOf = ({ start, stop, step }: GenerateRange): number => Math.floor((stop - start) / step) + 1;

/** `${offset[,width[,base]]}`. The base is one of d, o, x, X, n, N. */
const FORMAT = /^\{(-?\d{1,10})(?:,(\d{1,2})(?:,([doxXnN]))?)?\}/;
/** BIND's limit of a formatted number. */
const MAX_WIDTH = 63;

export type Template = (value: number) => string;

/**
 * Compiles a template: `$` stands for the number, `${…}` for the number with an offset, a width and
 * a base, `$$` and `\$` for a dollar sign. Undefined when a format is wrong.
 */
export function compileTemplate(text: string): Template | undefined {
  const parts: (string | Template)[] = [];
  let literal = '';
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') literal += text.slice(i, ++i + 1);
    else if (text[i] !== '$') literal += text[i];
    else if (text[i + 1] === '$') {
      literal += '$';
      i++;
    } else {
      parts.push(literal);
      literal = '';
      if (text[i + 1] !== '{') {
        parts.push(String);
        continue;
      }
      const format = FORMAT.exec(text.slice(i + 1, i + 40));
      if (format === null) return undefined;
      const width = Number(format[2] ?? 0);
      const offset = Number(format[1]);
      if (width > MAX_WIDTH || Math.abs(offset) > 0x7fffffff) return undefined;
      parts.push((value) => formatNumber(value + offset, width, format[3] ?? 'd'));
      i += format[0].length;
    }
  }
  parts.push(literal);
  return (value) => {
    let filled = '';
    for (const part of parts) filled += typeof part === 'string' ? part : part(value);
    return filled;
  };
}

function formatNumber(value: number, width: number, base: string): string {
  switch (base) {
    case 'n':
      return formatNibbles(value, width);
    case 'N':
      return formatNibbles(value, width).toUpperCase();
    case 'o':
      return (value >>> 0).toString(8).padStart(width, '0');
    case 'x':
      return (value >>> 0).toString(16).padStart(width, '0');
    case 'X':
      return (value >>> 0).toString(16).toUpperCase().padStart(width, '0');
    default:
      return value < 0 ? `-${String(-value).padStart(width - 1, '0')}` : String(value).padStart(width, '0');
  }
}

/** Hexadecimal digits in reverse order, with a dot between two: labels of ip6.arpa. */
function formatNibbles(value: number, width: number): string {
  let text = '';
  let rest = value >>> 0;
  // A digit and a dot each count as one character of the width.
  let left = width;
  for (;;) {
    text += (rest & 15).toString(16);
    rest >>>= 4;
    if (left > 0) left--;
    if (left === 0 && rest === 0) return text;
    text += '.';
    if (left > 0) left--;
    if (left === 0 && rest === 0) return text;
  }
}
