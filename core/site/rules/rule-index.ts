/**
 * Finds all rules that match a request without evaluating each rule. Each condition depends on one
 * part of the request, and each part gives a bit set of rules. Their conjunction is the result. Bit
 * sets are cached by the value of the part.
 */
import type { Condition, RequestPart } from './conditions.ts';
import type { RequestFacts } from './facts.ts';
import { PartResults, type RuleBits, type RuleTest } from './part-results.ts';

interface IndexedRule {
  readonly conditions: readonly Condition[];
  /** Empty: the rule has none. */
  readonly exceptions: readonly Condition[];
}

const BITS = 32;
/** Parts in order of evaluation: cheap parts first. Headers follow. */
const PARTS: readonly RequestPart[] = ['method', 'host', 'path', 'query', 'client', 'country'];
/** Buckets of headers by length of the name; a power of two. */
const LENGTHS = 32;

/** A header that rules read, with its value in the current request. */
interface HeaderState {
  readonly name: string;
  readonly results: PartResults;
  value: string | undefined;
  /** Header lines with this name in the current request. */
  lines: number;
}

export class RuleIndex {
  readonly #words: number;
  readonly #all: RuleBits;
  readonly #parts: readonly PartResults[];
  readonly #headers: readonly HeaderState[];
  readonly #byLength: readonly (readonly HeaderState[] | null)[];
  /** Rules with conditions on headers. */
  readonly #headerRules: RuleBits;
  /** The rules that no evaluated part has excluded. */
  readonly #left: RuleBits;

  constructor(rules: readonly IndexedRule[]) {
    const words = Math.ceil(rules.length / BITS);
    this.#words = words;
    this.#all = new Int32Array(words * 2);
    this.#left = new Int32Array(words * 2);
    this.#headerRules = new Int32Array(words);
    const tests = new Map<string, RuleTest[]>();
    rules.forEach(({ conditions, exceptions }, i) => {
      const word = Math.floor(i / BITS);
      const mask = 1 << (i % BITS);
      this.#all[word] |= mask;
      if (exceptions.length > 0) this.#all[words + word] |= mask;
      const addTest = (condition: Condition, side: number): void => {
        if (condition.part === 'header') this.#headerRules[word] |= mask;
        const key = `${condition.part} ${condition.header}`;
        const test = { word: side + word, mask, condition };
        const others = tests.get(key);
        if (others === undefined) tests.set(key, [test]);
        else others.push(test);
      };
      for (const condition of conditions) addTest(condition, 0);
      for (const condition of exceptions) addTest(condition, words);
    });
    const results = [...tests.values()].map((list) => new PartResults(this.#all, list));
    this.#parts = PARTS.flatMap((part) => results.filter((candidate) => candidate.part === part));
    this.#headers = results
      .filter(({ part }) => part === 'header')
      .map((candidate) => ({ name: candidate.header, results: candidate, value: undefined, lines: 0 }));
    this.#byLength = Array.from({ length: LENGTHS }, (_, length) => {
      const list = this.#headers.filter(({ name }) => (name.length & (LENGTHS - 1)) === length);
      return list.length === 0 ? null : list;
    });
  }

  /** Bits of the rules that match, valid until the next call. */
  find(facts: RequestFacts): RuleBits {
    const words = this.#words;
    const left = this.#left;
    if (words === 1) {
      left[0] = this.#findInWord(facts);
      return left;
    }
    const all = this.#all;
    for (let i = 0; i < left.length; i++) left[i] = all[i];
    const parts = this.#parts;
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i];
      if (!this.#narrow(part.of(readPart(part.part, facts), facts))) return left;
    }
    if (this.#needsHeaders()) {
      this.#readHeaders(facts.headers);
      const headers = this.#headers;
      for (let i = 0; i < headers.length; i++) if (!this.#narrow(resultOf(headers[i], facts))) return left;
    }
    for (let i = 0; i < words; i++) left[i] &= ~left[words + i];
    return left;
  }

  /** `find` for up to 32 rules, the common case. */
  #findInWord(facts: RequestFacts): number {
    const parts = this.#parts;
    let matches = this.#all[0];
    let exceptions = this.#all[1];
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i];
      const bits = part.of(readPart(part.part, facts), facts);
      matches &= bits[0];
      exceptions &= bits[1];
      if (matches === 0) return 0;
    }
    if ((matches & this.#headerRules[0]) !== 0) {
      this.#readHeaders(facts.headers);
      const headers = this.#headers;
      for (let i = 0; i < headers.length; i++) {
        const bits = resultOf(headers[i], facts);
        matches &= bits[0];
        exceptions &= bits[1];
      }
    }
    return matches & ~exceptions;
  }

  /** Removes rules without a bit. False: no rule is left. */
  #narrow(bits: RuleBits): boolean {
    const left = this.#left;
    const words = this.#words;
    let any = 0;
    for (let i = 0; i < words; i++) {
      left[i] &= bits[i];
      left[words + i] &= bits[words + i];
      any |= left[i];
    }
    return any !== 0;
  }

  #needsHeaders(): boolean {
    for (let i = 0; i < this.#words; i++) if ((this.#left[i] & this.#headerRules[i]) !== 0) return true;
    return false;
  }

  #readHeaders(fields: RequestFacts['headers']): void {
    const headers = this.#headers;
    for (let i = 0; i < headers.length; i++) {
      headers[i].value = undefined;
      headers[i].lines = 0;
    }
    const byLength = this.#byLength;
    for (let i = 0; i < fields.length; i += 2) {
      const name = fields[i];
      const list = byLength[name.length & (LENGTHS - 1)];
      if (list === null) continue;
      for (let k = 0; k < list.length; k++) {
        const header = list[k];
        if (header.name !== name) continue;
        header.value = fields[i + 1];
        header.lines++;
      }
    }
  }
}

/** Results of repeated headers are not cached. */
const resultOf = ({ results, value, lines }: HeaderState, facts: RequestFacts): RuleBits =>
  lines > 1 ? results.evaluate(facts) : results.of(value, facts);

/** Undefined: the request has no such part. */
function readPart(part: RequestPart, facts: RequestFacts): string | undefined {
  switch (part) {
    case 'method':
      return facts.method;
    case 'host':
      return facts.host;
    case 'client':
      return facts.address;
    case 'country':
      return facts.country;
    case 'query':
      return facts.target.indexOf('?') < 0 ? undefined : facts.target;
    default:
      return facts.target;
  }
}

/** The index of the first matching rule from `from` on; -1: there is none. */
export function nextBit(bits: RuleBits, from: number): number {
  const words = bits.length >>> 1;
  for (let word = from >>> 5; word < words; word++) {
    const rest = word === from >>> 5 ? bits[word] & (-1 << (from & (BITS - 1))) : bits[word];
    if (rest !== 0) return word * BITS + 31 - Math.clz32(rest & -rest);
  }
  return -1;
}
