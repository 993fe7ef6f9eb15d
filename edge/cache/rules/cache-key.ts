/**
 * The key of a stored response: the target URI (RFC 9111 section 2). The path stays as sent, byte
 * by byte. RFC 3986 section 6 calls `/%61` and `/a` equivalent, and also `/x/../a`. Some origins
 * distinguish them. With normalised keys, an attacker could have the response to one URI stored for
 * the other.
 */

import { withoutDefaultPort } from '../../http/exchange/authority.ts';

/** `authority`: in lower case, as in an exchange. `path`: with its query; starts with "/". */
export function cacheKey(scheme: 'http' | 'https', authority: string, path: string): string {
  return `${scheme}://${withoutDefaultPort(scheme, authority)}${path}`;
}

const URL_PARTS = /^(https?):\/\/([^/?#@\\]+)(\/[^#]*|\?[^#]*)?(?:#.*)?$/i;

/** The key of a URL as people write it. Undefined: not a URL, or not of http or https. */
export function keyOfUrl(url: string): string | undefined {
  const parts = URL_PARTS.exec(url);
  if (parts === null) return undefined;
  const scheme = parts[1].toLowerCase() as 'http' | 'https';
  const rest = parts[3] ?? '/';
  return cacheKey(scheme, parts[2].toLowerCase(), rest.startsWith('?') ? `/${rest}` : rest);
}
