/** A content's fields: how a text is cut at white space and quotes (RFC 1035 5.1). */
import { InvalidError } from '../../../base/errors.ts';
import { type Name, parseName } from '../name.ts';

/** One field of the presentation form, escapes still in it. */
export interface Field {
  /** A byte string: every character is one byte, 0–255. Without the quotes. */
  readonly text: string;
  readonly quoted: boolean;
  /** No white space between this field and the one before, as in `key="value"`. */
  readonly adjacent: boolean;
}

/** Text to byte string: what is not ASCII becomes its UTF-8 bytes. */
export function toByteString(text: string): string {
  for (let i = 0; i < text.length; i++)
    if (text.charCodeAt(i) > 0x7f) return Buffer.from(text, 'utf8').toString('latin1');
  return text;
}

/** A byte string as people wrote it. */
export function toText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** A byte string for a message: cut, and in quotes. */
export function shown(bytes: string): string {
  return JSON.stringify(bytes.length > 60 ? `${toText(bytes.slice(0, 60))}…` : toText(bytes));
}

/**
 * parseName for byte strings, whose messages show what is not ASCII as it was written. Throws
 * InvalidError `invalid_name`.
 */
export function parseNameBytes(bytes: string, origin: Name): Name {
  try {
    return parseName(bytes, origin, true);
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    throw new InvalidError(error.code, toText(error.message));
  }
}

const isSpace = (c: number) => c === 0x20 || (c >= 0x09 && c <= 0x0d);

function refuse(why: string): never {
  throw new InvalidError('invalid_content', `The content ${why}.`, { pointer: '/content' });
}

/**
 * Cuts one record's content into fields. Comments and parentheses belong to master files and are
 * refused here. `text` is a byte string. Throws InvalidError `invalid_content`.
 */
export function splitFields(text: string): Field[] {
  const fields: Field[] = [];
  let p = 0;
  let lastEnd = -1;
  while (p < text.length) {
    const c = text.charCodeAt(p);
    if (isSpace(c)) {
      p++;
      continue;
    }
    const start = p;
    const quoted = c === 0x22;
    if (quoted) p++;
    const from = p;
    for (; ; p++) {
      const d = text.charCodeAt(p);
      if (Number.isNaN(d)) {
        if (quoted) refuse('has a quoted string that is not closed');
        break;
      }
      if (d === 0x5c) {
        if (++p >= text.length) refuse('ends in an unfinished escape; write a backslash as "\\\\"');
      } else if (d === 0x22) break;
      else if (!quoted) {
        if (isSpace(d)) break;
        if (d === 0x3b || d === 0x28 || d === 0x29)
          refuse(`has "${text[p]}" outside of quotes; put the value into double quotes`);
      }
    }
    fields.push({ text: text.slice(from, p), quoted, adjacent: start === lastEnd });
    if (quoted) p++;
    lastEnd = p;
  }
  return fields;
}
