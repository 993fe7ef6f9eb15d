/**
 * Remembers results by a text, in a table of fixed size: a text that hashes to a full bucket takes
 * the place of another one. A look-up allocates nothing.
 */

/** A power of two. Each bucket has two slots. */
const BUCKETS = 8192;
/** Longer texts are not remembered. */
const MAX_LENGTH = 512;
/** Characters that are hashed of a longer text, about. */
const HASHED = 64;

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
