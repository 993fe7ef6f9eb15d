/**
 * TXT targets of external-dns. It writes a text with or without quotes, and does not split it at
 * 255 bytes, the limit of a string (RFC 1035 section 3.3). Both sides of its comparison use
 * one form.
 */
import { InvalidError } from '../../../core/base/errors.ts';

/** Maximum bytes of a string in a TXT record. */
const MAX_STRING = 255;
const QUOTED = /^"(?:[^"\\]|\\.)*"(?:\s+"(?:[^"\\]|\\.)*")*$/s;
const STRING = /"((?:[^"\\]|\\.)*)"/gs;
const ESCAPE = /\\(\d{3}|.)/gs;

/** The content of a record for a target: quoted strings of up to 255 bytes. Throws InvalidError. */
export function contentOfText(target: string): string {
  return stringsOf(target).map(quote).join(' ');
}

/**
 * Converts a content of the API to a target. Rejoins strings that were only split at the limit of
 * 255 bytes.
 */
export function textTarget(content: string): string {
  const strings = stringsOf(content);
  const isSplit = strings.slice(0, -1).every(({ length }) => length === MAX_STRING);
  return isSplit ? quote(Buffer.concat(strings)) : strings.map(quote).join(' ');
}

function stringsOf(target: string): Buffer[] {
  const text = target.trim();
  if (!QUOTED.test(text)) return split(Buffer.from(target));
  const strings = [...text.matchAll(STRING)].map(([, inner]) => bytesOf(inner));
  if (strings.length === 1) return split(strings[0]);
  if (strings.some(({ length }) => length > MAX_STRING))
    throw new InvalidError('invalid_content', `A string of the text is longer than ${MAX_STRING} bytes; split it.`);
  return strings;
}

function split(bytes: Buffer): Buffer[] {
  const strings = [bytes.subarray(0, MAX_STRING)];
  for (let at = MAX_STRING; at < bytes.length; at += MAX_STRING) strings.push(bytes.subarray(at, at + MAX_STRING));
  return strings;
}

/** The bytes of a string in presentation format (RFC 1035 section 5.1). */
function bytesOf(text: string): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const match of text.matchAll(ESCAPE)) {
    parts.push(Buffer.from(text.slice(from, match.index)), unescaped(match[1]));
    from = match.index + match[0].length;
  }
  parts.push(Buffer.from(text.slice(from)));
  return Buffer.concat(parts);
}

function unescaped(code: string): Buffer {
  if (code.length !== 3) return Buffer.from(code);
  if (Number(code) > 255) throw new InvalidError('invalid_content', `The escape "\\${code}" is not a byte.`);
  return Buffer.of(Number(code));
}

function quote(bytes: Buffer): string {
  let text = '"';
  for (const byte of bytes) {
    const char = String.fromCharCode(byte);
    if (char === '"' || char === '\\') text += `\\${char}`;
    else text += byte < 0x20 || byte > 0x7e ? `\\${`${byte}`.padStart(3, '0')}` : char;
  }
  return `${text}"`;
}
