/** Parses and validates JSON bodies; errors name the field and the rule. */
import { isUtf8 } from 'node:buffer';
import type { Static, TObject } from '@sinclair/typebox';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { type ErrorDetail, HttpError } from './errors.ts';
import type { HttpRequest } from './transport.ts';
import { closeSchema, unknownFields } from './unknown.ts';

/** Limit of JSON bodies; zone files have their own limit. */
export const MAX_JSON = 1 << 20;

const ajv = new Ajv({ allErrors: true, verbose: true, strict: false, ownProperties: true });

export interface BodySchema<T extends TObject> {
  readonly schema: T;
  /** Throws HttpError 400 or 422. */
  parse(bytes: Buffer): Static<T>;
}

/** The type of a valid body. */
export type BodyOf<B extends BodySchema<TObject>> = Static<B['schema']>;

/**
 * The description of each property completes "must be": `a string, such as "A"`. Unknown properties
 * are rejected, also in nested objects; the resulting `schema` has `additionalProperties: false`.
 */
export function bodySchema<T extends TObject>(schema: T): BodySchema<T> {
  // Compiled on first use: compiling all schemas takes longer than the rest of the startup.
  let compiled: ValidateFunction<Static<T>> | undefined;
  const strict = closeSchema(schema);
  return {
    schema: strict,
    parse(bytes) {
      const value = parseJson(bytes);
      rejectLongLists(schema, value);
      // Ajv would create an error for each of a million unknown names.
      const unknown = unknownFields(strict, value, MAX_DETAILS);
      compiled ??= ajv.compile<Static<T>>(schema);
      const validate = compiled;
      if (validate(value) && unknown.length === 0) return value;
      throw validationError(unknown, validate.errors ?? []);
    },
  };
}

/** Runs before validation, which would collect an error for each of a million wrong items. */
function rejectLongLists({ properties }: TObject, value: Readonly<Record<string, unknown>>): void {
  for (const name in properties) {
    const { maxItems, description } = properties[name];
    const list = Object.hasOwn(value, name) ? value[name] : undefined;
    if (!Array.isArray(list) || typeof maxItems !== 'number' || list.length <= maxItems) continue;
    const message = `"${name}" has ${list.length} items; the maximum is ${maxItems}. It must be ${description}.`;
    throw new HttpError(422, 'validation', message, { pointer: `/${name}` });
  }
}

function parseJson(bytes: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown;
  // Decoding would turn invalid UTF-8 (RFC 8259 8.1) into replacement characters and store those.
  if (!isUtf8(bytes)) throw new HttpError(400, 'malformed_json', 'The body is not valid JSON: it is not UTF-8.');
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new HttpError(400, 'malformed_json', 'The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new HttpError(400, 'malformed_json', 'The body must be a JSON object.', { pointer: '' });
  return value as Readonly<Record<string, unknown>>;
}

const MAX_DETAILS = 20;

/** Unknown names first: a missing property is often a misspelled one. */
function validationError(unknown: readonly ErrorDetail[], errors: readonly ErrorObject[]): HttpError {
  const details = new Map<string | undefined, ErrorDetail>(unknown.map((detail) => [detail.pointer, detail]));
  for (const error of errors) {
    const missing = error.keyword === 'required';
    const pointer = missing ? `${error.instancePath}/${error.params.missingProperty}` : error.instancePath;
    if (details.size === MAX_DETAILS || details.has(pointer)) continue;
    const described: unknown = missing
      ? error.parentSchema?.properties?.[error.params.missingProperty]?.description
      : error.parentSchema?.description;
    const rule = typeof described === 'string' ? `must be ${described}` : (error.message ?? 'is wrong');
    details.set(pointer, { pointer, message: `"${pointer.slice(1)}" ${missing ? 'is missing; it ' : ''}${rule}.` });
  }
  const all = [...details.values()];
  return new HttpError(422, unknown.length > 0 ? 'unknown_field' : 'validation', all[0].message, {
    pointer: all[0].pointer,
    details: all.length > 1 ? all : undefined,
  });
}

/** The bytes of a JSON body. `holder`: whose memory they count for. Throws HttpError. */
export async function readJson(
  request: HttpRequest,
  limit = MAX_JSON,
  isOptional = false,
  holder?: string,
): Promise<Buffer> {
  // Clients that send no body often send no Content-Type.
  const untyped = isOptional && request.header('content-type') === undefined;
  if (!untyped) requireType(request, ['application/json']);
  const bytes = await request.body(limit, holder);
  if (isOptional && bytes.length === 0) return EMPTY_OBJECT;
  if (untyped) requireType(request, ['application/json']);
  return bytes;
}

const EMPTY_OBJECT = Buffer.from('{}');

/** Throws HttpError 415 for another Content-Type. */
export function requireType(request: HttpRequest, types: readonly string[]): void {
  const type = request.header('content-type');
  if (type !== undefined && types.includes(type.split(';', 1)[0].trim().toLowerCase())) return;
  throw new HttpError(415, 'unsupported_media_type', `Send the body with Content-Type: ${types.join(' or ')}.`, {
    headers: { Accept: types.join(', ') },
  });
}
