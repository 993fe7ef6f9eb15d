/**
 * A 64-bit hash of domain and URL, with which memory and disk find entries. Readers also compare
 * the URL. The seeds are random, so that an attacker cannot choose URLs that collide. Hashing takes
 * about 1 ns per character.
 */

/**
 * The seeds, and the last hash. A thread computes one hash at a time: read `a` and `b` directly
 * after `of`.
 */
export class KeyHash {
  a = 0;
  b = 0;
  readonly #seedA: number;
  readonly #seedB: number;
  /** The input of the last hash: memory and disk look up the same URL in turn. */
  #domainId = '';
  #key: string | null = null;

  constructor(seedA: number, seedB: number) {
    this.#seedA = seedA | 0;
    this.#seedB = seedB | 0;
  }

  /** Sets `a` (unsigned) and `b` (unsigned, never 0, which means empty in the tables). */
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

/** The final mix of MurmurHash3: each input bit flips half of the output bits. */
function mix(h: number): number {
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/**
 * Hash of the selecting fields. It distinguishes the variants of a URL without reading them; where
 * a collision matters, the fields are compared.
 */
export function hashSelecting(selecting: readonly string[]): number {
  let h = 0x811c9dc5;
  for (const text of selecting) {
    for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
    h = Math.imul(h ^ 0x0a, 0x01000193);
  }
  return mix(h);
}
