/** Resolves the targets of ALIAS records in the background and stores their addresses. */
export { aliasMetrics, aliasObserver } from './open.ts';
export { type AliasObserver, type AliasOptions, AliasRefresher } from './refresher.ts';
export { ALIAS_STATUSES, type AliasState, AliasStates, type AliasStatus } from './states.ts';
