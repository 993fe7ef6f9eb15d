/**
 * Parses regular expressions in the syntax of RE2; syntax that needs backtracking is rejected.
 * Characters are code units up to 255: paths and header fields have no others.
 */
import {
  addRange,
  addSet,
  BLANKS,
  type CharSet,
  CODES,
  complement,
  DIGITS,
  emptySet,
  NO_NEWLINE,
  setOf,
  WORD,
  withoutCase,
} from './char-set.ts';
import { type Assertion, choice, EMPTY, type Expression, repeat, sequence } from './expression.ts';
import { PatternError } from './pattern-error.ts';

/** Maximum depth of nested groups. */
const MAX_DEPTH = 50;
/** Maximum of {n,m}, as in RE2. */
const MAX_REPEAT = 1000;

const CLASSES: Readonly<Record<string, CharSet>> = {
  d: DIGITS,
  w: WORD,
  s: BLANKS,
  D: complement(DIGITS),
  W: complement(WORD),
  S: complement(BLANKS),
};
const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  b: 'word-boundary',
  B: 'no-word-boundary',
  A: 'start',
  z: 'end',
};
const CONTROLS: Readonly<Record<string, number>> = { t: 0x09, n: 0x0a, v: 0x0b, f: 0x0c, r: 0x0d };

/** Throws PatternError. */
export function parseRegex(text: string, ignoreCase: boolean): Expression {
  const parser = new Parser(text, ignoreCase);
  return parser.parse();
}

class Parser {
  #at = 0;
  #depth = 0;

  constructor(
    private readonly text: string,
    private ignoreCase: boolean,
  ) {}

  parse(): Expression {
    const whole = this.#parseChoice();
    if (this.#at < this.text.length) this.#fail('has a ")" without "("');
    return whole;
  }

  #fail(problem: string): never {
    throw new PatternError(`${problem} (character ${this.#at + 1})`);
  }

