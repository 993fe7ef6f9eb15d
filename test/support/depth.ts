/** Scales tests with the test depth. A test that uses this module has more cases in test:deep. */
import { LEVEL, type Level } from './level.ts';

/** Number of generated cases. At `quick` they should take half a second of CPU time at most. */
export const depth = (cases: Readonly<Record<Level, number>>): number => cases[LEVEL];

/** All cases at full depth, otherwise only the representative ones. */
export const matrix = <T>(cases: readonly T[], isRepresentative: (item: T, index: number) => boolean): readonly T[] =>
  LEVEL === 'full' ? cases : cases.filter(isRepresentative);
