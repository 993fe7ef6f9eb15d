/** The domains that external-dns manages, and its reads and writes. */
import type { Logger } from '../../../core/base/log/index.ts';
import type { ApiClient } from '../base/client.ts';
import type { Domain } from '../base/domains.ts';
import { rows } from '../base/pages.ts';
import { findRecords } from '../domain/records.ts';
import { applyToDomain, type Changes, type Fault, setChanges } from './changes.ts';
import { adjust, type Endpoint, endpointsOf, type StoredEndpoint } from './endpoints.ts';

/** Some record sets were rejected; all others were written. */
class RejectedSets extends Error {
  constructor(faults: readonly Fault[]) {
    const list = faults.slice(0, 10).map(({ name, type, message }) => `${name} ${type}: ${message}`);
    super(`Rejected ${faults.length} record sets: ${list.join(' ')}`);
  }
}

export class ExternalDnsZones {
  constructor(
    private readonly api: ApiClient,
    /** Names of domains, or of subtrees; empty: all domains of the token. */
    readonly filter: readonly string[],
    private readonly log: Logger,
  ) {}

  /** All record sets that external-dns can manage. */
  async records(): Promise<StoredEndpoint[]> {
    const endpoints: StoredEndpoint[] = [];
    for (const domain of await this.#domains()) {
      const records = await findRecords(this.api, domain);
      endpoints.push(...endpointsOf(domain.domain, records).filter(({ dnsName }) => this.#hasName(dnsName)));
    }
    return endpoints;
  }

  /** Returns the endpoints in the form in which `records` returns stored endpoints. */
  async adjust(endpoints: readonly Endpoint[]): Promise<object[]> {
    const domains = await this.#domains();
    return endpoints.map((endpoint) => adjust(endpoint, domainOf(endpoint, domains)?.domain));
  }

  /** Throws RejectedSets after all other sets are written. */
  async apply(changes: Changes): Promise<void> {
    const faults: Fault[] = [];
    for (const [domain, part] of this.#byDomain(changes, await this.#domains())) {
      const sets = setChanges(part, domain.domain, faults);
      const { created, updated, deleted } = await applyToDomain(this.api, domain, sets, faults);
      if (created + updated + deleted > 0)
        this.log.info('changes applied', { domain: domain.domain, created, updated, deleted });
    }
    for (const { name, type, message } of faults) this.log.warn('record set rejected', { name, type, reason: message });
    if (faults.length > 0) throw new RejectedSets(faults);
  }

  #byDomain(changes: Changes, domains: readonly Domain[]): Map<Domain, Changes> {
    const parts = new Map<Domain, Record<keyof Changes, Endpoint[]>>();
    for (const kind of ['create', 'updateOld', 'updateNew', 'delete'] as const)
      for (const endpoint of changes[kind]) {
        const domain = domainOf(endpoint, domains);
        if (domain === undefined || !this.#hasName(endpoint.dnsName)) {
          // Another provider may have the name; an error would stop external-dns at every attempt.
          this.log.warn('ignored a name that is in no domain of the token', {
            name: endpoint.dnsName,
            type: endpoint.recordType,
          });
          continue;
        }
        const part = parts.get(domain) ?? { create: [], updateOld: [], updateNew: [], delete: [] };
        parts.set(domain, part);
        part[kind].push(endpoint);
      }
    return parts;
  }

  /** Reads the domains at each request, because they can be created and deleted. */
  async #domains(): Promise<Domain[]> {
    const found: Domain[] = [];
    for await (const domain of rows(this.api, '/api/v1/domains', 'domains')) {
      // Records of a secondary zone are those of its primaries.
      if (domain.kind === 'secondary') continue;
      if (this.#hasName(domain.domain) || this.filter.some((name) => isWithin(name, domain.domain))) found.push(domain);
    }
    return found;
  }

  #hasName(name: string): boolean {
    return this.filter.length === 0 || this.filter.some((filter) => isWithin(name, filter));
  }
}

/** Finds the domain of an endpoint: the longest matching name. */
function domainOf({ dnsName }: Endpoint, domains: readonly Domain[]): Domain | undefined {
  let found: Domain | undefined;
  for (const domain of domains)
    if (isWithin(dnsName, domain.domain) && domain.domain.length > (found?.domain.length ?? 0)) found = domain;
  return found;
}

const isWithin = (name: string, apex: string): boolean => name === apex || name.endsWith(`.${apex}`);
