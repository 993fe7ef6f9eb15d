/**
 * Field lists that recur. A client sends the same fields with each request, and an origin with each
 * response. Readers return an equal list as the same object. Each processing step stores its result
 * with the list. So the next request costs a lookup instead of a pass over the fields.
 *
 * A recurring list must never change.
 */
import type { FieldList } from './field-list.ts';

/** Field lines as text, and as the same bytes in Latin-1. */
export interface RecurringLines {
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** Values derived from a list. Each module knows the type of its own value. */
class DerivedFields {
  /** edge/origin: its lines in a request of HTTP/1.1. */
  lines: RecurringLines | undefined = undefined;
  /** edge/origin/http2: its lines in a request of HTTP/2. */
  block: Uint8Array | undefined = undefined;
  /** edge/cache: the fields of a request whose response may be shared. */
  shared: FieldList | undefined = undefined;
  /** edge/cache: the fields that control caching. */
  caching: unknown = undefined;
  /** edge/proxy: the fields for visitors. */
  visitor: unknown = undefined;
  /** edge/http: the fields of a final response. */
  final: unknown = undefined;
  /** edge/http: the fields of trailers over HTTP/2. */
  trailers: FieldList | undefined = undefined;
}

const recurring = new WeakMap<FieldList, DerivedFields>();

/** Values derived from `fields`, which callers may extend; undefined: not a recurring list. */
export const derivedOf = (fields: FieldList): DerivedFields | undefined => recurring.get(fields);

/** Marks a list that will recur as the same object. */
export function markRecurring(fields: FieldList): void {
  if (!recurring.has(fields)) recurring.set(fields, new DerivedFields());
}

/** Whether two lists have the same lines. Equal texts are mostly one object, so this is fast. */
export function hasSameFields(fields: FieldList, other: FieldList): boolean {
  if (fields === other) return true;
  if (fields.length !== other.length) return false;
  for (let i = 0; i < fields.length; i++) if (fields[i] !== other[i]) return false;
  return true;
}
