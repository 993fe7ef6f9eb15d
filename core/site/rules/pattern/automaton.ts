/**
 * Deterministic automata, built completely when rules are compiled. A match costs one look-up for
 * each character, whatever the pattern and the text. A pattern that needs too many states is
 * rejected.
 */
import { type CharSet, CODES, OTHER, WORD } from './char-set.ts';
import type { Assertion, Expression } from './expression.ts';
import { PatternError } from './pattern-error.ts';

/** Maximum number of states; repetitions are expanded. */
const MAX_NFA_STATES = 2000;

/** States of one automaton. */
const MAX_STATES = 1000;

/** Limits the work of building automata, so that a document cannot block a thread. */
export interface BuildBudget {
  steps: number;
  /** Whether automata of other documents can be reused. A check must not depend on them. */
  readonly shares?: boolean;
}

const DEAD = 0;
const ACCEPTED = 1;

export class Automaton {
  constructor(
    /** The class of each character code. */
    private readonly classes: Uint16Array,
    /**
     * A row for each state, a column for each class; the last column is the end of the text. Values
     * are offsets of rows.
     */
    private readonly table: Uint32Array,
    private readonly width: number,
    private readonly start: number,
  ) {}

  get bytes(): number {
    return this.classes.byteLength + this.table.byteLength;
  }

  /** Whether the pattern matches a part of the text up to `end`. */
  test(text: string, end = text.length): boolean {
    const classes = this.classes;
    const table = this.table;
    const accepted = this.width;
    let state = this.start;
    for (let i = 0; i < end; i++) {
      const code = text.charCodeAt(i);
      state = table[state + classes[code < OTHER ? code : OTHER]];
      if (state <= accepted) return state === accepted;
    }
    return table[state + accepted - 1] === accepted;
  }
}

/** Throws PatternError. */
export function buildAutomaton(expression: Expression, budget: BuildBudget): Automaton {
  const nfa = buildNfa(expression);
  const { classes, samples } = classify(nfa);
  const builder = new Builder(nfa, samples, budget);
  const rows = builder.build();
  const isLive = liveStates(rows);
  const width = samples.length + 1;
  const table = new Uint32Array(rows.length * width);
  rows.forEach((row, state) => {
    row.forEach((target, column) => {
      table[state * width + column] = isLive[target] ? target * width : DEAD;
    });
  });
  return new Automaton(classes, table, width, isLive[START] ? START * width : DEAD);
}

const START = 2;

/** Groups character codes that no state distinguishes. `samples`: one code of each class. */
function classify({ states }: Nfa): { classes: Uint16Array; samples: number[] } {
  const sets: CharSet[] = [];
  for (const state of states) if (state.kind === 'set') sets.push(state.set);
  if (states.some((state) => state.kind === 'assertion' && state.assertion.endsWith('boundary'))) sets.push(WORD);
  const classes = new Uint16Array(CODES);
  let count = 1;
  for (const set of sets) {
    const split = new Map<number, number>();
    for (let code = 0; code < CODES; code++) {
      const key = classes[code] * 2 + set[code];
      let next = split.get(key);
      if (next === undefined) {
        next = split.size;
        split.set(key, next);
      }
      classes[code] = next;
    }
    count = split.size;
  }
  return { classes, samples: Array.from({ length: count }, (_, i) => classes.indexOf(i)) };
}

/**
 * A set of states of the nondeterministic automaton, with the context before the next character.
 */
interface Subset {
  readonly states: readonly number[];
  readonly isAtStart: boolean;
  readonly isAfterWord: boolean;
}

class Builder {
  readonly #usesWords: boolean;
  readonly #numbers = new Map<string, number>();
  readonly #subsets: Subset[] = [];
  readonly #rows: number[][] = [];
  /** The number of the last closure that visited each state. */
  readonly #visited: Uint32Array;
  #closure = 0;

  constructor(
    private readonly nfa: Nfa,
    private readonly samples: readonly number[],
    private readonly budget: BuildBudget,
  ) {
    this.#visited = new Uint32Array(nfa.states.length);
    this.#usesWords = nfa.states.some((state) => state.kind === 'assertion' && state.assertion.endsWith('boundary'));
  }

