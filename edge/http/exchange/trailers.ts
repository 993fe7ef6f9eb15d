/** Trailer fields (RFC 9110 section 6.5) in any version of HTTP. */
import type { FieldList } from './field-list.ts';
import { isConnectionSpecific } from './fields.ts';

/**
 * Fields for framing, routing and authentication, which are not allowed in trailers (RFC 9110
 * section 6.5.1).
 */
const NOT_TRAILING: ReadonlySet<string> = new Set([
  'host',
  'te',
  'trailer',
  'expect',
  'content-length',
  'cookie',
  'authorization',
]);

const mayTrail = (name: string): boolean => !NOT_TRAILING.has(name) && !isConnectionSpecific(name);

/**
 * Removes the fields that trailers must not contain. Code that merges trailers into the header
 * could use them for framing. Names in lower case.
 */
export function trailerFields(fields: FieldList): FieldList {
  for (let i = 0; i < fields.length; i += 2) {
    if (!mayTrail(fields[i])) return fields.filter((_, at) => mayTrail(fields[at & ~1]));
  }
  return fields;
}
