/**
 * The results of all conditions on one part of a request, as bits of rules. A value that recurs
 * costs one look-up, however many conditions there are.
 */
import type { Condition, RequestPart } from './conditions.ts';
import { RequestFacts } from './facts.ts';
import { ResultTable } from './result-table.ts';

/** Bits of rules, 32 in each word: first those of `match`, then as many words for `except`. */
export type RuleBits = Int32Array;

/** A condition clears this bit if it does not hold. */
export interface RuleTest {
  readonly word: number;
  readonly mask: number;
  readonly condition: Condition;
}

/** Different results that are shared among values. */
const MAX_SHARED = 32;
/** Values of visitors that are not kept in memory. */
const SECRET: ReadonlySet<string> = new Set(['cookie', 'authorization', 'proxy-authorization']);

/** Of all rules of the thread; made when a request first needs it. */
let table: ResultTable<RuleBits> | null = null;
let owners = 0;

const BLANK = new RequestFacts(() => '');

export class PartResults {
  readonly part: RequestPart;
  /** The name of the header; empty: another part. */
  readonly header: string;
  /** Bits of rules whose result does not depend on this part. */
  readonly #others: RuleBits;
  readonly #tests: readonly RuleTest[];
  readonly #shared: RuleBits[] = [];
  /** Of the evaluation that runs. */
  readonly #bits: RuleBits;
  /** In the table. 0: values are not remembered. */
  readonly #owner: number;
  readonly #absent: RuleBits;
  #lastValue: string | undefined;
  #lastBits: RuleBits;

  /** `others`: all bits that tests may clear, and those of other parts. */
  constructor(others: RuleBits, tests: readonly RuleTest[]) {
    const { part, header } = tests[0].condition;
    this.part = part;
    this.header = header;
    this.#others = others;
    this.#bits = others.slice();
    this.#tests = tests;
    this.#owner = SECRET.has(header) ? 0 : ++owners;
    this.#absent = this.evaluate(BLANK);
    this.#lastBits = this.#absent;
  }

  /** Of a request whose part has this value. Undefined: it is not there. */
  of(value: string | undefined, facts: RequestFacts): RuleBits {
    if (value !== this.#lastValue) this.#lastBits = value === undefined ? this.#absent : this.#find(value, facts);
    // Also if they are equal: one object is compared faster than two with the same characters.
    this.#lastValue = value;
    return this.#lastBits;
  }

  evaluate(facts: RequestFacts): RuleBits {
    const bits = this.#bits;
    const tests = this.#tests;
    const others = this.#others;
    for (let i = 0; i < bits.length; i++) bits[i] = others[i];
    for (let i = 0; i < tests.length; i++) {
      const { word, mask, condition } = tests[i];
      if ((bits[word] & mask) !== 0 && !condition.holds(facts)) bits[word] &= ~mask;
    }
    const shared = this.#shared;
    for (let i = 0; i < shared.length; i++) if (isSame(shared[i], bits)) return shared[i];
    const copy = bits.slice();
    if (shared.length < MAX_SHARED) shared.push(copy);
    return copy;
  }

  #find(value: string, facts: RequestFacts): RuleBits {
    if (this.#owner === 0) return this.evaluate(facts);
    const query = this.part === 'path' ? value.indexOf('?') : -1;
    const end = query < 0 ? value.length : query;
    table ??= new ResultTable();
    const found = table.find(this.#owner, value, end);
    if (found !== undefined) return found;
    const bits = this.evaluate(facts);
    table.add(this.#owner, value, end, bits);
    return bits;
  }
}

function isSame(bits: RuleBits, other: RuleBits): boolean {
  for (let i = 0; i < bits.length; i++) if (bits[i] !== other[i]) return false;
  return true;
}
