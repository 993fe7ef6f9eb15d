/** The parts of the core that main.ts starts, in one module that it loads only for the daemon. */
export { openAliases } from './alias/open.ts';
export { readAnswerSettings } from './answer/settings.ts';
export { createLogger } from './base/log/index.ts';
export { resetHeapFlags } from './base/main-heap.ts';
export { Registry, registerProcessMetrics } from './base/metrics/index.ts';
export { openSecrets } from './base/secrets.ts';
export { openNode } from './cluster/open-node.ts';
export { openStore, rebuildStore } from './cluster/open-store.ts';
export { describeReadiness, ReadinessWatch } from './cluster/readiness.ts';
export { openWithdrawal } from './cluster/withdrawal.ts';
export { formatServices, secretKeyFile } from './config/index.ts';
export { startUpkeep } from './journal/upkeep/upkeep.ts';
export { DeferredRoutes } from './nameserver/deferred-routes.ts';
export { openNameserver } from './nameserver/open.ts';
export { runService } from './os/systemd/run-service.ts';
export { openSigning } from './signing/open.ts';
export { openTicketKeys } from './tls/shared-ticket-keys.ts';
export { openTransfers } from './transfer/index.ts';
