/** Invalidation of stored responses by unsafe requests (RFC 9111 section 4.4). */
import type { FieldList } from '../../http/exchange/field-list.ts';
import { keyOfUrl } from './cache-key.ts';
import { fieldValue } from './fields.ts';

/**
 * Safe methods of RFC 9110 section 9.2.1, and read-only methods of the IANA registry. Others count
 * as unsafe.
 */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'REPORT', 'SEARCH', 'QUERY']);

const isSafeMethod = (method: string): boolean => SAFE.has(method);

/**
 * The invalidated keys: the target URI, and the URIs in Location and Content-Location if they have
 * the same origin.
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
