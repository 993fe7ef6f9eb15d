/**
 * The parts of the core that a start needs until DNS is answered. main.ts loads them alone at
 * first, so none of them may load an HTTP client or the list of public suffixes.
 */

export { createLogger } from './base/log/index.ts';
export { Registry } from './base/metrics/index.ts';
export { registerProcessMetrics } from './base/process-metrics.ts';
export { Tasks } from './base/tasks.ts';
export { openNode } from './cluster/open-node.ts';
export { openStore, rebuildStore } from './cluster/open-store.ts';
export { LiveConfig } from './config/index.ts';
export { openClock } from './journal/clock/open.ts';
export { DeferredRoutes } from './nameserver/deferred-server.ts';
export { openDnstap } from './nameserver/dnstap/dnstap.ts';
export { openNameserver } from './nameserver/open.ts';
export { openTransfers } from './nameserver/transfer/index.ts';
export { openStatistics } from './observe/statistics/statistics.ts';
export { RequestTail } from './observe/tail/request-tail.ts';
export { disableCoreDumps } from './os/memory.ts';
export { openProtection, ownMemory } from './os/protection/open.ts';
export { StartRecord } from './os/protection/start-record.ts';
export { Reclaimer } from './os/reclaimer.ts';
export { runService } from './os/systemd/run-service.ts';
export { openLogDelivery } from './site/logs/open.ts';
export { RuleCounters } from './site/rules/counters.ts';
export { openSteeringState } from './site/steering/state.ts';
export { openTicketKeys } from './site/tls/shared-ticket-keys.ts';
export { BIND_CHECKS, runStartChecks, START_CHECKS } from './start-checks.ts';
export { openSecondaries } from './upkeep/secondary/open.ts';
export { readAnswerSettings } from './zone/answer/settings.ts';
