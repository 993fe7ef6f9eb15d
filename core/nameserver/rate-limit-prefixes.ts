/** Client addresses as 32-bit words, and a list of prefixes to match them with. */

import type { Client } from '../net/address/client.ts';
import { parsePrefix, unmapped } from '../net/address/index.ts';

/** Words of an IPv6 address, the longest. */
const ADDRESS_WORDS = 4;

export function word(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
}

/** The word at `index` of a network mask with `bits` bits. */
export function maskWord(bits: number, index: number): number {
  const inside = Math.min(32, Math.max(0, bits - index * 32));
  return inside === 0 ? 0 : -1 << (32 - inside);
}

export class PrefixList {
  /**
   * For each prefix: the length of the address (4 or 16 bytes), the words of the address, and the
   * words of the mask.
   */
  readonly #entries: Int32Array;

  /**
   * `prefixes`: in the syntax of parsePrefix, or true for all addresses. Throws InvalidError
   * `invalid_prefix`.
   */
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
  includes(client: Client): boolean {
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
