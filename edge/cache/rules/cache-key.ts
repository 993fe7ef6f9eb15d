/**
 * The key of a stored response: the target URI (RFC 9111 section 2). The path stays as sent, byte
 * by byte. RFC 3986 section 6 calls `/%61` and `/a` equivalent, and also `/x/../a`. Some origins
 * distinguish them. With normalised keys, an attacker could have the response to one URI stored for
 * the other.
 */

import { withoutDefaultPort } from '../../http/exchange/authority.ts';
import type { FieldList } from '../../http/exchange/field-list.ts';
import { fieldValue } from './fields.ts';

/**
 * Safe methods of RFC 9110 section 9.2.1, and read-only methods of the IANA registry. Others count
 * as unsafe.
 */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'REPORT', 'SEARCH', 'QUERY']);

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

const isSafeMethod = (method: string): boolean => SAFE.has(method);

/**
 * Invalidation of stored responses by unsafe requests (RFC 9111 section 4.4). The invalidated keys:
 * the target URI, and the URIs in Location and Content-Location if they have the same origin.
 */
export function invalidatedKeys(method: string, key: string, status: number, headers: FieldList): string[] {
  if (isSafeMethod(method) || status < 200 || status > 399) return [];
  const keys = new Set([key]);
  for (const name of ['location', 'content-location']) {
    const reference = fieldValue(headers, name);
    const otherKey = reference === undefined ? undefined : sameOriginKey(reference, key.split('\n', 1)[0]);
    if (otherKey !== undefined) keys.add(otherKey);
  }
  return [...keys];
}

/**
 * The key of a reference, resolved against `base`. Undefined: invalid, or of another origin, which
 * could otherwise invalidate responses of a foreign site.
 */
function sameOriginKey(reference: string, base: string): string | undefined {
  if (!URL.canParse(reference, base)) return undefined;
  const url = new URL(reference, base);
  return url.origin === new URL(base).origin ? keyOfUrl(url.href) : undefined;
}
