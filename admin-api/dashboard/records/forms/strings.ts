/** Character strings of zone files (RFC 1035 section 5.1), as text. */

const MAX_STRING = 255;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The words and quoted strings of a content. Null: an unterminated quote or invalid escape. */
export function readWords(content: string): readonly Word[] | null {
  const words: Word[] = [];
  const pattern = /\s*(?:"((?:[^"\\]|\\[\s\S])*)"|((?:[^\s"\\]|\\[\s\S])(?:[^\s\\]|\\[\s\S])*))/y;
  const end = content.trimEnd().length;
  while (pattern.lastIndex < end) {
    const found = pattern.exec(content);
    if (found === null) return null;
    const raw = found[1] ?? found[2];
    const bytes = readBytes(raw);
    if (bytes === null) return null;
    words.push({ source: found[0].trimStart(), bytes, isQuoted: found[1] !== undefined });
  }
  return words;
}

interface Word {
  /** The source text. */
  readonly source: string;
  readonly bytes: Uint8Array;
  readonly isQuoted: boolean;
}

function readBytes(raw: string): Uint8Array | null {
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (let at = 0; at < raw.length; ) {
    if (raw[at] !== '\\') {
      const letter = String.fromCodePoint(raw.codePointAt(at)!);
      bytes.push(...encoder.encode(letter));
      at += letter.length;
      continue;
    }
    const digits = /^\d{3}/.exec(raw.slice(at + 1))?.[0];
    if (digits !== undefined && Number(digits) > 255) return null;
    if (digits !== undefined) bytes.push(Number(digits));
    else bytes.push(...encoder.encode(raw[at + 1] ?? ''));
    at += 1 + (digits?.length ?? 1);
  }
  return Uint8Array.from(bytes);
}

/** Null: not valid UTF-8. */
export function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Joins all strings of a TXT content. Null: not text. */
export function readText(content: string): string | null {
  const words = readWords(content);
  if (words === null) return null;
  const bytes = words.flatMap((word) => [...word.bytes]);
  return textOf(Uint8Array.from(bytes));
}

/** Whether all strings but the last are full, so `quoteText` would give the same strings. */
export const isSplitAsNeeded = (content: string): boolean =>
  readWords(content)?.every(({ bytes }, i, words) => i === words.length - 1 || bytes.length === MAX_STRING) ?? false;

/** Splits a text into quoted strings of at most 255 bytes. Returns at least one string. */
export function quoteText(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const strings: string[] = [];
  for (let at = 0; at < bytes.length || at === 0; at += MAX_STRING)
    strings.push(`"${[...bytes.subarray(at, at + MAX_STRING)].map(escapeByte).join('')}"`);
  return strings.join(' ');
}

function escapeByte(byte: number): string {
  if (byte === QUOTE || byte === BACKSLASH) return `\\${String.fromCharCode(byte)}`;
  return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\${String(byte).padStart(3, '0')}`;
}
