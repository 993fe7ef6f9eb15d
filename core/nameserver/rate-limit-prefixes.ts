/** Client addresses as 32-bit words, and a list of prefixes that they are looked up in. */

import type { Client } from '../address/client.ts';
import { parsePrefix, unmapped } from '../address/index.ts';

/** Words of the longest address. */
export const ADDRESS_WORDS = 4;

export function word(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
}

/** The part of a mask of `bits` bits that falls into word `index` of an address. */
export function maskWord(bits: number, index: number): number {
  const inside = Math.min(32, Math.max(0, bits - index * 32));
  return inside === 0 ? 0 : -1 << (32 - inside);
}

export class PrefixList {
  /** Of each prefix: bytes of an address (4 or 16), then its words, then those of its mask. */
  readonly #entries: Int32Array;

  /** Prefixes as parsePrefix takes them, or true for every address. Throws InvalidError `invalid_prefix`. */
  constructor(prefixes: readonly string[] | boolean) {
    const texts = typeof prefixes === 'boolean' ? (prefixes ? ['0.0.0.0/0', '::/0'] : []) : prefixes;
    this.#entries = Int32Array.from(
      texts.flatMap((text) => {
        const { bytes, bits } = unmapped(parsePrefix(text));
        const padded = new Uint8Array(ADDRESS_WORDS * 4);
        padded.set(bytes);
        const words = Array.from({ length: ADDRESS_WORDS }, (_, i) => word(padded, i * 4));
        return [bytes.length, ...words, ...words.map((_, i) => maskWord(bits, i))];
      }),
    );
  }

  /** Hot. */
  holds(client: Client): boolean {
    const entries = this.#entries;
    const words = client.length / 4;
    for (let at = 0; at < entries.length; at += ENTRY) {
      if (entries[at] !== client.length) continue;
      let i = 0;
      while (
        i < words &&
        ((word(client.address, i * 4) ^ entries[at + 1 + i]) & entries[at + 1 + ADDRESS_WORDS + i]) === 0
      )
        i++;
      if (i === words) return true;
    }
    return false;
  }
}

const ENTRY = 1 + 2 * ADDRESS_WORDS;
