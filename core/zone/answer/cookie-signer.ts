/**
 * Signs cookies with one secret and caches recent signatures. A resolver sends the same cookie with
 * every query (RFC 7873 section 5.1), so most signatures are looked up in 15 ns instead of hashed
 * in 70 ns. Allocates nothing.
 */
import { sipHash24 } from './siphash.ts';

/** The cache has 64 KB. */
const SLOTS = 1024;
const SLOT_WORDS = 16;
/** Offsets in a slot: the number of signed blocks, the hash, the message. */
const BLOCKS = 0;
const HASH = 1;
const MESSAGE = 3;

export class CookieSigner {
  readonly #key: Int32Array;
  readonly #slots = new Int32Array(SLOTS * SLOT_WORDS);

  /** `key`: the result of sipKey. */
  constructor(key: Int32Array) {
    this.#key = key;
  }

  /** Like sipHash24, but `message` has at most five blocks. Hot. */
  sign(message: Int32Array, blocks: number, out: Int32Array): void {
    const slots = this.#slots;
    // A collision costs no more than a miss: the message is hashed.
    const mixed = Math.imul(message[0] ^ message[1] ^ message[4] ^ message[7], 0x9e3779b1);
    const slot = (mixed >>> 22) * SLOT_WORDS;
    if (slots[slot + BLOCKS] === blocks && isSame(slots, slot + MESSAGE, message, blocks * 2)) {
      out[0] = slots[slot + HASH];
      out[1] = slots[slot + HASH + 1];
      return;
    }
    sipHash24(message, blocks, this.#key, out);
    slots[slot + BLOCKS] = blocks;
    slots[slot + HASH] = out[0];
    slots[slot + HASH + 1] = out[1];
    for (let i = 0; i < blocks * 2; i++) slots[slot + MESSAGE + i] = message[i];
  }
}

/**
 * The words of a message with an IPv4 address are compared without a loop: a loop takes twice as
 * long.
 */
function isSame(slots: Int32Array, at: number, message: Int32Array, words: number): boolean {
  const differ =
    (slots[at] ^ message[0]) |
    (slots[at + 1] ^ message[1]) |
    (slots[at + 2] ^ message[2]) |
    (slots[at + 3] ^ message[3]) |
    (slots[at + 4] ^ message[4]) |
    (slots[at + 5] ^ message[5]);
  if (differ !== 0) return false;
  for (let i = 6; i < words; i++) if (slots[at + i] !== message[i]) return false;
  return true;
}
