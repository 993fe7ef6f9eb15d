/** What a request that changes something makes invalid (RFC 9111 section 4.4). */
import type { FieldList } from '../../http/exchange/field-list.ts';
import { keyOfUrl } from './cache-key.ts';
import { fieldValue } from './fields.ts';

/** RFC 9110 section 9.2.1, and of the registry of methods those that only read. What is not known counts as unsafe. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'REPORT', 'SEARCH', 'QUERY']);

export const isSafeMethod = (method: string): boolean => SAFE.has(method);

/** Keys of what is no longer to be used: the target itself, and what Location and Content-Location name, if they lie on the same origin. */
export function invalidatedKeys(method: string, key: string, status: number, headers: FieldList): string[] {
  if (isSafeMethod(method) || status < 200 || status > 399) return [];
  const keys = new Set([key]);
  for (const name of ['location', 'content-location']) {
    const reference = fieldValue(headers, name);
    const named = reference === undefined ? undefined : resolved(reference, key);
    if (named !== undefined) keys.add(named);
  }
  return [...keys];
}

/** The key that a reference leads to from another one; undefined: none, or on another origin, which could else empty what is not its own. */
function resolved(reference: string, base: string): string | undefined {
  if (!URL.canParse(reference, base)) return undefined;
  const url = new URL(reference, base);
  return url.origin === new URL(base).origin ? keyOfUrl(url.href) : undefined;
}
