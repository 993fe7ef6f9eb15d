/**
 * Building blocks of schemas. A description completes the sentence "… must be" in errors, and is
 * the description in the OpenAPI document. A schema with a title is a component of that document,
 * written once. A body schema rejects undefined properties (json-body.ts).
 */
import { type Static, type StringOptions, type TSchema, Type } from '@sinclair/typebox';

/** No control characters, and no unpaired surrogates, which are not text. */
const PRINTABLE = '[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]';

/** Free text: one line, `min` to `max` characters. */
export const line = (min: number, max: number, description: string) =>
  Type.String({ minLength: min, maxLength: max, pattern: `^${PRINTABLE}*$`, description });

export const text = (description: string, options: StringOptions = {}) => Type.String({ ...options, description });

export const integer = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, description });

export const count = (description: string) => Type.Integer({ minimum: 0, description });

export const flag = (description: string) => Type.Boolean({ description });

export const list = <T extends TSchema>(
  items: T,
  description: string,
  options: { minItems?: number; maxItems?: number } = {},
) => Type.Unsafe<readonly Static<T>[]>(Type.Array(items, { ...options, description }));

export const orNull = <T extends TSchema>(schema: T, description: string = schema.description ?? '') =>
  Type.Union([schema, Type.Null()], { description });

export const oneOf = <const T extends readonly string[]>(choices: T, description?: string) =>
  Type.Unsafe<T[number]>({
    type: 'string',
    enum: choices,
    description: description ?? `one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`,
  });

export const id = (of: string) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: `the id of ${of}` });

export const TIME = '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$';
export const time = (of: string) => Type.String({ pattern: TIME, description: `${of}, as YYYY-MM-DD HH:MM:SS in UTC` });

/**
 * Read-only properties, which are ignored in a body. A client can therefore read an object, modify
 * it and send it back.
 */
export const readOnly = <const K extends string>(...names: readonly K[]) => {
  const property = Type.Optional(Type.Unknown({ readOnly: true, description: 'as in the response; ignored' }));
  return Object.fromEntries(names.map((name) => [name, property])) as Record<K, typeof property>;
};

/** An object with arbitrary keys. */
export const anyObject = (description: string) =>
  Type.Unsafe<Readonly<Record<string, unknown>>>(Type.Object({}, { additionalProperties: true, description }));

export const NOTHING = Type.Object({});
