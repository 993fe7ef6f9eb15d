/** Nondeterministic automata (Thompson's construction). */
import type { CharSet } from './char-set.ts';
import type { Assertion, Expression } from './expression.ts';
import { PatternError } from './pattern-error.ts';

/** Maximum number of states; repetitions are expanded. */
const MAX_STATES = 2000;

type NfaState =
  | { readonly kind: 'match' }
  | { readonly kind: 'set'; readonly set: CharSet; readonly next: number }
  | { readonly kind: 'assertion'; readonly assertion: Assertion; readonly next: number }
  | { readonly kind: 'split'; next: number; other: number };

export interface Nfa {
  readonly states: readonly NfaState[];
  readonly start: number;
}

/** Throws PatternError if it has too many states. */
export function buildNfa(expression: Expression): Nfa {
  const states: NfaState[] = [{ kind: 'match' }];
  const add = (state: NfaState): number => {
    if (states.length >= MAX_STATES) throw new PatternError('is too large; shorten its repetitions, or split the rule');
    return states.push(state) - 1;
  };
  /** Builds the states from the returned state to `next`. */
  const build = (part: Expression, next: number): number => {
    switch (part.kind) {
      case 'empty':
        return next;
      case 'set':
        return add({ kind: 'set', set: part.set, next });
      case 'assertion':
        return add({ kind: 'assertion', assertion: part.assertion, next });
      case 'sequence':
        return part.parts.reduceRight((after, inner) => build(inner, after), next);
      case 'choice':
        return part.parts
          .map((inner) => build(inner, next))
          .reduceRight((other, first) => add({ kind: 'split', next: first, other }));
      case 'repeat':
        return buildRepeat(part.part, part.least, part.most, next);
      default:
        return part satisfies never;
    }
  };
  const buildRepeat = (part: Expression, least: number, most: number, next: number): number => {
    let start = next;
    if (most === Number.POSITIVE_INFINITY) {
      const loop: NfaState = { kind: 'split', next, other: next };
      start = add(loop);
      loop.next = build(part, start);
    } else for (let i = least; i < most; i++) start = add({ kind: 'split', next: build(part, start), other: next });
    for (let i = 0; i < least; i++) start = build(part, start);
    return start;
  };
  const start = build(expression, 0);
  return { states, start };
}
