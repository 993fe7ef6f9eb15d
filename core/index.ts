/** What main.ts puts together, in one module that it can load when the daemon starts. */
export { parseExemptions } from './address/index.ts';
export { AliasRefresher, AliasStates, aliasMetrics, aliasObserver } from './alias/index.ts';
export { createLogger } from './base/log/index.ts';
export { Trouble } from './base/log/trouble.ts';
export { keepHeapToMain } from './base/main-heap.ts';
export {
  clusterMetrics,
  indexMetrics,
  JournalMetrics,
  journalHeadMetrics,
  processMetrics,
  Registry,
  readinessMetrics,
  storeMetrics,
} from './base/metrics/index.ts';
export { openSecrets } from './base/secrets.ts';
export { Stops } from './base/stops.ts';
export { BLOBS, BlobStore } from './cluster/blobs/store.ts';
export { openNode } from './cluster/node.ts';
export { describeReadiness, readinessOf } from './cluster/readiness.ts';
export { installSnapshot } from './cluster/snapshot.ts';
export { STATES } from './cluster/standing.ts';
export { openWithdrawal } from './cluster/withdrawal.ts';
export { formatListen } from './config/index.ts';
export { answersAreCurrent, rebuildAnswers } from './journal/upkeep/rebuild.ts';
export { startRenumbering } from './journal/upkeep/renumber.ts';
export { startReseal } from './journal/upkeep/reseal.ts';
export { DeferredRoutes } from './nameserver/deferred-routes.ts';
export { openLocalResponder } from './nameserver/local-responder.ts';
export { nameserverMetrics } from './nameserver/metrics.ts';
export { startNameserver } from './nameserver/nameserver.ts';
export { HangUp } from './os/systemd/hang-up.ts';
export { Service } from './os/systemd/service.ts';
export { answerSettings, zoneSettings } from './settings.ts';
export { openEnvironment } from './store/environment.ts';
export { buildIndex } from './store/index/build.ts';
export { lockDirectory } from './store/lock.ts';
export { tablesOf } from './store/tables.ts';
export { SharedTicketKeys } from './tls/shared-ticket-keys.ts';
export { openTransfers } from './transfer/index.ts';
