/**
 * fast-check with the seed of this process, so that a run with the same seed generates the same
 * cases.
 */
import fc from 'fast-check';
import { SEED } from './seed.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });

/** The code points of halves of pairs, which are no characters. */
const SURROGATES = { first: 0xd800, count: 0x800 };

/**
 * Any character, as the unit of a string. `unit: 'binary'` has the same, but takes a second of the
 * processor in each process: it builds a table of all of them.
 */
export const ANY_CHARACTER: fc.Arbitrary<string> = fc.nat(0x10ffff - SURROGATES.count).map(
  (index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count),
  (text) => {
    if (typeof text !== 'string' || !/^\P{Cs}$/u.test(text)) throw new Error('not one character');
    const code = Number(text.codePointAt(0));
    return code < SURROGATES.first ? code : code - SURROGATES.count;
  },
);

export default fc;
