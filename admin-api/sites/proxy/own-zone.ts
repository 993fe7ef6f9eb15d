/**
 * Reads the committed records of single names of a domain. At an apex without address records, the
 * configured origin counts as one.
 */

import { equalNames, isWithin, type Name, nameAt } from '../../../core/dns/wire/name.ts';
import { type RRset, TYPE } from '../../../core/dns/wire/types.ts';
import type { Domain } from '../../../core/store/rows.ts';
import { apexSets } from '../../../core/zone/compile/apex.ts';
import { originSets } from '../../../core/zone/compile/origin-apex.ts';
import { isWebName } from '../../../core/zone/compile/proxied.ts';
import { isOfService, readHeld } from '../../../core/zone/compile/stored.ts';
import { findType, type ProxyHints, type ZoneView } from '../../../core/zone/compile/view.ts';
import type { Services } from '../../change/services.ts';

export class OwnZone implements ZoneView, ProxyHints {
  readonly apex: Name;
  readonly mayOcclude = true;
  readonly parentDs = null;
  readonly #nested: readonly Name[];
  /** Targets of the NS records at the apex: from the records, or otherwise those of the service. */
  readonly #nameservers: readonly Name[];

  constructor(
    private readonly services: Services,
    private readonly domain: Domain,
  ) {
    this.apex = domain.apex;
    this.#nested = services.reader.domainsBelow(domain.apex).map(({ apex }) => apex);
    this.#nameservers = findType(this.rrsets(domain.apex), TYPE.NS)?.rdatas.map((rdata) => nameAt(rdata, 0)) ?? [];
  }

  rrsets(name: Name): readonly RRset[] {
    const { sets } = readHeld(this.services.environment, this.domain.id, name);
    if (!equalNames(name, this.apex)) return sets;
    const { reader, zoneSettings } = this.services;
    const { serial } = reader.zoneState(this.domain.id);
    return apexSets(sets, this.domain, zoneSettings, serial, reader.proxy(this.domain.id)?.originHost);
  }

  /** Whether the apex resolves to an origin with this host, because it has no addresses. */
  isOriginAt(originHost: string): boolean {
    const { sets } = readHeld(this.services.environment, this.domain.id, this.apex);
    return originSets(sets, originHost).length > 0;
  }

  hasBelow(name: Name): boolean {
    return (
      readHeld(this.services.environment, this.domain.id, name).below ||
      this.#nested.some((apex) => apex.length > name.length && isWithin(apex, name))
    );
  }

  isNested(name: Name): boolean {
    return this.#nested.some((apex) => equalNames(apex, name));
  }

  proxied(name: Name): boolean | null {
    return readHeld(this.services.environment, this.domain.id, name).proxied;
  }

  isServiceTarget(name: Name): boolean {
    return (
      this.#nameservers.some((target) => equalNames(target, name)) ||
      this.services.reader.targetsAt(this.domain.id, name).some((leads) => isOfService(leads, this.apex))
    );
  }

  /**
   * Whether a name goes through the proxy while it is on. `proxied`: the value of one of its
   * records.
   */
  isWeb(name: Name, proxied: boolean | null): boolean {
    const hints = {
      apex: this.apex,
      proxied: () => proxied,
      isServiceTarget: (target: Name) => this.isServiceTarget(target),
    };
    return isWebName(hints, name);
  }
}