  build(): readonly (readonly number[])[] {
    const width = this.samples.length + 1;
    this.#rows.push(new Array(width).fill(DEAD), new Array(width).fill(ACCEPTED));
    this.#numberOf({ states: [this.nfa.start], isAtStart: true, isAfterWord: false });
    for (let i = 0; i < this.#subsets.length; i++) {
      const subset = this.#subsets[i];
      // The closure depends on the next character only by whether it is a word character.
      const closures = new Map<boolean, readonly number[] | null>();
      const row = this.samples.map((code) => {
        const isWord = this.#usesWords && WORD[code] === 1;
        let closure = closures.get(isWord);
        if (closure === undefined) {
          closure = this.#close(subset, false, isWord);
          closures.set(isWord, closure);
        }
        return closure === null ? ACCEPTED : this.#step(closure, code, isWord);
      });
      row.push(this.#close(subset, true, false) === null ? ACCEPTED : DEAD);
      this.#rows.push(row);
    }
    return this.#rows;
  }

  #numberOf(subset: Subset): number {
    const key = `${subset.states.join()}${subset.isAtStart ? '^' : ''}${subset.isAfterWord ? 'w' : ''}`;
    const number = this.#numbers.get(key);
    if (number !== undefined) return number;
    if (this.#subsets.length >= MAX_STATES)
      throw new PatternError(
        'is too complex to match in one pass; use fewer repetitions of sets that overlap, such as (a|b)*a.{9}',
      );
    const next = this.#subsets.push(subset) - 1 + START;
    this.#numbers.set(key, next);
    return next;
  }

  /** The state after the character `code`. */
  #step(closure: readonly number[], code: number, isAfterWord: boolean): number {
    // A match may start at each character.
    const states = [this.nfa.start];
    for (const state of closure) {
      const { set, next } = this.nfa.states[state] as { set: CharSet; next: number };
      if (set[code] === 1 && !states.includes(next)) states.push(next);
    }
    this.budget.steps -= closure.length;
    if (this.budget.steps < 0) this.#giveUp();
    states.sort((a, b) => a - b);
    return this.#numberOf({ states, isAtStart: false, isAfterWord });
  }

  #giveUp(): never {
    throw new PatternError('takes too long to compile, together with the patterns before it; simplify them');
  }

  /**
   * The states that consume a character and are reachable without one. Null: the pattern has
   * matched.
   */
  #close({ states: from, isAtStart, isAfterWord }: Subset, isAtEnd: boolean, isWord: boolean): number[] | null {
    const { states } = this.nfa;
    const isBoundary = isAfterWord !== isWord;
    const closure = ++this.#closure;
    const pending = [...from];
    const found: number[] = [];
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      if (this.#visited[at] === closure) continue;
      this.#visited[at] = closure;
      if (--this.budget.steps < 0) this.#giveUp();
      const state = states[at];
      if (state.kind === 'match') return null;
      if (state.kind === 'set') found.push(at);
      else if (state.kind === 'split') pending.push(state.other, state.next);
      else {
        const { assertion } = state;
        const holds =
          assertion === 'start'
            ? isAtStart
            : assertion === 'end'
              ? isAtEnd
              : isBoundary === (assertion === 'word-boundary');
        if (holds) pending.push(state.next);
      }
    }
    return found;
  }
}

/** The states from which a match can still be reached. */
function liveStates(rows: readonly (readonly number[])[]): boolean[] {
  const sources: number[][] = rows.map(() => []);
  rows.forEach((row, state) => {
    for (const target of new Set(row)) sources[target].push(state);
  });
  const isLive = rows.map(() => false);
  const pending = [ACCEPTED];
  for (let state = pending.pop(); state !== undefined; state = pending.pop()) {
    if (isLive[state]) continue;
    isLive[state] = true;
    pending.push(...sources[state]);
  }
  return isLive;
}

type NfaState =
  | { readonly kind: 'match' }
  | { readonly kind: 'set'; readonly set: CharSet; readonly next: number }
  | { readonly kind: 'assertion'; readonly assertion: Assertion; readonly next: number }
  | { readonly kind: 'split'; next: number; other: number };

interface Nfa {
  readonly states: readonly NfaState[];
  readonly start: number;
}

/**
 * Nondeterministic automata (Thompson's construction).
 *
 * Throws PatternError if it has too many states.
 */
function buildNfa(expression: Expression): Nfa {
  const states: NfaState[] = [{ kind: 'match' }];
  const add = (state: NfaState): number => {
    if (states.length >= MAX_NFA_STATES)
      throw new PatternError('is too large; shorten its repetitions, or split the rule');
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
