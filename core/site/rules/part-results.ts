/**
 * The results of all conditions on one part of a request, as bits of rules. A value that recurs
 * costs one look-up, however many conditions there are.
 */
import type { Condition, RequestPart } from './conditions.ts';
import { RequestFacts } from './facts.ts';

/** A power of two. Each bucket has two slots. */
const BUCKETS = 8192;

/** Longer texts are not remembered. */
const MAX_LENGTH = 512;

/** Characters that are hashed of a longer text, about. */
const HASHED = 64;

/**
 * Remembers results by a text, in a table of fixed size: a text that hashes to a full bucket takes
 * the place of another one. A look-up allocates nothing.
 */
export class ResultTable<Result> {
  /** By slot. 0: the slot is empty. */
  readonly #owners = new Uint32Array(BUCKETS * 2);
  readonly #texts: string[] = new Array<string>(BUCKETS * 2).fill('');
  readonly #results: (Result | undefined)[] = new Array<Result | undefined>(BUCKETS * 2).fill(undefined);
  #bucket = 0;

  /** `text` counts up to `end`. `owner`: above 0; each has texts of its own. */
  find(owner: number, text: string, end: number): Result | undefined {
    if (end > MAX_LENGTH) return undefined;
    const slot = bucketOf(owner, text, end) * 2;
    this.#bucket = slot;
    if (this.#isAt(slot, owner, text, end)) return this.#results[slot];
    return this.#isAt(slot + 1, owner, text, end) ? this.#results[slot + 1] : undefined;
  }

  /** Of the text that `find` has just not found. */
  add(owner: number, text: string, end: number, result: Result): void {
    if (end > MAX_LENGTH) return;
    const slot = this.#bucket;
    this.#owners[slot + 1] = this.#owners[slot];
    this.#texts[slot + 1] = this.#texts[slot];
    this.#results[slot + 1] = this.#results[slot];
    this.#owners[slot] = owner;
    this.#texts[slot] = end === text.length ? text : text.slice(0, end);
    this.#results[slot] = result;
  }

  #isAt(slot: number, owner: number, text: string, end: number): boolean {
    if (this.#owners[slot] !== owner) return false;
    const own = this.#texts[slot];
    return end === text.length ? own === text : own.length === end && text.startsWith(own);
  }
}

/** FNV-1a over some of the characters, the last ones among them. */
function bucketOf(owner: number, text: string, end: number): number {
  let hash = owner | 0;
  const step = 1 + Math.floor(end / HASHED);
  for (let i = end - 1; i >= 0; i -= step) hash = Math.imul(hash ^ text.charCodeAt(i), 0x0100_0193);
  hash = Math.imul(hash ^ end ^ (hash >>> 15), 0x85eb_ca6b);
  return (hash ^ (hash >>> 13)) & (BUCKETS - 1);
}

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
