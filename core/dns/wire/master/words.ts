/** The words between owner and rdata: types and the class, recognised from bytes. */
import { MNEMONICS, parseType } from '../mnemonics.ts';

/** What typeOf gives for class IN. */
export const CLASS_MARK = -1;
/** What typeOf gives for a word that is neither a type nor class IN. */
export const UNKNOWN_WORD = -2;

/** Six letters at five bits each fit the 31 bits of a small integer. */
const PACKED_LETTERS = 6;

/** Letters in any case to one number; 0 when there are others than letters, or too many. */
function pack(bytes: Uint8Array, start: number, end: number): number {
  if (end - start > PACKED_LETTERS) return 0;
  let packed = 0;
  for (let i = start; i < end; i++) {
    const c = bytes[i] | 0x20;
    if (c < 0x61 || c > 0x7a) return 0;
    packed = (packed << 5) | (c & 31);
  }
  return packed;
}

const packWord = (word: string) => pack(Buffer.from(word, 'latin1'), 0, word.length);

const PACKED: ReadonlyMap<number, number> = new Map([
  ...[...MNEMONICS].map(([type, name]) => [packWord(name), type] as const).filter(([packed]) => packed !== 0),
  [packWord('IN'), CLASS_MARK],
]);
const PACKED_IN = packWord('IN');
const PACKED_A = packWord('A');

/**
 * The type that bytes[start, end) name, CLASS_MARK for `IN` and `CLASS1`, UNKNOWN_WORD for anything
 * else.
 */
export function typeOf(bytes: Buffer, start: number, end: number): number {
  const packed = pack(bytes, start, end);
  if (packed === PACKED_IN) return CLASS_MARK;
  if (packed === PACKED_A) return 1;
  if (packed !== 0) return PACKED.get(packed) ?? UNKNOWN_WORD;
  if (end - start > 16) return UNKNOWN_WORD;
  const text = bytes.toString('latin1', start, end);
  if (text.toUpperCase() === 'CLASS1') return CLASS_MARK;
  return parseType(text) ?? UNKNOWN_WORD;
}
