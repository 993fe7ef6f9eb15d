/** What a test runs at each level. A test that uses this has more cases in test:deep. */
import { LEVEL, type Level } from './level.ts';

/** How many generated cases: at `quick` as many as take half a second of the processor. */
export const depth = (cases: Readonly<Record<Level, number>>): number => cases[LEVEL];

/**
 * The cases of a list: all at full depth, otherwise those that represent a behaviour that no other
 * case has.
 */
export const matrix = <T>(cases: readonly T[], isRepresentative: (item: T, index: number) => boolean): readonly T[] =>
  LEVEL === 'full' ? cases : cases.filter(isRepresentative);
