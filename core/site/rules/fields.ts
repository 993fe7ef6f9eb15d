/** Reads named values of a request: headers, cookies (RFC 6265 section 4.2), query parameters. */
import type { Fields } from './facts.ts';

/** A name, or a prefix of names if it ends in `*`. */
export class NamePattern {
  readonly #name: string;
  readonly #isPrefix: boolean;

  constructor(name: string) {
    this.#isPrefix = name.endsWith('*');
    this.#name = this.#isPrefix ? name.slice(0, -1) : name;
  }

  /** A fast check before the pairs are compared. False: the text contains no such name. */
  mayBeIn(text: string): boolean {
    return text.includes(this.#name);
  }

  /** Whether the name at `from` to `to` of the text matches. */
  isAt(text: string, from: number, to: number): boolean {
    const length = to - from;
    return (
      (this.#isPrefix ? length >= this.#name.length : length === this.#name.length) && text.startsWith(this.#name, from)
    );
  }
}

/** Called with each value; true stops the search. */
export interface ValueTest {
  test(value: string): boolean;
}

/** Whether the test holds for a value of a header with this name. Null: any value. */
export function testHeaders(fields: Fields, name: string, test: ValueTest | null): boolean {
  for (let i = 0; i < fields.length; i += 2)
    if (fields[i] === name && (test === null || test.test(fields[i + 1]))) return true;
  return false;
}

export function testCookies(fields: Fields, name: NamePattern, test: ValueTest | null): boolean {
  for (let i = 0; i < fields.length; i += 2)
    if (fields[i] === 'cookie' && testPairs(fields[i + 1], 0, ';', name, test, false)) return true;
  return false;
}

/** `target`: path and query. Names and values are compared after decoding. */
export function testQuery(target: string, name: NamePattern, test: ValueTest | null): boolean {
  const start = target.indexOf('?');
  return start >= 0 && testPairs(target, start + 1, '&', name, test, true);
}

function testPairs(
  text: string,
  start: number,
  separator: string,
  name: NamePattern,
  test: ValueTest | null,
  isEscaped: boolean,
): boolean {
  const decodes = isEscaped && (text.includes('%', start) || text.includes('+', start));
  if (!decodes && !name.mayBeIn(text)) return false;
  // The next "=" is kept across pairs. Searching it for each pair would be quadratic in a text
  // without "=".
  let equals = text.indexOf('=', start);
  for (let from = start; from < text.length; ) {
    const found = text.indexOf(separator, from);
    const end = found < 0 ? text.length : found;
    let first = from;
    let last = end;
    if (!isEscaped) {
      while (first < last && isBlank(text, first)) first++;
      while (last > first && isBlank(text, last - 1)) last--;
    }
    if (equals >= 0 && equals < first) equals = text.indexOf('=', first);
    const nameEnd = equals < 0 || equals > last ? last : equals;
    from = end + 1;
    if (first === last) continue;
    if (decodes) {
      const decodedName = decodeForm(text.slice(first, nameEnd));
      if (!name.isAt(decodedName, 0, decodedName.length)) continue;
      if (test === null || test.test(decodeForm(text.slice(nameEnd + 1, last)))) return true;
    } else if (
      name.isAt(text, first, nameEnd) &&
      (test === null || test.test(nameEnd < last ? text.slice(nameEnd + 1, last) : ''))
    )
      return true;
  }
  return false;
}

const isBlank = (text: string, at: number): boolean => text.charCodeAt(at) === 0x20 || text.charCodeAt(at) === 0x09;

/**
 * Decodes application/x-www-form-urlencoded. Only escapes of printable ASCII are decoded; digits of
 * the others become upper case.
 */
function decodeForm(text: string): string {
  return text.replace(/\+/g, ' ').replace(/%([0-9A-Fa-f]{2})/g, (escaped, hex: string) => {
    const code = Number.parseInt(hex, 16);
    return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : escaped.toUpperCase();
  });
}

/** The value of the first such header or cookie; empty: there is none. */
export function firstHeader(fields: Fields, name: string): string {
  for (let i = 0; i < fields.length; i += 2) if (fields[i] === name) return fields[i + 1];
  return '';
}

export function firstCookie(fields: Fields, name: string): string {
  let value = '';
  testCookies(fields, new NamePattern(name), {
    test(found) {
      value = found;
      return true;
    },
  });
  return value;
}
