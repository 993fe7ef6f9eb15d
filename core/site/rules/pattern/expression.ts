/** The syntax tree of a pattern, for globs and regular expressions. */
import { type CharSet, EVERYTHING, setOf, withoutCase } from './char-set.ts';

export type Expression =
  | { readonly kind: 'empty' }
  | { readonly kind: 'set'; readonly set: CharSet }
  | { readonly kind: 'sequence'; readonly parts: readonly Expression[] }
  | { readonly kind: 'choice'; readonly parts: readonly Expression[] }
  | { readonly kind: 'repeat'; readonly part: Expression; readonly least: number; readonly most: number }
  | { readonly kind: 'assertion'; readonly assertion: Assertion };

export type Assertion = 'start' | 'end' | 'word-boundary' | 'no-word-boundary';

export const EMPTY: Expression = { kind: 'empty' };
export const START: Expression = { kind: 'assertion', assertion: 'start' };
export const END: Expression = { kind: 'assertion', assertion: 'end' };
export const ANY: Expression = { kind: 'set', set: EVERYTHING };

export const sequence = (...parts: readonly Expression[]): Expression =>
  parts.length === 1 ? parts[0] : { kind: 'sequence', parts };

export const choice = (...parts: readonly Expression[]): Expression =>
  parts.length === 1 ? parts[0] : { kind: 'choice', parts };

export const repeat = (part: Expression, least: number, most = Number.POSITIVE_INFINITY): Expression => ({
  kind: 'repeat',
  part,
  least,
  most,
});

/** An expression that matches exactly this text. */
export function literal(text: string, ignoreCase: boolean): Expression {
  const parts: Expression[] = [];
  for (let i = 0; i < text.length; i++) {
    const code = Math.min(text.charCodeAt(i), 256);
    const set = setOf([code, code]);
    parts.push({ kind: 'set', set: ignoreCase ? withoutCase(set) : set });
  }
  return sequence(...parts);
}
