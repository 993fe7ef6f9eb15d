/** Reads JSON exports. */
import { invalidConfig } from './source.ts';

export type JsonObject = { readonly [key: string]: unknown };

/** Throws InvalidError `invalid_config` with the line of the error. */
export function parseJson(file: string, text: string): unknown {
  const bare = text.replace(/^\ufeff/, '');
  try {
    return JSON.parse(bare);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const position = /position (\d+)/.exec(reason);
    const before = position === null ? bare.trimEnd() : bare.slice(0, Number(position[1]));
    throw invalidConfig({ file, line: before.split('\n').length }, `not valid JSON: ${reason}`);
  }
}

export function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

export const objectsOf = (value: unknown): JsonObject[] =>
  (Array.isArray(value) ? value : []).map(objectOf).filter((entry) => entry !== undefined);

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
