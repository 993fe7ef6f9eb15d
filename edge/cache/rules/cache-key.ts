/**
 * The key of what is stored: the target URI (RFC 9111 section 2). The path stays as it was sent, byte by byte. RFC 3986 section 6 calls `/%61`
 * and `/a` the same, and `/x/../a`, too; an origin may not, and whoever finds such a pair could have the answer to one of them stored for the other.
 */

import { withoutDefaultPort } from '../../http/exchange/authority.ts';

/** `authority`: in lower case, as an exchange has it; `path`: with its query, beginning with "/". */
export function cacheKey(scheme: 'http' | 'https', authority: string, path: string): string {
  return `${scheme}://${withoutDefaultPort(scheme, authority)}${path}`;
}

const URL_PARTS = /^(https?):\/\/([^/?#@\\]+)(\/[^#]*|\?[^#]*)?(?:#.*)?$/i;

/** The key of a URL as people write it; undefined for what is none, or is not of http. */
export function keyOfUrl(url: string): string | undefined {
  const parts = URL_PARTS.exec(url);
  if (parts === null) return undefined;
  const scheme = parts[1].toLowerCase() as 'http' | 'https';
  const rest = parts[3] ?? '/';
  return cacheKey(scheme, parts[2].toLowerCase(), rest.startsWith('?') ? `/${rest}` : rest);
}
