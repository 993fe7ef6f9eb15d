/**
 * The words of scripts: which ones have a meaning of their own, and one string for all places at
 * which a name stands.
 */

/** Stands in for a regular expression of words, of which acorn uses nothing else. */
export class Words {
  readonly all: ReadonlySet<string>;
  /**
   * By the first character of a word, one bit for each length that such words have: most names are
   * told apart by it.
   */
  readonly #lengths = new Uint32Array(128);

  /** `words`: of ASCII, each of fewer than 32 characters. */
  constructor(words: Iterable<string>) {
    this.all = new Set(words);
    for (const word of this.all) this.#lengths[word.charCodeAt(0)] |= 1 << word.length;
  }

  test(word: string): boolean {
    // Flags of a regular expression are often none.
    if (word.length === 0 || word.length >= 32) return false;
    const first = word.charCodeAt(0);
    return first < 128 && ((this.#lengths[first] >> word.length) & 1) === 1 && this.all.has(word);
  }
}

/**
 * Powers of two: of a large script most names have places of their own, and for a small one no long
 * list is made.
 */
const MANY = 4096;
const FEW = 64;
/** Characters from which on a script is large. */
const LARGE = 8192;

/**
 * Gives one string for all places of a name, so that its hash is made once and two of them are
 * compared by where they are. What it forgets when another name takes a place costs time alone.
 */
export class Names {
  readonly #kept: (string | undefined)[];

  /** `characters`: of the script. */
  constructor(characters: number) {
    this.#kept = new Array(characters < LARGE ? FEW : MANY).fill(undefined);
  }

  /** `hash`: of the characters of `text` from `from` up to `to`. */
  at(text: string, from: number, to: number, hash: number): string {
    const slot = hash & (this.#kept.length - 1);
    const kept = this.#kept[slot];
    if (kept !== undefined && kept.length === to - from && text.startsWith(kept, from)) return kept;
    const name = text.slice(from, to);
    this.#kept[slot] = name;
    return name;
  }
}
