/** Sets of characters: the codes 0 to 255, and one member for all others. */

/** The member that stands for each code above 255. */
export const OTHER = 256;
export const CODES = 257;

export type CharSet = Uint8Array;

export const emptySet = (): CharSet => new Uint8Array(CODES);

export function addRange(set: CharSet, from: number, to: number): void {
  for (let code = from; code <= to; code++) set[code] = 1;
}

export function setOf(...ranges: readonly (readonly [number, number])[]): CharSet {
  const set = emptySet();
  for (const [from, to] of ranges) addRange(set, from, to);
  return set;
}

export const complement = (set: CharSet): CharSet => set.map((member) => 1 - member);

export function addSet(set: CharSet, added: CharSet): void {
  for (let code = 0; code < CODES; code++) set[code] |= added[code];
}

/** Adds the other case of each ASCII letter. */
export function withoutCase(set: CharSet): CharSet {
  const both = set.slice();
  for (let code = 0x41; code <= 0x5a; code++) {
    both[code] |= set[code | 0x20];
    both[code | 0x20] |= set[code];
  }
  return both;
}

export const DIGITS = setOf([0x30, 0x39]);
export const WORD = setOf([0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]);
/** `\s`: RE2 excludes the vertical tab. */
export const BLANKS = setOf([0x09, 0x0a], [0x0c, 0x0d], [0x20, 0x20]);
export const EVERYTHING = setOf([0, OTHER]);
export const NO_NEWLINE = complement(setOf([0x0a, 0x0a]));
