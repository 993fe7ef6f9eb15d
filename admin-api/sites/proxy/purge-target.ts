/**
 * Parses the targets of a purge, and normalizes them (RFC 3986 6.2.2) like the cache keys of the
 * edge.
 */

import { CACHE_TAG_RULE, isCacheTag } from '../../../core/base/cache-tag.ts';
import { InvalidError } from '../../../core/base/errors.ts';
import { quote } from '../../../core/net/address/refuse.ts';

/** Labels of a host name. */
const HOST = /^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/;

/** Throws InvalidError `invalid_url`. `domain`: the apex in A-labels, without a trailing dot. */
export function readUrl(text: string, domain: string, pointer: string): string {
  const url = parse(
    text,
    /^https?:\/\//i.test(text) ? text : '',
    'invalid_url',
    `is not a full URL; write it as "https://${domain}/path"`,
    pointer,
  );
  checkHost(url, text, domain, 'invalid_url', pointer);
  return `${url.protocol}//${hostNameIn(url)}${normalizeEscapes(url.pathname)}${normalizeEscapes(url.search)}`;
}

/** Host and path, for both schemes. Throws InvalidError `invalid_prefix`. */
export function readPrefix(text: string, domain: string, pointer: string): string {
  const whole = text.includes('://') ? text : `https://${text}`;
  const how = `is not a host and path; write it as "${domain}/path/"`;
  const url = parse(text, /^https?:\/\//i.test(whole) ? whole : '', 'invalid_prefix', how, pointer);
  checkHost(url, text, domain, 'invalid_prefix', pointer);
  if (whole.includes('?')) reject('invalid_prefix', text, 'has a query; a prefix must end in the path', pointer);
  return `${hostNameIn(url)}${normalizeEscapes(url.pathname)}`;
}

/** Throws InvalidError `invalid_tag`. */
export function readTag(text: string, pointer: string): string {
  return isCacheTag(text) ? text : reject('invalid_tag', text, CACHE_TAG_RULE, pointer);
}

function parse(text: string, url: string, code: string, why: string, pointer: string): URL {
  // The URL parser would silently replace backslashes, tabs and line breaks.
  if (url === '' || /[\\\s]/.test(url) || !URL.canParse(url)) return reject(code, text, why, pointer);
  return new URL(url);
}

function checkHost(url: URL, text: string, domain: string, code: string, pointer: string): void {
  const host = hostNameIn(url);
  if (url.username !== '' || url.password !== '') reject(code, text, 'contains a user name; omit it', pointer);
  if (url.port !== '')
    reject(code, text, 'contains a port; omit it, because the proxy serves only ports 80 and 443', pointer);
  if (text.includes('#')) reject(code, text, 'has a fragment (#), which browsers never send; omit it', pointer);
  if (!HOST.test(host) || (host !== domain && !host.endsWith(`.${domain}`)))
    reject(code, text, `is not in the domain ${domain}`, pointer);
}

const hostNameIn = (url: URL): string => url.hostname.replace(/\.$/, '');

/** Decodes unnecessary percent escapes, and writes the others with upper-case digits. */
function normalizeEscapes(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (escaped, digits: string) => {
    const char = String.fromCharCode(Number.parseInt(digits, 16));
    return /[A-Za-z0-9._~-]/.test(char) ? char : escaped.toUpperCase();
  });
}

function reject(code: string, text: string, problem: string, pointer: string): never {
  throw new InvalidError(code, `${quote(text)} ${problem}.`, { pointer });
}
