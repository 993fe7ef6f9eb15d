export { BACKGROUND_CASES } from './background.ts';
export type { CorpusCase, CorpusContent } from './corpus-case.ts';
export { DENSITY_CASES, SDK_CASES } from './density.ts';
export { SDK, smallApp } from './small-app.ts';
