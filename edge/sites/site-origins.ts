/** The origins of a domain's host names, read from the store. */

import { formatHost, type Name, parentName } from '../../core/dns/wire/name.ts';
import { type Exemptions, formatAddress } from '../../core/net/address/index.ts';
import type { Environment } from '../../core/store/environment.ts';
import type { Domain, ProxyConfig } from '../../core/store/rows.ts';
import { StoreReader } from '../../core/store/store-reader.ts';
import { apexSets } from '../../core/zone/compile/apex.ts';
import { NameOrigins, type StoredNames } from '../../core/zone/compile/name-origins.ts';
import type { ZoneSettings } from '../../core/zone/compile/settings.ts';
import { readHeld, StoredZone } from '../../core/zone/compile/stored.ts';
import type { WebNames } from '../../core/zone/compile/web-names.ts';
import type { Origin } from '../origin/origin-address.ts';

/** The origin of a name's own records, which have no port. */
const OWN_PORT = 443;
const OWN_PROTOCOL = 'https';

export class SiteOrigins {
  readonly #environment: Environment;
  readonly #reader: StoreReader;
  readonly #domain: Domain;
  readonly #names: WebNames;
  readonly #proxy: ProxyConfig | undefined;
  readonly #configured: Origin | null;
  readonly #settings: ZoneSettings;
  readonly #exemptions: Exemptions;
  /** Whether an origin depends on another domain, whose changes are not reported. */
  dependsOnOthers = false;

  /** `names`: of the domain. `exemptions`: addresses that are used although they are not public. */
  constructor(
    environment: Environment,
    domain: Domain,
    names: WebNames,
    settings: ZoneSettings,
    exemptions: Exemptions,
  ) {
    this.#environment = environment;
    this.#reader = new StoreReader(environment);
    this.#domain = domain;
    this.#names = names;
    this.#proxy = this.#reader.proxy(domain.id);
    this.#configured = configuredOrigin(this.#proxy);
    this.#settings = settings;
    this.#exemptions = exemptions;
  }

  /** `name`: goes through the proxy. The edge never connects to an origin without addresses. */
  originOf(name: Name): Origin {
    const configured = this.#configured;
    // Not shared between calls: lmdb reuses the memory of the rows.
    const zones = new Map<Domain['id'], StoredNames>();
    const zoneOf = (at: Name): StoredNames | null => this.#zoneOf(at, zones);
    const origins = new NameOrigins(zoneOf, this.#domain, this.#proxy, this.#exemptions);
    const found = origins.originOf(name);
    switch (found.kind) {
      case 'configured':
        if (found.domainId === this.#domain.id && configured !== null) return configured;
        return configuredOrigin(this.#reader.proxy(found.domainId)) ?? this.#unreachableOrigin();
      case 'host':
        return { host: found.host, port: OWN_PORT, protocol: OWN_PROTOCOL };
      case 'addresses': {
        const addresses = found.addresses.map(formatAddress);
        return { host: addresses[0], addresses, port: OWN_PORT, protocol: OWN_PROTOCOL };
      }
      case 'none':
        return this.#unreachableOrigin();
      default:
        return found satisfies never;
    }
  }

  /** An origin without addresses. Its host is a name that visitors know already. */
  #unreachableOrigin(): Origin {
    return { host: formatHost(this.#domain.apex), addresses: [], port: OWN_PORT, protocol: OWN_PROTOCOL };
  }

  /** Null: no domain of the same account contains the name. */
  #zoneOf(name: Name, zones: Map<Domain['id'], StoredNames>): StoredNames | null {
    for (let at = name; at.length > 1; at = parentName(at)) {
      const domain = this.#reader.domainByApex(at);
      if (domain === undefined) continue;
      if (domain.id !== this.#domain.id) this.dependsOnOthers = true;
      if (domain.accountId !== this.#domain.accountId) return null;
      let zone = zones.get(domain.id);
      if (zone === undefined) {
        zone = this.#open(domain);
        zones.set(domain.id, zone);
      }
      return zone;
    }
    return null;
  }

  #open(domain: Domain): StoredNames {
    const { id, apex } = domain;
    if (id === this.#domain.id) return { domainId: id, view: this.#names.open(), hasOrigin: this.#configured !== null };
    const { sets, proxied } = readHeld(this.#environment, id, apex);
    const atApex = { proxied, sets: apexSets(sets, domain, this.#settings, 0) };
    const nested = this.#reader.domainsBelow(apex).map((below) => below.apex);
    const view = new StoredZone(this.#environment, id, apex, atApex, nested, null);
    return { domainId: id, view, hasOrigin: this.#reader.proxy(id)?.originHost != null };
  }
}

function configuredOrigin(proxy: ProxyConfig | undefined): Origin | null {
  const { originHost: host, originPort: port, originProtocol: protocol } = proxy ?? {};
  return host == null || port == null || protocol == null ? null : { host, port, protocol };
}
