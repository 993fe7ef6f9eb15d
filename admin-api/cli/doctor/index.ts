/** The checks of a node, as the command line imports them. */
export type { Finding, Severity } from './check.ts';
export { Context, type ContextOptions, chooseConfiguration, unitEnvironment } from './context.ts';
export { formatFindings, summarise } from './report.ts';
export { exitCode, runChecks, selectChecks, unknownIds } from './run.ts';
export { collectSupport, leaksOf } from './support-entries.ts';
export { CHECKS, groupOf } from './table.ts';
