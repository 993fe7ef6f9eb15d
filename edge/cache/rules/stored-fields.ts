/** The fields of a response that are stored (RFC 9111 section 3.1). */
import type { FieldList } from '../../http/exchange/field-list.ts';
import type { ResponseDirectives } from './directives.ts';
import { hasField } from './fields.ts';
import { formatHttpDate, parseHttpDate } from './http-date.ts';

/**
 * Fields of a connection or of a proxy before this one, and the length, which the stored body has
 * itself. `cache-status` of other caches describes one request only; a later hit did not pass
 * through them.
 */
const NEVER_STORED: ReadonlySet<string> = new Set([
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

/**
 * A response is incomplete without these. A directive that names one of them applies to the whole
 * response (section 5.2.2.4, note).
 */
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
 * Copies the fields. It leaves out those that are never stored, and those named by `no-cache="…"`
 * and `private="…"` (sections 5.2.2.4 and 5.2.2.7). The time of receipt replaces a missing or
 * invalid Date (RFC 9110 section 6.6.1).
 */
export function storableFields(headers: FieldList, directives: ResponseDirectives, responseTime: number): string[] {
  const { noCacheFields, privateFields } = directives;
  const stored: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i];
    if (NEVER_STORED.has(name) || noCacheFields.includes(name) || privateFields.includes(name)) continue;
    if (name === 'date' && (hasField(stored, 'date') || Number.isNaN(parseHttpDate(headers[i + 1], responseTime))))
      continue;
    stored.push(name, headers[i + 1]);
  }
  if (!hasField(stored, 'date')) stored.push('date', formatHttpDate(responseTime));
  return stored;
}
