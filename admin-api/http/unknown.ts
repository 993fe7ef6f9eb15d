/** Names that a request has and its endpoint does not know: a slip of typing must not pass as a request for something else. */
import type { TObject, TSchema } from '@sinclair/typebox';
import { editDistance, nearest } from '../../core/base/nearest.ts';
import { type ErrorDetail, HttpError } from './errors.ts';

/** Characters of a name in a message. */
const SHOWN = 60;

/** JSON Schema, as far as a walk over the names of objects needs it. */
interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: unknown;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly readOnly?: boolean;
}

/** The schema with `additionalProperties: false` in every object that does not say otherwise. The argument stays as it is. */
export function closed<T extends TSchema>(schema: T): T {
  return closedValue(schema) as T;
}

function closedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closedValue);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) copy[key] = closedValue(inner);
  const isOpen = copy.type === 'object' && copy.properties !== undefined && !('additionalProperties' in copy);
  return isOpen ? { ...copy, additionalProperties: false } : copy;
}

/** The first `most` fields of `value` that a closed schema does not name, nested ones too, with the nearest name that it does. */
export function unknownFields(schema: TSchema, value: unknown, most: number): ErrorDetail[] {
  const found: ErrorDetail[] = [];
  walk(schema as Shape, value, '', found, most);
  return found;
}

function walk(shape: Shape, value: unknown, pointer: string, found: ErrorDetail[], most: number): void {
  if (found.length >= most || typeof value !== 'object' || value === null) return;
  for (const choice of shape.anyOf ?? []) walk(choice, value, pointer, found, most);
  if (Array.isArray(value)) {
    const { items } = shape;
    if (items !== undefined)
      for (let i = 0; i < value.length; i++) walk(items, value[i], `${pointer}/${i}`, found, most);
    return;
  }
  const { properties, additionalProperties } = shape;
  if (properties === undefined || additionalProperties !== false) return;
  for (const [name, inner] of Object.entries(value)) {
    const isKnown = Object.hasOwn(properties, name);
    // Most values are known and plain: for those no pointer is made.
    if (isKnown ? typeof inner !== 'object' : found.length >= most) continue;
    const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (isKnown) walk(properties[name], inner, at, found, most);
    else found.push({ pointer: at, message: unknownName('field', name, suggestible(properties)) });
  }
}

/** What only answers have is ignored in a body, and nothing to send. */
const suggestible = (properties: Readonly<Record<string, Shape>>): string[] =>
  Object.keys(properties).filter((key) => properties[key].readOnly !== true);

/** Web caches are passed by with `_`, and links are followed with `utm_…`: neither is meant for the endpoint. */
const NOT_OURS = /^(?:_$|utm_)/;

/** Throws HttpError 400 for a parameter of the query that the schema does not name. */
export function refuseUnknownParameters(query: URLSearchParams, schema: TObject | undefined): void {
  for (const name of query.keys()) {
    if ((schema !== undefined && Object.hasOwn(schema.properties, name)) || NOT_OURS.test(name)) continue;
    const known = schema === undefined ? [] : Object.keys(schema.properties);
    throw new HttpError(400, 'unknown_parameter', unknownName('query parameter', name, known));
  }
}

function unknownName(what: string, name: string, known: readonly string[]): string {
  const shown = JSON.stringify(name.length > SHOWN ? `${name.slice(0, SHOWN)}…` : name);
  if (known.length === 0) return `Unknown ${what} ${shown}; none is supported here.`;
  const best = nearest(name, known);
  // A name that is far from all of them means something else: the nearest would mislead.
  if (editDistance(name.slice(0, 100).toLowerCase(), best) <= Math.max(1, Math.floor(best.length / 3)))
    return `Unknown ${what} ${shown}; did you mean ${JSON.stringify(best)}?`;
  return `Unknown ${what} ${shown}; supported: ${known.map((key) => JSON.stringify(key)).join(', ')}.`;
}
