/** Trailer fields (RFC 9110 section 6.5), whichever version of HTTP brings them. */
import type { FieldList } from './field-list.ts';
import { isConnectionSpecific } from './fields.ts';

/** Would say of the message what was decided before its body came: RFC 9110 section 6.5.1. */
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
 * Without those that may not come there: code that sends them on could frame another message by
 * them. Names in lower case.
 */
export function trailerFields(fields: FieldList): FieldList {
  for (let i = 0; i < fields.length; i += 2) {
    if (!mayTrail(fields[i])) return fields.filter((_, at) => mayTrail(fields[at & ~1]));
  }
  return fields;
}
