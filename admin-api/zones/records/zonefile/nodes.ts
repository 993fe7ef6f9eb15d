/** Compiles the nodes of an imported zone. */

import { equalNames, type Name } from '../../../../core/dns/wire/name.ts';
import type { RRset } from '../../../../core/dns/wire/types.ts';
import type { Domain } from '../../../../core/store/rows.ts';
import { apexSets } from '../../../../core/zone/compile/apex.ts';
import { compileZone } from '../../../../core/zone/compile/bulk.ts';
import type { ZoneSettings } from '../../../../core/zone/compile/settings.ts';
import { NO_RRSETS, type ZoneView } from '../../../../core/zone/compile/view.ts';
import { mayOcclude, type Owners } from './owners.ts';

/**
 * Compiles the nodes of all names except the apex, for a zone without nested zones. `owners` must
 * be sorted. The nodes do not contain the serial, so a dummy serial is used.
 */
export function compileOwners(domain: Domain, owners: Owners, defaults: ZoneSettings): Uint8Array {
  return compileZone(new OwnersZone(domain, owners, defaults));
}

/** Adapts the owners for the compiler, which then needs no table of its own. */
class OwnersZone implements ZoneView {
  readonly apex: Name;
  readonly mayOcclude: boolean;
  readonly parentDs = null;
  readonly #owners: Owners;
  readonly #atApex: readonly RRset[];

  constructor(domain: Domain, owners: Owners, defaults: ZoneSettings) {
    this.apex = domain.apex;
    this.#owners = owners;
    this.#atApex = apexSets(owners.get(domain.apex)?.sets ?? NO_RRSETS, domain, defaults, 0);
    this.mayOcclude = mayOcclude(domain.apex, owners);
  }

  rrsets(name: Name): readonly RRset[] {
    if (name.length === this.apex.length && equalNames(name, this.apex)) return this.#atApex;
    return this.#owners.get(name)?.sets ?? NO_RRSETS;
  }

  hasBelow(name: Name): boolean {
    return this.#owners.get(name)?.below ?? false;
  }

  isNested(): boolean {
    return false;
  }

  *names(): Iterable<Name> {
    for (const { name } of this.#owners) yield name;
  }
}