  #parseChoice(): Expression {
    const parts = [this.#parseSequence()];
    while (this.#accept('|')) parts.push(this.#parseSequence());
    return choice(...parts);
  }

  #parseSequence(): Expression {
    const parts: Expression[] = [];
    while (this.#at < this.text.length && this.text[this.#at] !== '|' && this.text[this.#at] !== ')')
      parts.push(this.#parseRepeated());
    return parts.length === 0 ? EMPTY : sequence(...parts);
  }

  #parseRepeated(): Expression {
    const part = this.#parseAtom();
    const range = this.#parseQuantifier();
    if (range === undefined) return part;
    // A lazy quantifier changes the captures, but not whether the pattern matches.
    this.#accept('?');
    if (this.text[this.#at] === '+') this.#fail('has a possessive quantifier, which is not supported');
    if (this.#parseQuantifier() !== undefined) this.#fail('repeats a repetition; put the inner one into (?:…)');
    return repeat(part, range[0], range[1]);
  }

  #parseQuantifier(): [least: number, most: number] | undefined {
    if (this.#accept('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.#accept('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.#accept('?')) return [0, 1];
    const counts = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(this.text.slice(this.#at, this.#at + 12));
    if (counts === null) return undefined;
    const least = Number(counts[1]);
    const most = counts[2] === undefined ? least : counts[3] === '' ? Number.POSITIVE_INFINITY : Number(counts[3]);
    if (most < least || least > MAX_REPEAT || (most !== Number.POSITIVE_INFINITY && most > MAX_REPEAT))
      this.#fail(`has a bad repetition ${counts[0]}; use at most ${MAX_REPEAT}, the smaller count first`);
    this.#at += counts[0].length;
    return [least, most];
  }

  #parseAtom(): Expression {
    const character = this.text[this.#at++];
    switch (character) {
      case '.':
        return { kind: 'set', set: NO_NEWLINE };
      case '^':
        return { kind: 'assertion', assertion: 'start' };
      case '$':
        return { kind: 'assertion', assertion: 'end' };
      case '(':
        return this.#parseGroup();
      case '[':
        return this.#setOf(this.#parseSet());
      case '\\':
        return this.#parseEscape();
      case '*':
      case '+':
      case '?':
        this.#at--;
        return this.#fail(`has nothing before "${character}" to repeat`);
      default:
        return this.#setOf(this.#single(character.charCodeAt(0)));
    }
  }

  #setOf(set: CharSet): Expression {
    return { kind: 'set', set: this.ignoreCase ? withoutCase(set) : set };
  }

  #single(code: number): CharSet {
    if (code > 255) this.#fail('has a character above U+00FF, which paths and header fields never have');
    return setOf([code, code]);
  }

  #parseGroup(): Expression {
    if (++this.#depth > MAX_DEPTH) this.#fail(`has more than ${MAX_DEPTH} groups within each other`);
    const outerCase = this.ignoreCase;
    if (this.#accept('?')) {
      const flags = /^(?:P?<[A-Za-z_]\w{0,31}>|(i?s?):|(-?i)(:|\)))/.exec(this.text.slice(this.#at, this.#at + 40));
      if (flags === null)
        this.#fail('has a group that is not supported: use (…), (?:…), (?P<name>…) or (?i); there is no look-around');
      this.#at += flags[0].length;
      if (flags[1]?.includes('i')) this.ignoreCase = true;
      if (flags[2] !== undefined) this.ignoreCase = flags[2] === 'i';
      if (flags[3] === ')') {
        // The flag applies until the end of the enclosing group.
        this.#depth--;
        return EMPTY;
      }
    }
    const inner = this.#parseChoice();
    if (!this.#accept(')')) this.#fail('has a "(" without ")"');
    this.ignoreCase = outerCase;
    this.#depth--;
    return inner;
  }

  #parseEscape(): Expression {
    const character = this.text[this.#at];
    if (character === undefined) this.#fail('ends with a single backslash');
    if (Object.hasOwn(ASSERTIONS, character)) {
      this.#at++;
      return { kind: 'assertion', assertion: ASSERTIONS[character] };
    }
    return this.#setOf(this.#parseEscapedSet());
  }

  /** A class or a single character, after the backslash. */
  #parseEscapedSet(): CharSet {
    const character = this.text[this.#at++];
    if (character === undefined) this.#fail('ends with a single backslash');
    if (Object.hasOwn(CLASSES, character)) return CLASSES[character];
    if (Object.hasOwn(CONTROLS, character)) return this.#single(CONTROLS[character]);
    if (character === 'x') {
      const hex = /^(?:[0-9A-Fa-f]{2}|\{[0-9A-Fa-f]{1,2}\})/.exec(this.text.slice(this.#at, this.#at + 4));
      if (hex === null) this.#fail('has a bad \\x; write two hexadecimal digits after it');
      this.#at += hex[0].length;
      return this.#single(Number.parseInt(hex[0].replace(/[{}]/g, ''), 16));
    }
    if (/[A-Za-z0-9]/.test(character)) {
      this.#at--;
      this.#fail(
        /[1-9]/.test(character)
          ? 'has a back-reference, which cannot be matched without backtracking'
          : `has an unknown escape \\${character}`,
      );
    }
    return this.#single(character.charCodeAt(0));
  }

  /** After "[". */
  #parseSet(): CharSet {
    const set = emptySet();
    const isNegated = this.#accept('^');
    let isFirst = true;
    for (;;) {
      const character = this.text[this.#at];
      if (character === undefined) this.#fail('has a "[" without "]"');
      if (character === ']' && !isFirst) break;
      isFirst = false;
      this.#parseMember(set);
    }
    this.#at++;
    const cased = this.ignoreCase ? withoutCase(set) : set;
    return isNegated ? complement(cased) : cased;
  }

  /** A character, a range or a class. */
  #parseMember(set: CharSet): void {
    if (this.text.startsWith('[:', this.#at)) this.#fail('has a POSIX class; use \\d, \\w, \\s or ranges');
    const first = this.#parseSetCharacter();
    if (typeof first !== 'number') {
      addSet(set, first);
      return;
    }
    const isRange = this.text[this.#at] === '-' && this.#at + 1 < this.text.length && this.text[this.#at + 1] !== ']';
    if (!isRange) {
      addRange(set, first, first);
      return;
    }
    this.#at++;
    const last = this.#parseSetCharacter();
    if (typeof last !== 'number' || last < first) this.#fail('has a range in [] that does not rise');
    addRange(set, first, last);
  }

  #parseSetCharacter(): number | CharSet {
    const character = this.text[this.#at];
    if (character === undefined) this.#fail('has a "[" without "]"');
    if (character !== '\\') {
      this.#at++;
      const code = character.charCodeAt(0);
      this.#single(code);
      return code;
    }
    this.#at++;
    const set = this.#parseEscapedSet();
    const first = set.indexOf(1);
    const isSingle = set.indexOf(1, first + 1) < 0 && first < CODES - 1;
    return isSingle ? first : set;
  }

  #accept(character: string): boolean {
    if (this.text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }
}
