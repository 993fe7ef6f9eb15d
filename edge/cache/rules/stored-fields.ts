/** Which fields of a response are kept (RFC 9111 section 3.1). */
import type { FieldList } from '../../http/exchange/field-list.ts';
import type { ResponseDirectives } from './directives.ts';
import { hasField } from './fields.ts';
import { formatHttpDate, parseHttpDate } from './http-date.ts';

/**
 * Of a connection or of a proxy between here and the origin, and the length, which the body itself tells. `cache-status` of caches before
 * this one says what happened to one request; the next one was not handled by them.
 */
const NEVER_KEPT: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'content-length',
  'cache-status',
]);

/** Without these a response is not what it was: a directive that names one of them speaks of the whole (section 5.2.2.4, its note). */
const ESSENTIAL: ReadonlySet<string> = new Set([
  'age',
  'cache-control',
  'cdn-cache-control',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'date',
  'etag',
  'expires',
  'last-modified',
  'location',
  'vary',
]);

export const namesEssential = (names: readonly string[]): boolean => names.some((name) => ESSENTIAL.has(name));

/**
 * A copy without what is not kept, and what `no-cache="…"` and `private="…"` name (sections 5.2.2.4 and 5.2.2.7). A Date that is missing or
 * is none is that of its receipt (RFC 9110 section 6.6.1).
 */
export function keptFields(headers: FieldList, directives: ResponseDirectives, responseTime: number): string[] {
  const { noCacheFields, privateFields } = directives;
  const kept: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i];
    if (NEVER_KEPT.has(name) || noCacheFields.includes(name) || privateFields.includes(name)) continue;
    if (name === 'date' && (hasField(kept, 'date') || Number.isNaN(parseHttpDate(headers[i + 1], responseTime))))
      continue;
    kept.push(name, headers[i + 1]);
  }
  if (!hasField(kept, 'date')) kept.push('date', formatHttpDate(responseTime));
  return kept;
}
