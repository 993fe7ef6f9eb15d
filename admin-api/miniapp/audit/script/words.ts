/**
 * Words of scripts: lookup of keywords, and interning of names.
 */

/** Replaces acorn's regular expressions for words. acorn only calls `test`. */
export class Words {
  readonly all: ReadonlySet<string>;
  /**
   * By first character, one bit for each length of a word. This rejects most names without a lookup
   * in the set.
   */
  readonly #lengths = new Uint32Array(128);

  /** `words`: each in ASCII, with fewer than 32 characters. */
  constructor(words: Iterable<string>) {
    this.all = new Set(words);
    for (const word of this.all) this.#lengths[word.charCodeAt(0)] |= 1 << word.length;
  }

  test(word: string): boolean {
    // The parser also reads flags of regular expressions as words, and flags are often empty.
    if (word.length === 0 || word.length >= 32) return false;
    const first = word.charCodeAt(0);
    return first < 128 && ((this.#lengths[first] >> word.length) & 1) === 1 && this.all.has(word);
  }
}

/**
 * Slots for interned names in large and small scripts. Must be powers of two.
 */
const SLOTS_LARGE = 4096;
const SLOTS_SMALL = 64;
/** Minimum characters of a large script. */
const LARGE_SCRIPT = 8192;

/**
 * Interns names: all uses of a name share one string, so V8 hashes it once and compares by
 * reference. A collision replaces the slot's name, which only costs time.
 */
export class Names {
  readonly #kept: (string | undefined)[];

  /** `characters`: the length of the script. */
  constructor(characters: number) {
    this.#kept = new Array(characters < LARGE_SCRIPT ? SLOTS_SMALL : SLOTS_LARGE).fill(undefined);
  }

  /** `hash`: the hash of `text` from `from` up to `to`. */
  at(text: string, from: number, to: number, hash: number): string {
    const slot = hash & (this.#kept.length - 1);
    const kept = this.#kept[slot];
    if (kept !== undefined && kept.length === to - from && text.startsWith(kept, from)) return kept;
    const name = text.slice(from, to);
    this.#kept[slot] = name;
    return name;
  }
}
