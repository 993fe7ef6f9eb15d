/**
 * How many generated cases a test runs. WAYPOST_DEPTH: `quick` (the default), `moderate` (.ci/run) or `full`
 * (npm run test:deep). A test that uses this runs in test:deep.
 */
const LEVELS = ['quick', 'moderate', 'full'] as const;
type Level = (typeof LEVELS)[number];

const level = (process.env.WAYPOST_DEPTH ?? 'quick') as Level;
if (!LEVELS.includes(level)) throw new Error(`WAYPOST_DEPTH is ${level}; use ${LEVELS.join(', ')}.`);

export const depth = (cases: Readonly<Record<Level, number>>): number => cases[level];
