/**
 * Early hints (RFC 8297): while the request for a stored page is at the origin, the visitor
 * receives the links of that page, so that the browser can preload them. If the stored page is out
 * of date, a hint may be useless, which RFC 8297 section 2 allows.
 */
import type { Exchange } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';

/** A link, and its target (RFC 8288 section 3). Commas may be in the target and in strings. */
const LINK = /<[^<>]*>(?:"(?:[^"\\]|\\.)*"|[^",])*/g;
const TARGET = /^<[^<>]*>/;
const PARAMETER = /;[ \t]*([^=;" \t]+)[ \t]*(?:=[ \t]*("(?:[^"\\]|\\.)*"|[^;"]*))?/g;
/** Link relations that a browser can use before the page arrives. */
const EARLY: ReadonlySet<string> = new Set(['preload', 'modulepreload', 'preconnect']);

function isEarly(link: string): boolean {
  // Only the first `rel` counts (RFC 8288 section 3.3).
  for (const [, name, value = ''] of link.replace(TARGET, '').matchAll(PARAMETER))
    if (name.toLowerCase() === 'rel')
      return value
        .replace(/"/g, '')
        .toLowerCase()
        .split(/[ \t]+/)
        .some((relation) => EARLY.has(relation));
  return false;
}

/** Maximum number of links in a 103 response, and of their characters. */
const MAX_LINKS = 32;
const MAX_LENGTH = 4096;

/** The fields of a 103 response, from the fields of a page. Empty: no link to preload. */
export function earlyHintFields(fields: FieldList): string[] {
  const links: string[] = [];
  let length = 0;
  for (let i = 0; i < fields.length; i += 2) {
    if (fields[i] !== 'link') continue;
    for (const [text] of fields[i + 1].matchAll(LINK)) {
      const link = text.trimEnd();
      if (!isEarly(link)) continue;
      length += link.length;
      if (links.length === MAX_LINKS || length > MAX_LENGTH) return asFields(links);
      links.push(link);
    }
  }
  return asFields(links);
}

const asFields = (links: readonly string[]): string[] => (links.length === 0 ? [] : ['link', links.join(', ')]);

/**
 * Whether the visitor's browser uses early hints: browsers do for navigations over HTTP/2.
 * HTTP/1.1 clients may not expect a 1xx response (RFC 8297 section 3).
 */
export function acceptsEarlyHints({ version, method, headers }: Exchange): boolean {
  if (version !== '2' || method !== 'GET') return false;
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === 'sec-fetch-mode') return headers[i + 1] === 'navigate';
  return false;
}
