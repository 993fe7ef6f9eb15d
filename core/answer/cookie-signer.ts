/**
 * Signs cookies with one secret, and remembers what it has signed last: a resolver shows the same cookie with every query (RFC 7873 section 5.1), so that
 * most are looked up in 15 ns instead of hashed in 70. Allocates nothing.
 */
import { sipHash24 } from './siphash.ts';

/** 64 KB. */
const SLOTS = 1024;
const SLOT_WORDS = 16;
/** In a slot: how many blocks were signed, the hash, the message. */
const BLOCKS = 0;
const HASH = 1;
const MESSAGE = 3;

export class CookieSigner {
  readonly #key: Int32Array;
  readonly #slots = new Int32Array(SLOTS * SLOT_WORDS);

  /** `key`: as sipKey gives it. */
  constructor(key: Int32Array) {
    this.#key = key;
  }

  /** As sipHash24. `message`: five blocks at most. Hot. */
  sign(message: Int32Array, blocks: number, out: Int32Array): void {
    const slots = this.#slots;
    // A client cookie and an address that aim at the slot of another's cost that one the hash that it would have cost anyway.
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

/** Written out as far as a message goes over IPv4: a loop takes twice as long. */
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
