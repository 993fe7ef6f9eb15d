/** The targets of ALIAS records: resolved in the background, kept in the store. */
export { aliasMetrics, aliasObserver } from './metrics.ts';
export { type AliasObserver, type AliasOptions, AliasRefresher } from './refresher.ts';
export { ALIAS_STATUSES, type AliasState, AliasStates, type AliasStatus } from './states.ts';
