/**
 * Evaluates all conditions on one part of a request to a bit set of rules. Results are cached by
 * value: a repeated value costs one look-up, however many conditions there are.
 */
import type { Condition, RequestPart } from './conditions.ts';
import { RequestFacts } from './facts.ts';

/** A power of two. Each bucket has two slots. */
const BUCKETS = 8192;

/** Maximum length of a cached text in characters. */
const MAX_LENGTH = 512;

/** Approximate number of hashed characters of a longer text. */
const HASHED = 64;

/**
 * A cache of results by text, with a fixed size. A text that hashes to a full bucket evicts the
 * older entry. A look-up allocates nothing.
 */
export class ResultTable<Result> {
  /** The owner of each slot. 0: the slot is empty. */
  readonly #owners = new Uint32Array(BUCKETS * 2);
  readonly #texts: string[] = new Array<string>(BUCKETS * 2).fill('');
  readonly #results: (Result | undefined)[] = new Array<Result | undefined>(BUCKETS * 2).fill(undefined);
  #bucket = 0;

  /** `text` is read up to `end`. `owner`: above 0; owners do not share entries. */
  find(owner: number, text: string, end: number): Result | undefined {
    if (end > MAX_LENGTH) return undefined;
    const slot = bucketOf(owner, text, end) * 2;
    this.#bucket = slot;
    if (this.#isAt(slot, owner, text, end)) return this.#results[slot];
    return this.#isAt(slot + 1, owner, text, end) ? this.#results[slot + 1] : undefined;
  }

  /** Must follow a `find` of the same text that returned undefined. */
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

/** FNV-1a over a sample of the characters, always with the last one. */
function bucketOf(owner: number, text: string, end: number): number {
  let hash = owner | 0;
  const step = 1 + Math.floor(end / HASHED);
  for (let i = end - 1; i >= 0; i -= step) hash = Math.imul(hash ^ text.charCodeAt(i), 0x0100_0193);
  hash = Math.imul(hash ^ end ^ (hash >>> 15), 0x85eb_ca6b);
  return (hash ^ (hash >>> 13)) & (BUCKETS - 1);
}

/** A bit for each rule, 32 in a word: first the words of `match`, then as many for `except`. */
export type RuleBits = Int32Array;

/** The bit that a condition clears if it does not hold. */
export interface RuleTest {
  readonly word: number;
  readonly mask: number;
  readonly condition: Condition;
}

/** Maximum number of distinct results that values share. */
const MAX_SHARED = 32;
/** Headers whose values must not be cached, since they are secrets. */
const SECRET: ReadonlySet<string> = new Set(['cookie', 'authorization', 'proxy-authorization']);

/** Shared by all rules of the thread. Null: not allocated yet. */
let table: ResultTable<RuleBits> | null = null;
let owners = 0;

const BLANK = new RequestFacts(() => '');

export class PartResults {
  readonly part: RequestPart;
  /** The name of the header; empty if `part` is not `header`. */
  readonly header: string;
  readonly #shared: RuleBits[] = [];
  /** Scratch space of `evaluate`. */
  readonly #bits: RuleBits;
  /** The owner of this part in the table. 0: values are not cached. */
  readonly #owner: number;
  readonly #absent: RuleBits;
  #lastValue: string | undefined;
  #lastBits: RuleBits;

  /** `others`: all bits that tests may clear, and those of other parts. */
  constructor(
    /** Bits that the conditions on this part do not clear. */
    private readonly others: RuleBits,
    private readonly tests: readonly RuleTest[],
  ) {
    const { part, header } = tests[0].condition;
    this.part = part;
    this.header = header;
    this.#bits = others.slice();
    this.#owner = SECRET.has(header) ? 0 : ++owners;
    this.#absent = this.evaluate(BLANK);
    this.#lastBits = this.#absent;
  }

  /**
   * The result for a request whose part has this value. Undefined: the request has no such part.
   */
  of(value: string | undefined, facts: RequestFacts): RuleBits {
    if (value !== this.#lastValue) this.#lastBits = value === undefined ? this.#absent : this.#find(value, facts);
    // Stored even if the texts are equal: comparing the same object is faster than comparing
    // characters.
    this.#lastValue = value;
    return this.#lastBits;
  }

  evaluate(facts: RequestFacts): RuleBits {
    const bits = this.#bits;
    const tests = this.tests;
    const others = this.others;
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
