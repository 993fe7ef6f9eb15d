/**
 * The test depth, WAYPOST_DEPTH: `quick` (default), `moderate` (.ci/run) or `full` (npm run
 * test:deep).
 */
const LEVELS = ['quick', 'moderate', 'full'] as const;
export type Level = (typeof LEVELS)[number];

export const LEVEL = (process.env.WAYPOST_DEPTH ?? 'quick') as Level;
if (!LEVELS.includes(LEVEL)) throw new Error(`WAYPOST_DEPTH is ${LEVEL}; use ${LEVELS.join(', ')}.`);
