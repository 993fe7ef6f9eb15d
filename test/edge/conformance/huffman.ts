/**
 * The Huffman code of RFC 7541 appendix B, of what responses are made of: NUL and visible ASCII. As
 * strings of bits.
 */

/**
 * By length: the code is canonical, so within a length the symbols follow each other, and so do the
 * lengths.
 */
const BY_LENGTH: Readonly<Record<number, string>> = {
  5: '012aceiost',
  6: ' %-./3456789=A_bdfghlmnpru',
  7: ':BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz',
  8: '&*,;XZ',
  10: '!"()?',
  11: "'+|",
  12: '#>',
  13: '\0$@[]~',
  14: '^}',
  15: '<`{',
};

const CODES = new Map<string, string>();
const SYMBOLS = new Map<string, string>();
let next = 0;
for (let length = 5; length <= 15; length++) {
  for (const symbol of BY_LENGTH[length] ?? '') {
    const code = next.toString(2).padStart(length, '0');
    CODES.set(symbol, code);
    SYMBOLS.set(code, symbol);
    next++;
  }
  next *= 2;
}

const pack = (bits: string): Buffer => Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));

/** The code of the end of the string, which is never to be sent (section 5.2). */
export const EOS = '1'.repeat(30);

/**
 * With `tail` after the text's own bits, and ones up to the next whole byte. Throws an Error for
 * what is not in the table.
 */
export function encodeHuffman(text: string, tail = ''): Buffer {
  const bits = [...text].map((symbol) => {
    const code = CODES.get(symbol);
    if (code === undefined) throw new Error(`The tests' code has no ${JSON.stringify(symbol)}.`);
    return code;
  });
  const whole = bits.join('') + tail;
  return pack(whole.padEnd(Math.ceil(whole.length / 8) * 8, '1'));
}

/** Throws an Error for a code that is not in the table, and for padding that is none. */
export function decodeHuffman(bytes: Uint8Array): string {
  let text = '';
  let code = '';
  for (const byte of bytes) {
    for (const bit of byte.toString(2).padStart(8, '0')) {
      code += bit;
      const symbol = SYMBOLS.get(code);
      if (symbol === undefined) continue;
      text += symbol;
      code = '';
    }
  }
  if (code.length > 7 || code.includes('0')) throw new Error(`Padding, or a code that no response has: ${code}`);
  return text;
}
