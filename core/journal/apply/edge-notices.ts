/**
 * The changes of a group of entries that concern the edge: changed sites and certificates, and
 * purges of its caches.
 */
import { type Id, idAt } from '../../store/keys.ts';
import {
  automaticCertificates,
  certificates,
  domains,
  originHealth,
  type Purge,
  proxies,
  purges,
  siteDocuments,
  ticketKeys,
} from '../../store/rows.ts';
import type { Change } from '../entry-codec.ts';
import type { EdgeChanges } from '../journal.ts';

/**
 * Tables from which the row of a site is derived. They have one row per domain, and its key is the
 * domain's id, as in the table of domains.
 */
const SITE_TABLES: ReadonlySet<number> = new Set([proxies.number, certificates.number, automaticCertificates.number]);

/** Tables that the edge reads directly. Their keys start with the id of the domain. */
const READ_TABLES: ReadonlySet<number> = new Set([siteDocuments.number, originHealth.number]);

export class EdgeNotices {
  readonly #domainIds = new Set<Id>();
  /** Domains whose row of a site may have changed. */
  readonly siteIds = new Set<Id>();
  /** Domains whose records were added or deleted. */
  readonly #recordDomainIds = new Set<Id>();
  readonly #purges: Purge[] = [];
  #hasTicketKeys = false;

  /** For changes of all tables except records. */
  note({ table, key, value }: Change): void {
    if (table === domains.number || READ_TABLES.has(table) || SITE_TABLES.has(table)) this.#domainIds.add(idAt(key));
    if (SITE_TABLES.has(table)) this.siteIds.add(idAt(key));
    else if (table === purges.number && value !== null) this.#purges.push(purges.decode(key, value));
    else if (table === ticketKeys.number) this.#hasTicketKeys = true;
  }

  noteRecord(domainId: Id): void {
    this.#recordDomainIds.add(domainId);
  }

  /**
   * Null: no change concerns the edge. `isProxied`: whether the proxy of a domain is on; without
   * it, records do not concern the edge.
   */
  changes(isProxied: (domainId: Id) => boolean): EdgeChanges | null {
    for (const id of this.#recordDomainIds) if (!this.#domainIds.has(id) && isProxied(id)) this.#domainIds.add(id);
    const domainIds = this.#domainIds;
    const purged = this.#purges;
    const hasTicketKeys = this.#hasTicketKeys;
    return domainIds.size > 0 || purged.length > 0 || hasTicketKeys
      ? { domainIds, purges: purged, hasTicketKeys }
      : null;
  }
}
