/**
 * The possible values of an expression, precise enough to resolve aliases and composed strings.
 */
import type { ArrayExpression, ObjectExpression } from 'acorn';

export type Constant = string | number | boolean | null | undefined;

export type Value =
  | { readonly kind: 'unknown' }
  /** A string. `start`: its known parts, with placeholders for unknown parts. */
  | { readonly kind: 'text'; readonly start: string }
  | { readonly kind: 'constant'; readonly value: Constant }
  | { readonly kind: 'list'; readonly items: readonly Constant[] }
  /** An object or array literal. */
  | { readonly kind: 'structure'; readonly node: ObjectExpression | ArrayExpression }
  /**
   * The object at this path from the global object: `document.body`. The global object itself is
   * `window`.
   */
  | { readonly kind: 'global'; readonly path: string }
  | { readonly kind: 'function' }
  /** The constructor of an unknown value. */
  | { readonly kind: 'constructor' }
  /**
   * A value that may be the global object, but mostly is not: `this` of a sloppy function, or a
   * member of an event.
   */
  | { readonly kind: 'receiver'; readonly of: 'this' | 'event' }
  /** An element that the script created. `tag`: its lower-case local name; undefined: unknown. */
  | { readonly kind: 'element'; readonly tag: string | undefined }
  /** A response of `Host.network.fetch`, or a part of it. */
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
 * Stands for an unknown part of a text. It is a valid name, so markup and scripts that contain it
 * still parse.
 */
export const PLACEHOLDER = 'x';
/** Maximum characters of a composed string. Longer strings are unknown. */
export const MOST_TEXT = 1 << 20;
/** Maximum kept values. Watched values have a higher maximum: others must not displace them. */
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

/** The result of `String(value)`. Undefined: unknown. */
export function asText(value: Value): string | undefined {
  if (value.kind === 'constant') return String(value.value);
  if (value.kind === 'list') return value.items.map((item) => item ?? '').join(',');
  return undefined;
}
