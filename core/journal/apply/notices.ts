/**
 * What a group of entries reports to the listeners of the journal (core/journal/journal.ts), and
 * the rows of sites, from which the edge reads. Tables declare which listeners their rows concern
 * (`concerns` in core/store/rows/table.ts).
 */
import { type Name, nameId } from '../../dns/wire/name.ts';
import type { Environment } from '../../store/environment.ts';
import { type Id, idAt, idKey } from '../../store/keys.ts';
import { rawReader } from '../../store/raw-reader.ts';
import { Reader } from '../../store/reader.ts';
import { type Domain, type Purge, purges, records, TABLES, UPLOADED_SLOT } from '../../store/rows.ts';
import { encodeSite } from '../../store/sites.ts';
import type { Change } from '../entry-codec.ts';
import type { EdgeChanges } from '../journal.ts';

export class Notices {
  /** Whether accounts or tokens have changed. */
  credentialsChanged = false;
  /** Ids of apps that were added, changed or deleted. */
  readonly apps = new Set<string>();
  /** Domains whose row of a secondary zone was written or deleted. */
  readonly secondaries = new Set<Id>();
  /** Domains whose signing changes. */
  readonly signing = new Set<Id>();
  /** Domains that were added or deleted, in order. A replaced row is deleted and added. */
  readonly domainChanges: { readonly domain: Domain; readonly present: boolean }[] = [];
  /** Targets of added or deleted ALIAS records, by nameId. */
  readonly aliasTargets = new Map<string, { readonly target: Name; readonly domainIds: Set<Id> }>();
  /** Domains whose row of a site may have changed. */
  readonly siteIds = new Set<Id>();
  readonly #edgeIds = new Set<Id>();
  /** Domains whose records were added or deleted. */
  readonly #recordIds = new Set<Id>();
  readonly #purges: Purge[] = [];
  #hasTicketKeys = false;

  add({ table, key, value }: Change): void {
    if (table === records.number) {
      this.#recordIds.add(idAt(key));
      return;
    }
    switch (TABLES.get(table)?.concerns) {
      case 'credentials':
        this.credentialsChanged = true;
        break;
      case 'apps':
        this.apps.add(Buffer.from(key).toString());
        break;
      case 'secondaries':
        this.secondaries.add(idAt(key));
        break;
      case 'site':
        this.siteIds.add(idAt(key));
        this.#edgeIds.add(idAt(key));
        break;
      case 'edge':
        this.#edgeIds.add(idAt(key));
        break;
      case 'purges':
        if (value !== null) this.#purges.push(purges.decode(key, value));
        break;
      case 'tickets':
        this.#hasTicketKeys = true;
    }
  }

  /** Records of the domain were added. */
  addRecords(domainId: Id): void {
    this.#recordIds.add(domainId);
  }

  /** ALIAS records with this target are added or deleted. */
  addAliasOwner(target: Name, domainId: Id): void {
    const id = nameId(target);
    const entry = this.aliasTargets.get(id);
    if (entry === undefined) this.aliasTargets.set(id, { target, domainIds: new Set([domainId]) });
    else entry.domainIds.add(domainId);
  }

  /**
   * Null: no change concerns the edge. `isProxied`: whether the proxy of a domain is on; without
   * it, records do not concern the edge.
   */
  edgeChanges(isProxied: (domainId: Id) => boolean): EdgeChanges | null {
    const domainIds = this.#edgeIds;
    for (const id of this.#recordIds) if (!domainIds.has(id) && isProxied(id)) domainIds.add(id);
    if (domainIds.size === 0 && this.#purges.length === 0 && !this.#hasTicketKeys) return null;
    return { domainIds, purges: this.#purges, hasTicketKeys: this.#hasTicketKeys };
  }
}

/** Updates or deletes the row of a domain's site, inside a write transaction. */
export function updateSite(environment: Environment, domainId: Id): void {
  const { sites } = environment;
  const reader = new Reader(rawReader(environment));
  const key = idKey(domainId);
  const [own, automatic] = [reader.certificate(domainId), reader.automaticCertificate(domainId)];
  const rsa = reader.rsaCertificates(domainId);
  // A deleted domain has its rows until it is deleted for good.
  const proxy = reader.domain(domainId) === undefined ? undefined : reader.proxy(domainId);
  const row = encodeSite(proxy, own === undefined ? [] : [own, ...rsa.filter(({ slot }) => slot === UPLOADED_SLOT)], [
    ...(automatic === undefined ? [] : [automatic]),
    ...reader.furtherCertificates(domainId),
    ...rsa.filter(({ slot }) => slot !== UPLOADED_SLOT),
  ]);
  if (row === undefined) sites.remove(key);
  // Most writes to a proxy concern certificate orders, which the edge does not read.
  else if (sites.get(key)?.equals(row) !== true) sites.put(key, row);
}
