/** Rejects unknown fields and query parameters: a misspelled name must not be ignored silently. */
import type { TSchema } from '@sinclair/typebox';
import { editDistance, findNearest } from '../../core/base/nearest.ts';
import { type ErrorDetail, HttpError } from './errors.ts';
import type { Parameters } from './query.ts';

/** Maximum length of a name in a message. */
const MAX_SHOWN_NAME = 60;

/** The part of JSON Schema that the search for unknown fields reads. */
interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: unknown;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly readOnly?: boolean;
}

/** A copy of the schema with `additionalProperties: false` in every object that does not set it. */
export function closeSchema<T extends TSchema>(schema: T): T {
  return closeValue(schema) as T;
}

function closeValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeValue);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) copy[key] = closeValue(inner);
  const isOpen = copy.type === 'object' && copy.properties !== undefined && !('additionalProperties' in copy);
  return isOpen ? { ...copy, additionalProperties: false } : copy;
}

/**
 * Errors for the first `limit` fields of `value`, also nested, that a closed schema does not
 * define. Each error suggests the nearest defined name.
 */
export function unknownFields(schema: TSchema, value: unknown, limit: number): ErrorDetail[] {
  const found: ErrorDetail[] = [];
  collectUnknown(schema as Shape, value, '', found, limit);
  return found;
}

function collectUnknown(shape: Shape, value: unknown, pointer: string, found: ErrorDetail[], limit: number): void {
  if (found.length >= limit || typeof value !== 'object' || value === null) return;
  for (const choice of shape.anyOf ?? []) collectUnknown(choice, value, pointer, found, limit);
  if (Array.isArray(value)) {
    const { items } = shape;
    if (items !== undefined)
      for (let i = 0; i < value.length; i++) collectUnknown(items, value[i], `${pointer}/${i}`, found, limit);
    return;
  }
  const { properties, additionalProperties } = shape;
  if (properties === undefined || additionalProperties !== false) return;
  for (const [name, inner] of Object.entries(value)) {
    const isDefined = Object.hasOwn(properties, name);
    // Most fields are defined and have plain values. Skipping them here avoids building a pointer.
    if (isDefined ? typeof inner !== 'object' : found.length >= limit) continue;
    const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (isDefined) collectUnknown(properties[name], inner, at, found, limit);
    else found.push({ pointer: at, message: unknownNameMessage('field', name, writableNames(properties)) });
  }
}

/** Names of the properties that are not read-only. Read-only properties are ignored in a body. */
const writableNames = (properties: Readonly<Record<string, Shape>>): string[] =>
  Object.keys(properties).filter((key) => properties[key].readOnly !== true);

/** Ignored query parameters: `_` bypasses web caches, and `utm_…` tracks links. */
const FOREIGN_PARAMETER = /^(?:_$|utm_)/;

/** Throws HttpError 400 for a query parameter that the route does not define. */
export function rejectUnknownParameters(sent: URLSearchParams, schemas: Parameters = {}): void {
  for (const name of sent.keys()) {
    if (Object.hasOwn(schemas, name) || FOREIGN_PARAMETER.test(name)) continue;
    throw new HttpError(400, 'unknown_parameter', unknownNameMessage('query parameter', name, Object.keys(schemas)));
  }
}

function unknownNameMessage(what: string, name: string, supported: readonly string[]): string {
  const shown = JSON.stringify(name.length > MAX_SHOWN_NAME ? `${name.slice(0, MAX_SHOWN_NAME)}…` : name);
  if (supported.length === 0) return `Unknown ${what} ${shown}; none is supported here.`;
  const best = findNearest(name, supported);
  // A suggestion that differs in more than a third of its letters would be misleading.
  if (editDistance(name.slice(0, 100).toLowerCase(), best) <= Math.max(1, Math.floor(best.length / 3)))
    return `Unknown ${what} ${shown}; did you mean ${JSON.stringify(best)}?`;
  return `Unknown ${what} ${shown}; supported: ${supported.map((key) => JSON.stringify(key)).join(', ')}.`;
}
