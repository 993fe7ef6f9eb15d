/** How many generated cases a test runs at each level. A test that uses this runs in test:deep. */
import { LEVEL, type Level } from './level.ts';

export const depth = (cases: Readonly<Record<Level, number>>): number => cases[LEVEL];
