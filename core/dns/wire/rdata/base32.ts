/** Base32 with the extended hex alphabet (RFC 4648 section 7), without padding, as in RFC 5155. */

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUV';
const BITS = 5;

/** In any case; undefined when the text is none, or is not the only text of its bytes. */
export function parseBase32(text: string): Uint8Array | undefined {
  if (!/^[0-9a-v]*$/i.test(text)) return undefined;
  const bytes = new Uint8Array(Math.floor((text.length * BITS) / 8));
  let value = 0;
  let bits = 0;
  let length = 0;
  for (const c of text.toUpperCase()) {
    value = ((value << BITS) | ALPHABET.indexOf(c)) & 0xfff;
    bits += BITS;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = value >> bits;
  }
  return bits < BITS && (value & ((1 << bits) - 1)) === 0 ? bytes : undefined;
}

export function formatBase32(bytes: Uint8Array): string {
  let text = '';
  let value = 0;
  let bits = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    for (bits += 8; bits >= BITS; ) {
      bits -= BITS;
      text += ALPHABET[(value >> bits) & 31];
    }
  }
  return bits > 0 ? text + ALPHABET[(value << (BITS - bits)) & 31] : text;
}
