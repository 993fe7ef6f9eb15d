/**
 * fast-check with the seed of this process: runs with the same seed generate the same cases. A
 * failure shows the error of the smallest case, too.
 */
import fc from 'fast-check';
import { SEED } from './seed.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED, includeErrorInReport: true });

/** The surrogate code points, which are not characters. */
const SURROGATES = { first: 0xd800, count: 0x800 };

/**
 * Any character, as the unit of a string. Equal to `unit: 'binary'`, which takes a second of CPU
 * time in each process to build a table of all characters.
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
