/**
 * All tables of rows. Rows are the source data; the other tables are derived from them. A table
 * encodes a row as a key and a value, and lists other keys that find it (`lookups`). Table numbers
 * are stored in the journal and never change.
 */
import { accounts, sessions, tokens, tokenUses, tsigKeys } from './rows/accounts.ts';
import { acmeAccounts, acmeChallenges, acmeOrders } from './rows/acme.ts';
import { aliasTargets } from './rows/alias-targets.ts';
import { deletedDomains } from './rows/deleted-domains.ts';
import { dnssec } from './rows/dnssec.ts';
import { dnssecStates } from './rows/dnssec-states.ts';
import { imports } from './rows/imports.ts';
import { apps, reports, storeKeys, uploads } from './rows/packages.ts';
import {
  automaticCertificates,
  certificates,
  furtherCertificates,
  originHealth,
  proxies,
  purges,
  rsaCertificates,
} from './rows/proxies.ts';
import { audits, replays } from './rows/requests.ts';
import { passkeys, spentChallenges, totps } from './rows/second-factors.ts';
import { idCounters, installations, renumberings, ticketKeys } from './rows/service.ts';
import { siteDocuments, siteDocumentVersions } from './rows/site-documents.ts';
import { steerings, steeringVersions } from './rows/steering.ts';
import type { Table } from './rows/table.ts';
import { deliveries, webhookQueues, webhooks } from './rows/webhooks.ts';
import { delegations, secondaries } from './rows/zone-states.ts';
import { comments, disabledRecords, domains, keptPtrs, records, spellings, zoneLabels } from './rows/zones.ts';

export * from './rows/accounts.ts';
export * from './rows/acme.ts';
export * from './rows/alias-targets.ts';
export * from './rows/deleted-domains.ts';
export * from './rows/dnssec.ts';
export * from './rows/dnssec-states.ts';
export * from './rows/imports.ts';
export * from './rows/packages.ts';
export * from './rows/proxies.ts';
export * from './rows/requests.ts';
export * from './rows/second-factors.ts';
export * from './rows/service.ts';
export * from './rows/site-documents.ts';
export * from './rows/steering.ts';
export { STAMP, type Table } from './rows/table.ts';
export * from './rows/webhooks.ts';
export * from './rows/zone-states.ts';
export * from './rows/zones.ts';

export const TABLES: ReadonlyMap<number, Table<unknown>> = new Map(
  [
    accounts,
    tokens,
    domains,
    records,
    proxies,
    certificates,
    purges,
    audits,
    replays,
    tsigKeys,
    aliasTargets,
    automaticCertificates,
    ticketKeys,
    acmeAccounts,
    acmeOrders,
    acmeChallenges,
    renumberings,
    apps,
    uploads,
    reports,
    spellings,
    idCounters,
    dnssec,
    dnssecStates,
    sessions,
    tokenUses,
    totps,
    passkeys,
    spentChallenges,
    delegations,
    storeKeys,
    comments,
    disabledRecords,
    zoneLabels,
    webhooks,
    deliveries,
    webhookQueues,
    secondaries,
    siteDocuments,
    siteDocumentVersions,
    originHealth,
    furtherCertificates,
    rsaCertificates,
    keptPtrs,
    steerings,
    steeringVersions,
    installations,
    imports,
    deletedDomains,
  ].map((table) => [table.number, table as Table<unknown>]),
);
