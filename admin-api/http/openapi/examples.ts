/**
 * Values of responses for the reference, made from their schemas: the first of `examples`, the
 * value that the description names (`such as "www"`), or else the simplest that the schema allows.
 * An optional property is in them if its schema has `examples`.
 */
import type { TSchema } from '@sinclair/typebox';
import { TIME } from '../../../core/base/schema.ts';

/** Of all objects of the examples. */
export const EXAMPLE_ID = 17;
const SOME_TIME = '2026-11-30 08:15:00';

/** Undefined: the schema suggests no value. Lists are empty then, and alternatives null. */
export function exampleOf(schema: TSchema): unknown {
  const { examples, const: constant, default: normal, enum: choices, anyOf, type, description } = schema;
  if (examples !== undefined) return examples[0];
  if (constant !== undefined) return constant;
  if (normal !== undefined) return normal;
  if (choices !== undefined) return choices[0];
  if (anyOf !== undefined) return exampleOfChoice(anyOf, description);
  if (type === 'object') return exampleOfObject(schema);
  if (type === 'array') return [exampleOf(schema.items)].filter((item) => item !== undefined);
  if (type === 'string') return schema.pattern === TIME ? SOME_TIME : namedIn(description);
  if (type === 'integer' || type === 'number')
    return description?.startsWith('the id of') ? EXAMPLE_ID : atLeast(schema, 1);
  return type === 'boolean' ? true : null;
}

/** Null, if that is allowed and the schema suggests no other value. */
function exampleOfChoice(choices: readonly TSchema[], description: string | undefined): unknown {
  const [first] = choices;
  const isNullable = choices.some(({ type }) => type === 'null');
  const isSimple = first.enum === undefined && (first.type === 'string' || first.type === 'boolean');
  if (isNullable && first.examples === undefined && !isSimple) return null;
  return exampleOf(first.description === undefined ? { ...first, description } : first) ?? null;
}

function exampleOfObject({ properties = {}, required = [] }: TSchema): object {
  const named = Object.entries(properties as Record<string, TSchema>).filter(
    ([name, { examples }]) => required.includes(name) || examples !== undefined,
  );
  const values = named.map(([name, property]) => [name, exampleOf(property)]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

const atLeast = ({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: TSchema, value: number): number =>
  Math.min(maximum, Math.max(minimum, value));

const namedIn = (description = ''): string | undefined => /such as "([^"]+)"/.exec(description)?.[1];
