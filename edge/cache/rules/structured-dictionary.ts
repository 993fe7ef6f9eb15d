/**
 * Dictionaries of structured fields (RFC 9651 section 4.2.2). The parser checks the whole syntax,
 * but keeps only values that a cache directive can have.
 */

/**
 * `true`: also a key without a value. `text`: a string or a token. `other`: a list, a decimal, a
 * date, bytes or false, which no directive accepts.
 */
export type Member =
  | { readonly type: 'true' }
  | { readonly type: 'integer'; readonly value: string }
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'other' };

const TRUE: Member = { type: 'true' };
const OTHER: Member = { type: 'other' };

/** Sticky patterns: each matches at the current position (sections 4.2.3 to 4.2.10). */
const KEY = /[a-z*][a-z0-9_\-.*]*/y;
const BLANKS = /[ \t]*/y;
const SPACES = / */y;
const DECIMAL = /-?\d{1,12}\.\d{1,3}(?![\d.])/y;
const INTEGER = /-?\d{1,15}(?![\d.])/y;
const STRING = /"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"/y;
const TOKEN = /[A-Za-z*][!#$%&'*+\-.^_`|~0-9A-Za-z:/]*/y;
const BYTES = /:[A-Za-z0-9+/=]*:/y;
const BOOLEAN = /\?[01]/y;
const DATE = /@-?\d{1,15}(?![\d.])/y;
const DISPLAY_STRING = /%"(?:[\x20\x21\x23\x24\x26-\x7e]|%[0-9a-f]{2})*"/y;

interface Reader {
  readonly text: string;
  position: number;
}

/** Members by key; the last one of each counts. Undefined: malformed. */
export function parseDictionary(text: string): Map<string, Member> | undefined {
  const reader: Reader = { text, position: 0 };
  const members = new Map<string, Member>();
  readPattern(reader, SPACES);
  while (reader.position < text.length) {
    const key = readPattern(reader, KEY);
    if (key === undefined) return undefined;
    const member = skipCharacter(reader, '=') ? readValue(reader) : TRUE;
    if (member === undefined || !skipParameters(reader)) return undefined;
    members.set(key, member);
    if (readPattern(reader, / *$/y) !== undefined) return members;
    readPattern(reader, BLANKS);
    if (!skipCharacter(reader, ',')) return undefined;
    readPattern(reader, BLANKS);
    if (reader.position === text.length) return undefined; // a trailing comma
  }
  return members;
}

function readPattern(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.position;
  const match = pattern.exec(reader.text);
  if (match === null) return undefined;
  reader.position = pattern.lastIndex;
  return match[0];
}

function skipCharacter(reader: Reader, character: string): boolean {
  if (reader.text[reader.position] !== character) return false;
  reader.position++;
  return true;
}

function readValue(reader: Reader): Member | undefined {
  return skipCharacter(reader, '(') ? readInnerList(reader) : readItem(reader);
}

/** Section 4.2.1.2: an inner list. */
function readInnerList(reader: Reader): Member | undefined {
  for (;;) {
    const blanks = readPattern(reader, SPACES);
    if (skipCharacter(reader, ')')) return OTHER;
    const isSeparated = blanks !== '' || reader.text[reader.position - 1] === '(';
    if (!isSeparated || readItem(reader) === undefined || !skipParameters(reader)) return undefined;
  }
}

function readItem(reader: Reader): Member | undefined {
  if (readPattern(reader, DECIMAL) !== undefined) return OTHER;
  const integer = readPattern(reader, INTEGER);
  if (integer !== undefined) return { type: 'integer', value: integer };
  const string = readPattern(reader, STRING);
  if (string !== undefined) return { type: 'text', value: string.slice(1, -1).replace(/\\(.)/g, '$1') };
  const token = readPattern(reader, TOKEN);
  if (token !== undefined) return { type: 'text', value: token };
  const boolean = readPattern(reader, BOOLEAN);
  if (boolean !== undefined) return boolean === '?1' ? TRUE : OTHER;
  const rest = readPattern(reader, BYTES) ?? readPattern(reader, DATE) ?? readPattern(reader, DISPLAY_STRING);
  return rest === undefined ? undefined : OTHER;
}

/** Section 4.2.3.2. No directive has parameters (RFC 9213 section 2.1). */
function skipParameters(reader: Reader): boolean {
  while (skipCharacter(reader, ';')) {
    readPattern(reader, SPACES);
    if (readPattern(reader, KEY) === undefined) return false;
    if (skipCharacter(reader, '=') && readItem(reader) === undefined) return false;
  }
  return true;
}
