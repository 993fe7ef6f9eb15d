/** Reads fields of JSON bodies as PowerDNS does. All functions throw InvalidError, which is 422. */
import { InvalidError } from '../../../core/base/errors.ts';
import { type Name, parseName } from '../../../core/dns/wire/name.ts';
import { unprocessable } from './errors.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a field is present. PowerDNS ignores null. */
export const has = (object: JsonObject, key: string): boolean =>
  Object.hasOwn(object, key) && object[key] !== undefined && object[key] !== null;

export function readString(object: JsonObject, key: string): string {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  if (typeof value === 'string') return value;
  throw unprocessable(`Key '${key}' not present or not a String`);
}

/** An integer, or a string with an integer. */
export function readInteger(object: JsonObject, key: string): number {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number)) return number;
  throw unprocessable(`Key '${key}' not an Integer or not present`);
}

/** False if it is missing. */
export function readBoolean(object: JsonObject, key: string): boolean {
  const value = has(object, key) ? object[key] : false;
  if (typeof value === 'boolean') return value;
  throw unprocessable(`Key '${key}' not a Boolean`);
}

/** A list of strings; empty if it is missing. */
export function readStrings(object: JsonObject, key: string): string[] {
  const value = has(object, key) ? object[key] : [];
  if (Array.isArray(value) && value.every((each): each is string => typeof each === 'string')) return value;
  throw unprocessable(`Key '${key}' is not a list of Strings`);
}

/** A list of objects; null if it is missing. */
export function readObjects(object: JsonObject, key: string): readonly JsonObject[] | null {
  if (!has(object, key)) return null;
  const value = object[key];
  if (Array.isArray(value) && value.every(isObject)) return value;
  throw unprocessable(`Key '${key}' is not a list of objects`);
}

/** A name with its last dot. */
export function readName(text: string): Name {
  if (!text.endsWith('.')) throw unprocessable(`DNS Name '${text.slice(0, 300)}' is not canonical`);
  try {
    return parseName(text.toLowerCase());
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    throw unprocessable(`Unable to parse DNS Name '${text.slice(0, 300)}': ${error.message}`);
  }
}
