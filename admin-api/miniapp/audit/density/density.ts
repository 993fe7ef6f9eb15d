/**
 * Detects minified and obfuscated code, and invisible characters. Reads the text only, without
 * parsing, in linear time.
 */
import type { AuditContext } from '../context.ts';
import type { SourceKind, SourceText } from '../source-text.ts';
import { findObfuscation } from './obfuscation.ts';

export function auditDensity(source: SourceText, kind: SourceKind, { findings }: AuditContext): void {
  const { text } = source;
  for (const [offset] of matches(text, BIDI))
    findings.add('bidi_control', source.at(offset), `${codePoint(text, offset)} turns the direction of what follows.`);
  for (const [offset, found] of matches(text, kind === 'script' ? INVISIBLE_IN_SCRIPTS : INVISIBLE)) {
    if (found === '\ufeff' && offset === 0) continue;
    findings.add('invisible_character', source.at(offset), `${codePoint(text, offset)} cannot be seen.`);
  }
  if (kind === 'style') return;
  for (const { offset, sign } of findObfuscation(text)) findings.add('obfuscated', source.at(offset), sign);
  for (const [offset, found] of matches(text, ENCODED)) {
    if (!isEncoded(found)) continue;
    const what = `A string of ${found.length - 2} characters looks like encoded data.`;
    findings.add('encoded_payload', source.at(offset), what);
  }
  const line = kind === 'script' ? minifiedLine(text) : undefined;
  if (line !== undefined) findings.add('minified', source.at(line), 'The file is minified.');
}

const BIDI = /[\u202a-\u202e\u2066-\u2069]/g;
/**
 * Variation selectors match only in sequences: a single selector belongs to an emoji or an
 * ideograph. Tags match unless they follow U+1F3F4, where they encode a flag.
 */
const INVISIBLE =
  /[\u200b\u2060-\u2065\u206a-\u206f\ufeff\u115f\u1160\u3164\uffa0]|(?<!\u{1f3f4})(?<![\u{e0020}-\u{e007f}])[\u{e0000}-\u{e007f}]|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2,}/gu;
const INVISIBLE_IN_SCRIPTS = new RegExp(`${INVISIBLE.source}|[\\u00ad\\u180e]`, 'gu');
/** A quoted string that consists of base64 or base64url characters only. */
const ENCODED = /(["'`])[A-Za-z0-9+/_=-]{4096,}\1/g;

/** Maximum number of reported matches of each pattern in a file. */
const MAX_MATCHES = 20;

function* matches(text: string, pattern: RegExp): Generator<[offset: number, found: string]> {
  let left = MAX_MATCHES;
  for (const match of text.matchAll(pattern)) {
    yield [match.index, match[0]];
    if (--left === 0) return;
  }
}

const codePoint = (text: string, offset: number): string =>
  `U+${text.codePointAt(offset)!.toString(16).toUpperCase().padStart(4, '0')}`;

/**
 * Minimum entropy of encoded data, in bits per character. Lower values are repetitive text. Prose
 * has 4.2 (and contains blanks), base64 has 6, hexadecimal has 4.
 */
const MIN_ENTROPY = 3.5;

function isEncoded(quoted: string): boolean {
  const counts = new Map<string, number>();
  const sample = quoted.slice(1, 4097);
  for (const char of sample) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / sample.length) * Math.log2(count / sample.length);
  return bits >= MIN_ENTROPY;
}

/** Minimum characters of a minified file, and the minimum average length of its lines. */
const MIN_MINIFIED_SIZE = 1024;
const MIN_MINIFIED_LINE = 200;
/** Maximum share of blanks in a minified file. Prose and formatted code have 15 % or more. */
const MAX_MINIFIED_BLANKS = 0.1;

/**
 * The offset of the first long line of a minified file. Short lines before it are skipped: they are
 * licence comments, which minifiers keep.
 */
function minifiedLine(text: string): number | undefined {
  if (text.length < MIN_MINIFIED_SIZE) return undefined;
  // Most files have enough lines near their beginning, so this loop returns early.
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1))
    if (text.length / ++lines < MIN_MINIFIED_LINE) return undefined;
  let blanks = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 32 || code === 9 || code === 10) blanks++;
  }
  if (blanks / text.length > MAX_MINIFIED_BLANKS) return undefined;
  for (let start = 0; ; ) {
    const end = text.indexOf('\n', start);
    if (end < 0 || end - start >= MIN_MINIFIED_LINE) return start;
    start = end + 1;
  }
}
