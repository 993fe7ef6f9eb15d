/**
 * Writes integers and strings of a header block (RFC 7541 section 5). Each function returns the
 * offset of the next byte.
 */
import { CODE_LENGTHS, CODES } from './huffman.ts';
import { INDEX } from './indexing.ts';

/**
 * Replaces characters above 0xff. Truncating such a character to a byte could make it a control
 * character.
 */
const REPLACEMENT = 0x3f;

/** RFC 7541 section 5.1. `flags`: the bits of the first byte above those of `mask`. */
export function writeInteger(target: Uint8Array, at: number, flags: number, mask: number, value: number): number {
  if (value < mask) {
    target[at] = flags | value;
    return at + 1;
  }
  target[at++] = flags | mask;
  let rest = value - mask;
  for (; rest >= 0x80; rest >>>= 7) target[at++] = 0x80 | (rest & 0x7f);
  target[at++] = rest;
  return at;
}

/** RFC 7541 section 5.2. Uses the Huffman code if that is shorter. */
export function writeString(target: Uint8Array, at: number, text: string): number {
  let bits = 0;
  for (let i = 0; i < text.length; i++) bits += CODE_LENGTHS[byteAt(text, i)];
  const length = (bits + 7) >>> 3;
  if (length < text.length) return writeHuffman(target, writeInteger(target, at, 0x80, 0x7f, length), text);
  return writeRaw(target, at, text);
}

/** As `writeString`, but without Huffman code. */
export function writeRaw(target: Uint8Array, at: number, text: string): number {
  const start = writeInteger(target, at, 0, 0x7f, text.length);
  for (let i = 0; i < text.length; i++) target[start + i] = byteAt(text, i);
  return start + text.length;
}

function byteAt(text: string, i: number): number {
  const code = text.charCodeAt(i);
  return code < 256 ? code : REPLACEMENT;
}

/**
 * The longest code has 30 bits, and up to 7 bits are pending. Codes are split in two, so 32 bits
 * are enough for the pending bits.
 */
function writeHuffman(target: Uint8Array, start: number, text: string): number {
  let at = start;
  let pending = 0; // the last `count` bits are still to be written
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const byte = byteAt(text, i);
    const code = CODES[byte];
    let length = CODE_LENGTHS[byte];
    if (length > 16) {
      length -= 16;
      pending = (pending << 16) | (code >>> length);
      count += 16;
      for (; count >= 8; count -= 8) target[at++] = pending >>> (count - 8);
    }
    pending = (pending << length) | (code & ((1 << length) - 1));
    count += length;
    for (; count >= 8; count -= 8) target[at++] = pending >>> (count - 8);
  }
  if (count > 0) target[at++] = (pending << (8 - count)) | (0xff >>> count);
  return at;
}

/**
 * A literal field line (RFC 7541 section 6.2). `mode`: indexing.ts; `nameIndex` 0: the name is
 * written out.
 */
export function writeLiteral(
  target: Uint8Array,
  at: number,
  mode: number,
  nameIndex: number,
  name: string,
  value: string,
): number {
  return writeString(target, writeName(target, at, mode, nameIndex, name), value);
}

/** Writes the part of a literal field line before its value. */
export function writeName(target: Uint8Array, at: number, mode: number, nameIndex: number, name: string): number {
  const next = writeInteger(target, at, mode, mode === INDEX ? 0x3f : 0x0f, nameIndex);
  return nameIndex === 0 ? writeString(target, next, name) : next;
}

/**
 * Maximum bytes of a field line: three integers of five bytes (index, two lengths) and both texts.
 */
export const lineBound = (name: string, value: string): number => 16 + name.length + value.length;
