/**
 * A URL of a domain as 64 bits, by which memory and disk find it; what is found is compared with the URL itself. Seeded for each process, so that nobody can aim
 * URLs at one place of the tables. About 1 ns a character.
 */

/** Seeds, and the two halves of the last hash. One thread, one hash at a time: `hashKey`, then `a` and `b` are read at once. */
export class KeyHash {
  a = 0;
  b = 0;
  readonly #seedA: number;
  readonly #seedB: number;
  /** What `a` and `b` are of: memory and disk are asked for the same URL, one after the other. */
  #domainId = '';
  #key: string | null = null;

  constructor(seedA: number, seedB: number) {
    this.#seedA = seedA | 0;
    this.#seedB = seedB | 0;
  }

  /** Sets `a` (unsigned) and `b` (unsigned, never 0: the tables' sign for empty). */
  of(domainId: string, key: string): this {
    if (key === this.#key && domainId === this.#domainId) return this;
    this.#domainId = domainId;
    this.#key = key;
    let a = this.#seedA;
    let b = this.#seedB;
    for (let i = 0; i < domainId.length; i++) {
      const c = domainId.charCodeAt(i);
      a = Math.imul(a ^ c, 0x9e3779b1);
      b = Math.imul(b + c, 0x85ebca6b) ^ (b >>> 13);
    }
    for (let i = 0; i < key.length; i++) {
      const c = key.charCodeAt(i);
      a = Math.imul(a ^ c, 0x9e3779b1) ^ (a >>> 15);
      b = Math.imul(b + c, 0x85ebca6b) ^ (b >>> 13);
    }
    this.a = mix(a ^ key.length);
    this.b = mix(b + key.length) || 1;
    return this;
  }
}

/** The end of MurmurHash3: each bit of what goes in moves half of those that come out. */
function mix(h: number): number {
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Of what Vary selected, to tell the variants of a URL apart without reading them: a short list, compared where it matters. */
export function hashSelecting(selecting: readonly string[]): number {
  let h = 0x811c9dc5;
  for (const text of selecting) {
    for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
    h = Math.imul(h ^ 0x0a, 0x01000193);
  }
  return mix(h);
}
