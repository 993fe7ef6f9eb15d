/**
 * Reads field lists: joins the lines of a name, and splits a list into members (RFC 9110 sections
 * 5.3 and 5.6.1).
 */
import type { FieldList } from '../../http/exchange/field-list.ts';

/** All lines of a name joined in their order; undefined without any. */
export function fieldValue(headers: FieldList, name: string): string | undefined {
  let value: string | undefined;
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i] === name) value = value === undefined ? headers[i + 1] : `${value}, ${headers[i + 1]}`;
  return value;
}

export function hasField(headers: FieldList, name: string): boolean {
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) return true;
  return false;
}

/** The fields without all lines of these names. */
export function withoutFields(headers: FieldList, names: ReadonlySet<string>): string[] {
  const kept: string[] = [];
  for (let i = 0; i < headers.length; i += 2) if (!names.has(headers[i])) kept.push(headers[i], headers[i + 1]);
  return kept;
}

/**
 * The members of a list, trimmed and without empty ones. A comma in a quoted string does not
 * separate members. An unclosed quote counts as an ordinary character, so no member after it is
 * lost.
 */
export function members(value: string): string[] {
  const list: string[] = [];
  let start = 0;
  let mayOpenString = true;
  for (let i = 0; i <= value.length; i++) {
    const code = value.charCodeAt(i); // NaN at the end
    if (code === 0x22 && mayOpenString) {
      const end = closingQuote(value, i);
      // No search after an unclosed quote: each character is read twice at most.
      mayOpenString = end > 0;
      if (end > 0) i = end;
    } else if (code === 0x2c || i === value.length) {
      const member = trimmed(value.slice(start, i));
      if (member !== '') list.push(member);
      start = i + 1;
    }
  }
  return list;
}

/** Trims SP and HTAB only (RFC 9110 section 5.6.3). */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

/** Index of the quote that closes the string opened at `open`; -1 without one. */
function closingQuote(value: string, open: number): number {
  for (let i = open + 1; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code === 0x5c) i++;
    else if (code === 0x22) return i;
  }
  return -1;
}

/** The content of a quoted string (RFC 9110 section 5.6.4); undefined: not a quoted string. */
export function unquoted(text: string): string | undefined {
  if (text.charCodeAt(0) !== 0x22 || closingQuote(text, 0) !== text.length - 1) return undefined;
  return text.slice(1, -1).replace(/\\(.)/g, '$1');
}
