/** The Huffman code of strings (RFC 7541 section 5.2 and appendix B), and its decoder. */
import { BYTE_CLASS } from '../../exchange/fields.ts';

export const EOS = 256;

/**
 * The Huffman code (RFC 7541 appendix B). It is canonical, so the lengths define the codes. Bits of
 * the code of each byte, and of EOS.
 */
// biome-ignore format: 16 a line
export const CODE_LENGTHS = Uint8Array.of(
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
  28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
  5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
  7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
  15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
  6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
  20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
  24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
  22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
  21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
  26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
  19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
  20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
  26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
  30,
);

/**
 * The codes, right-aligned. In order of length and symbol, each code is the previous one plus one.
 */
export const CODES = canonicalCodes();

/**
 * A step: first byte in bits 0–7, second 8–15, next state 16–23, how many bytes 24–25, classes of
 * characters 26–27, failure 28.
 */
const CLASS_SHIFT = 26;
const CLASS_MASK = 3; // NOT_IN_NAME and NOT_IN_VALUE
const FAILURE = 1 << 28;

/** Failures of decoding. */
export const HUFFMAN_EOS = -1;
export const HUFFMAN_PADDING = -2;

/** Left and right child of each inner node: an inner node, or the complement of a symbol. */
const CHILDREN = tree();
const STEPS = steps();
/**
 * States in which a string may end: nothing pending, or up to seven bits of EOS (RFC 7541 section
 * 5.2).
 */
const IS_FINAL = finals();

function tree(): Int16Array {
  const children = new Int16Array(512);
  let nodes = 1;
  for (let symbol = 0; symbol <= EOS; symbol++) {
    let node = 0;
    for (let bit = CODE_LENGTHS[symbol] - 1; bit > 0; bit--) {
      const slot = node * 2 + ((CODES[symbol] >>> bit) & 1);
      if (children[slot] === 0) children[slot] = nodes++;
      node = children[slot];
    }
    children[node * 2 + (CODES[symbol] & 1)] = ~symbol;
  }
  return children;
}

function steps(): Int32Array {
  const table = new Int32Array(256 * 256);
  for (let state = 0; state < 256; state++)
    for (let byte = 0; byte < 256; byte++) table[(state << 8) | byte] = step(state, byte);
  return table;
}

function step(state: number, byte: number): number {
  let node = state;
  let emitted = 0;
  let entry = 0;
  for (let bit = 7; bit >= 0; bit--) {
    node = CHILDREN[node * 2 + ((byte >>> bit) & 1)];
    if (node >= 0) continue;
    const symbol = ~node;
    if (symbol === EOS) return FAILURE;
    entry |= (symbol << (8 * emitted)) | ((BYTE_CLASS[symbol] & CLASS_MASK) << CLASS_SHIFT);
    emitted++;
    node = 0;
  }
  return entry | (node << 16) | (emitted << 24);
}

function finals(): Uint8Array {
  const final = new Uint8Array(256);
  for (let node = 0, depth = 0; depth < 8; depth++, node = CHILDREN[node * 2 + 1]) final[node] = 1;
  return final;
}

/** Bytes that the decoder may write beyond the text. */
export const DECODER_SPARE = 2;

/** Maximum bytes written for `length` bytes of code. The shortest code has five bits. */
export const decodedBound = (length: number): number => Math.floor((length * 8) / 5) + DECODER_SPARE;

/**
 * Decodes eight bits at a time, by a state machine. Its 256 states are the inner nodes of the
 * code's tree. A step emits up to two bytes, since the shortest code has five bits. A step also
 * returns the character classes of these bytes, so validation costs nothing extra. Decodes
 * bytes[start, end) to the start of `out`, which must have room for the text and DECODER_SPARE.
 * Returns the length times four plus the character classes, or a failure below zero.
 */
export function decodeHuffman(bytes: Uint8Array, start: number, end: number, out: Uint8Array): number {
  let state = 0;
  let length = 0;
  let seen = 0;
  for (let i = start; i < end; i++) {
    const taken = STEPS[(state << 8) | bytes[i]];
    seen |= taken;
    out[length] = taken;
    out[length + 1] = taken >>> 8;
    length += (taken >>> 24) & 3;
    state = (taken >>> 16) & 0xff;
  }
  return result(seen, state, length);
}

/** As `decodeHuffman`, but does not write the text. */
export function skipHuffman(bytes: Uint8Array, start: number, end: number): number {
  let state = 0;
  let length = 0;
  let seen = 0;
  for (let i = start; i < end; i++) {
    const taken = STEPS[(state << 8) | bytes[i]];
    seen |= taken;
    length += (taken >>> 24) & 3;
    state = (taken >>> 16) & 0xff;
  }
  return result(seen, state, length);
}

function result(seen: number, state: number, length: number): number {
  if ((seen & FAILURE) !== 0) return HUFFMAN_EOS;
  if (IS_FINAL[state] === 0) return HUFFMAN_PADDING;
  return length * 4 + ((seen >>> CLASS_SHIFT) & CLASS_MASK);
}

function canonicalCodes(): Uint32Array {
  const codes = new Uint32Array(CODE_LENGTHS.length);
  let code = 0;
  for (let length = 1; length <= 30; length++) {
    code *= 2;
    for (let symbol = 0; symbol < codes.length; symbol++) if (CODE_LENGTHS[symbol] === length) codes[symbol] = code++;
  }
  return codes;
}
