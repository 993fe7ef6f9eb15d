/**
 * What an expression may come to, as far as the source tells: enough to see through aliases and
 * strings that are put together.
 */
import type { ArrayExpression, ObjectExpression } from 'acorn';

export type Constant = string | number | boolean | null | undefined;

export type Value =
  | { readonly kind: 'unknown' }
  /** A string; `known` is what of it is known, with a placeholder where it isn't. */
  | { readonly kind: 'text'; readonly start: string }
  | { readonly kind: 'constant'; readonly value: Constant }
  | { readonly kind: 'list'; readonly items: readonly Constant[] }
  /** An object or array as it is written. */
  | { readonly kind: 'structure'; readonly node: ObjectExpression | ArrayExpression }
  /** What is reached from the global object by this path: `document.body`. The global object itself is `window`. */
  | { readonly kind: 'global'; readonly path: string }
  | { readonly kind: 'function' }
  /** The constructor of something unknown. */
  | { readonly kind: 'constructor' }
  /** What may be the global object, and mostly is not: `this` of a function that is not strict, what an event leads to. */
  | { readonly kind: 'receiver'; readonly of: 'this' | 'event' }
  /** An element that the script has made, with its local name in lower case; undefined: that isn't known. */
  | { readonly kind: 'element'; readonly tag: string | undefined }
  /** What `Host.network.fetch` has brought, or something of it. */
  | { readonly kind: 'fetched' };

export type Values = readonly Value[];

export const UNKNOWN: Value = { kind: 'unknown' };
export const FUNCTION: Value = { kind: 'function' };
export const FETCHED: Value = { kind: 'fetched' };
export const CONSTRUCTOR: Value = { kind: 'constructor' };
export const SCRIPT: Value = { kind: 'element', tag: 'script' };
export const OF_EVENT: Value = { kind: 'receiver', of: 'event' };
export const NOTHING_KNOWN: Values = [UNKNOWN];

export const constant = (value: Constant): Value => ({ kind: 'constant', value });
export const global = (path: string): Value => ({ kind: 'global', path });
export const text = (start: string): Value => ({ kind: 'text', start });

/**
 * Stands in a text for what isn't known of it: a name, so that markup and scripts with it still
 * parse.
 */
export const PLACEHOLDER = 'x';
/** Characters of a string that is put together; what would be longer is not known. */
export const MOST_TEXT = 1 << 20;
/** Values that are distinguished; of what is watched, which nothing may crowd out, more. */
const MOST_VALUES = 8;
const MOST_WATCHED = 64;

export function union(sets: readonly Values[], most = MOST_VALUES): Values {
  if (sets.length === 1) return sets[0];
  const all: Value[] = [];
  let isCut = false;
  for (const set of sets)
    for (const value of set) {
      if (all.length >= (isWatched(value) ? MOST_WATCHED : most)) isCut = true;
      else if (!all.some((other) => isSame(other, value))) all.push(value);
    }
  if (isCut) all.push(UNKNOWN);
  return all.length === 0 ? NOTHING_KNOWN : all;
}

const isWatched = ({ kind }: Value): boolean =>
  kind === 'global' || kind === 'receiver' || kind === 'element' || kind === 'fetched' || kind === 'constructor';

function isSame(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a.kind === 'constant' && b.kind === 'constant') return a.value === b.value;
  if (a.kind === 'global' && b.kind === 'global') return a.path === b.path;
  if (a.kind === 'element' && b.kind === 'element') return a.tag === b.tag;
  if (a.kind === 'receiver' && b.kind === 'receiver') return a.of === b.of;
  return (
    a.kind === b.kind &&
    (a.kind === 'function' || a.kind === 'constructor' || a.kind === 'unknown' || a.kind === 'fetched')
  );
}

/** The only value, if it is a constant. */
export function constantOf(values: Values): { readonly value: Constant } | undefined {
  const [only] = values;
  return values.length === 1 && only.kind === 'constant' ? only : undefined;
}

/** As `String(value)` makes of it; undefined where that isn't known. */
export function asText(value: Value): string | undefined {
  if (value.kind === 'constant') return String(value.value);
  if (value.kind === 'list') return value.items.map((item) => item ?? '').join(',');
  return undefined;
}
