/** Reading of field lists: lines of a name as one value, and the members of a value that is a list (RFC 9110 sections 5.3, 5.6.1). */
import type { FieldList } from '../../http/exchange/field-list.ts';

/** All lines of a name as one value, in their order; undefined without any. */
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

/** Without the lines of these names. */
export function withoutFields(headers: FieldList, names: ReadonlySet<string>): string[] {
  const kept: string[] = [];
  for (let i = 0; i < headers.length; i += 2) if (!names.has(headers[i])) kept.push(headers[i], headers[i + 1]);
  return kept;
}

/**
 * Members of a list, without blanks around them and without empty ones. A comma in a quoted string parts nothing; a quote that nothing
 * closes is a character as any other, and so are those behind it: what follows is not lost.
 */
export function members(value: string): string[] {
  const list: string[] = [];
  let start = 0;
  let hasStrings = true;
  for (let i = 0; i <= value.length; i++) {
    const code = value.charCodeAt(i); // NaN at the end
    if (code === 0x22 && hasStrings) {
      const end = closingQuote(value, i);
      hasStrings = end > 0; // after one that does not end none is looked for, so that each character is seen twice at most
      if (end > 0) i = end;
    } else if (code === 0x2c || i === value.length) {
      const member = trimmed(value.slice(start, i));
      if (member !== '') list.push(member);
      start = i + 1;
    }
  }
  return list;
}

/** Without blanks at its ends, which are SP and HTAB and nothing else (RFC 9110 section 5.6.3). */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

/** Index of the quote that closes the string which opens at `open`; -1 without one. */
export function closingQuote(value: string, open: number): number {
  for (let i = open + 1; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code === 0x5c) i++;
    else if (code === 0x22) return i;
  }
  return -1;
}

/** What a quoted string says (RFC 9110 section 5.6.4); undefined for what is none. */
export function unquoted(text: string): string | undefined {
  if (text.charCodeAt(0) !== 0x22 || closingQuote(text, 0) !== text.length - 1) return undefined;
  return text.slice(1, -1).replace(/\\(.)/g, '$1');
}
