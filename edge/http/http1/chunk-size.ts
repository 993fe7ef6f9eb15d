/**
 * The line before a chunk (RFC 9112 section 7.1): its size in hexadecimal digits, and extensions.
 * Extensions are ignored, but must be well-formed. A recipient that parses quoted strings would
 * otherwise find another end of the line.
 */
import { BYTE_CLASS, NOT_IN_VALUE } from '../exchange/fields.ts';
import { MALFORMED, MORE } from './field-lines.ts';

const CR = 0x0d;
const LF = 0x0a;
const SEMICOLON = 0x3b;

/** Maximum bytes of a line with its extensions. Node.js has the same limit. */
export const LONGEST_LINE = 16_384;

/** Section 7.1.1, without whitespace, which senders must not generate. */
const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const EXTENSIONS = new RegExp(`^(?:;${TOKEN}(?:=(?:${TOKEN}|"(?:[^"\\\\]|\\\\.)*"))?)*$`);

/** The last size read. Each line is handled before the next is read. */
let size = 0;
export const chunkSize = (): number => size;

/** By byte: the value of a hexadecimal digit; 16: not a digit. */
const DIGIT = new Uint8Array(256).fill(16);
for (let value = 0; value < 16; value++) {
  DIGIT[value.toString(16).charCodeAt(0)] = value;
  DIGIT[value.toString(16).toUpperCase().charCodeAt(0)] = value;
}

/** Reads the line at `start`. Returns the offset after it, or MORE or MALFORMED. */
export function readChunkSize(bytes: Buffer, start: number, end: number): number {
  size = 0;
  let at = start;
  while (at < end && DIGIT[bytes[at]] < 16) size = size * 16 + DIGIT[bytes[at++]];
  if (size > Number.MAX_SAFE_INTEGER) return MALFORMED;
  if (at === end) return MORE;
  if (at === start) return MALFORMED;
  const extensions = at;
  if (bytes[at] === SEMICOLON) while (at < end && (BYTE_CLASS[bytes[at]] & NOT_IN_VALUE) === 0) at++;
  if (at === end) return MORE;
  if (bytes[at] !== CR) return MALFORMED;
  if (at + 1 === end) return MORE;
  if (bytes[at + 1] !== LF) return MALFORMED;
  if (at > extensions && at - start <= LONGEST_LINE && !EXTENSIONS.test(bytes.toString('latin1', extensions, at)))
    return MALFORMED;
  return at + 2;
}
