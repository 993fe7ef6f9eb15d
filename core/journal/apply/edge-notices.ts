/** What a group of entries changes for the edge: which sites lead elsewhere or have other certificates, and what its caches are to forget. */
import {
  automaticCertificates,
  certificates,
  domains,
  type Purge,
  proxies,
  purges,
  ticketKeys,
} from '../../store/rows.ts';
import type { Change } from '../entry-codec.ts';
import type { EdgeChanges } from '../journal.ts';

/** Tables of which the row of a site is made. Their rows are one a domain, by its id, as is the domain's own. */
const OF_SITES: ReadonlySet<number> = new Set([proxies.number, certificates.number, automaticCertificates.number]);

export class EdgeNotes {
  readonly #domainIds = new Set<string>();
  /** Domains of which a row of a site may be another. */
  readonly siteIds = new Set<string>();
  /** Domains whose records come or go. */
  readonly #recordsOf = new Set<string>();
  readonly #purges: Purge[] = [];
  #hasTicketKeys = false;

  /** Of any table but the records'. */
  note({ table, key, value }: Change): void {
    if (table === domains.number || OF_SITES.has(table)) this.#domainIds.add(key.toString('hex'));
    if (OF_SITES.has(table)) this.siteIds.add(key.toString('hex'));
    else if (table === purges.number && value !== null) this.#purges.push(purges.decode(key, value));
    else if (table === ticketKeys.number) this.#hasTicketKeys = true;
  }

  noteRecord(domainId: string): void {
    this.#recordsOf.add(domainId);
  }

  /** Null: nothing of it. `isProxied`: whether a domain's proxy is on; records of others lead nobody to the edge. */
  changes(isProxied: (domainId: string) => boolean): EdgeChanges | null {
    for (const id of this.#recordsOf) if (!this.#domainIds.has(id) && isProxied(id)) this.#domainIds.add(id);
    const domainIds = this.#domainIds;
    const purges = this.#purges;
    const hasTicketKeys = this.#hasTicketKeys;
    return domainIds.size > 0 || purges.length > 0 || hasTicketKeys ? { domainIds, purges, hasTicketKeys } : null;
  }
}
