/** Dictionaries of structured fields (RFC 9651 section 4.2.2): all of the syntax, of values only what a cache directive can be. */

/** `undefined` for true; `text`: a string or a token; `other`: a list, a date, bytes, false: nothing that a directive takes. */
export type Member =
  | { readonly type: 'true' }
  | { readonly type: 'integer'; readonly value: string }
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'other' };

const TRUE: Member = { type: 'true' };
const OTHER: Member = { type: 'other' };

/** Each tried where the last one ended. Sections 4.2.3 to 4.2.10. */
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
  at: number;
}

/** Members by key, the last of each; undefined when any of it is malformed. */
export function parseDictionary(text: string): Map<string, Member> | undefined {
  const reader: Reader = { text, at: 0 };
  const found = new Map<string, Member>();
  take(reader, SPACES);
  while (reader.at < text.length) {
    const key = take(reader, KEY);
    if (key === undefined) return undefined;
    const member = takeCharacter(reader, '=') ? readValue(reader) : TRUE;
    if (member === undefined || !skipParameters(reader)) return undefined;
    found.set(key, member);
    if (take(reader, / *$/y) !== undefined) return found;
    take(reader, BLANKS);
    if (!takeCharacter(reader, ',')) return undefined;
    take(reader, BLANKS);
    if (reader.at === text.length) return undefined; // a comma with nothing behind it
  }
  return found;
}

function take(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const match = pattern.exec(reader.text);
  if (match === null) return undefined;
  reader.at = pattern.lastIndex;
  return match[0];
}

function takeCharacter(reader: Reader, character: string): boolean {
  if (reader.text[reader.at] !== character) return false;
  reader.at++;
  return true;
}

function readValue(reader: Reader): Member | undefined {
  return takeCharacter(reader, '(') ? readInnerList(reader) : readItem(reader);
}

/** Section 4.2.1.2. */
function readInnerList(reader: Reader): Member | undefined {
  for (;;) {
    const blanks = take(reader, SPACES);
    if (takeCharacter(reader, ')')) return OTHER;
    const isParted = blanks !== '' || reader.text[reader.at - 1] === '(';
    if (!isParted || readItem(reader) === undefined || !skipParameters(reader)) return undefined;
  }
}

function readItem(reader: Reader): Member | undefined {
  if (take(reader, DECIMAL) !== undefined) return OTHER;
  const integer = take(reader, INTEGER);
  if (integer !== undefined) return { type: 'integer', value: integer };
  const string = take(reader, STRING);
  if (string !== undefined) return { type: 'text', value: string.slice(1, -1).replace(/\\(.)/g, '$1') };
  const token = take(reader, TOKEN);
  if (token !== undefined) return { type: 'text', value: token };
  const boolean = take(reader, BOOLEAN);
  if (boolean !== undefined) return boolean === '?1' ? TRUE : OTHER;
  const rest = take(reader, BYTES) ?? take(reader, DATE) ?? take(reader, DISPLAY_STRING);
  return rest === undefined ? undefined : OTHER;
}

/** Section 4.2.3.2. No directive has any (RFC 9213 section 2.1). */
function skipParameters(reader: Reader): boolean {
  while (takeCharacter(reader, ';')) {
    take(reader, SPACES);
    if (take(reader, KEY) === undefined) return false;
    if (takeCharacter(reader, '=') && readItem(reader) === undefined) return false;
  }
  return true;
}
