/** The parts of the core that main.ts starts when DNS is answered; those before are in start.ts. */

export { openBackups } from './cluster/backup/open.ts';
export { CertificateFiles } from './cluster/certificate-files.ts';
export { openInstallation } from './cluster/installation.ts';
export { describeReadiness, ReadinessWatch } from './cluster/readiness.ts';
export { openWithdrawal } from './cluster/withdrawal.ts';
export { formatServices, Reloader } from './config/index.ts';
export { startUpkeep } from './journal/upkeep/upkeep.ts';
export { openTraces } from './observe/traces/traces.ts';
export { openWebhooks } from './observe/webhooks/open.ts';
export { Ejections } from './site/health/ejections.ts';
export { openHealth } from './site/health/open.ts';
export { openSteeringHealth } from './site/steering/open.ts';
export { openAliases } from './upkeep/alias/open.ts';
export { openCatalogs } from './upkeep/catalog/open.ts';
export { openDelegations } from './upkeep/delegation/keeper.ts';
export { reportForeignOwners } from './upkeep/domains/domain-names.ts';
export { DomainPurge } from './upkeep/domains/purge.ts';
export { openSigning } from './upkeep/signing/open.ts';
