/**
 * Query parameters. The schema of a parameter is its documentation, its check and its type; the
 * handler of a route receives the values.
 */
import type { Static, TSchema } from '@sinclair/typebox';
import { HttpError } from './errors.ts';

const READ = Symbol('read');

/** `text`: undefined if the parameter is omitted. `name`: for messages. Throws HttpError. */
type Read<V> = (text: string | undefined, name: string) => V;

/** A parameter whose value is the result of `read`. The document has only the schema. */
type Parameter<S extends TSchema, V> = S & { readonly [READ]: Read<V> };

export const parameter = <S extends TSchema, V>(schema: S, read: Read<V>): Parameter<S, V> => ({
  ...schema,
  [READ]: read,
});

export type Parameters = Readonly<Record<string, TSchema>>;
export type NoParameters = Record<never, never>;

/** The values of query parameters. */
export type Query<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends { readonly [READ]: Read<infer V> } ? V : Static<P[K]> | undefined;
};

/** Reads parameters by their schemas. The first of several values counts. Throws HttpError 400. */
export function queryReader<P extends Parameters>(schemas: P | undefined): (sent: URLSearchParams) => Query<P> {
  const readers = Object.entries(schemas ?? {}).map(([name, schema]) => [name, readerOf(schema)] as const);
  return (sent) => {
    const values: Record<string, unknown> = {};
    for (const [name, read] of readers) values[name] = read(sent.get(name) ?? undefined, name);
    return values as Query<P>;
  };
}

function readerOf(schema: TSchema & { readonly [READ]?: Read<unknown> }): Read<unknown> {
  const { [READ]: read, type, enum: choices, minimum, maximum } = schema;
  if (read !== undefined) return read;
  if (choices !== undefined) return (text, name) => readChoice(text, name, choices);
  if (type === 'integer') return (text, name) => readInteger(text, name, minimum, maximum);
  if (type === 'boolean') return (text) => text === 'true';
  if (type === 'string') return (text) => text;
  throw new Error(`a query parameter cannot have the type ${type}`);
}

function readChoice(text: string | undefined, name: string, choices: readonly string[]): string | undefined {
  if (text === undefined || choices.includes(text)) return text;
  throw new HttpError(400, `invalid_${name}`, `"${name}" must be one of ${choices.join(', ')}.`);
}

function readInteger(text: string | undefined, name: string, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) && text.length <= String(most).length ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new HttpError(400, `invalid_${name}`, `"${name}" must be a whole number from ${least} to ${most}.`);
}

/** "true" or "false", the default. `effect` of "true": for the message. */
export const trueOrFalse =
  (effect: string): Read<boolean> =>
  (text, name) => {
    if (text === undefined || text === 'false') return false;
    if (text === 'true') return true;
    throw new HttpError(400, `invalid_${name}`, `"${name}" must be "true" (${effect}) or "false".`);
  };
