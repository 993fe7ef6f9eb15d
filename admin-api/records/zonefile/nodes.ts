import type { Domain } from '../../../core/store/rows.ts';
import { equalNames, type Name } from '../../../core/wire/name.ts';
import type { RRset } from '../../../core/wire/types.ts';
import { apexSets } from '../../../core/zone/apex.ts';
import { compileZone } from '../../../core/zone/bulk.ts';
import type { ZoneSettings } from '../../../core/zone/settings.ts';
import { NO_RRSETS, type ZoneView } from '../../../core/zone/view.ts';
import { mayOcclude, type Owners } from './owners.ts';

/**
 * Nodes of all names but the apex, for a zone without nested ones. `owners` are sorted. The serial that they are made with shows in
 * none of them.
 */
export function compileOwners(domain: Domain, owners: Owners, defaults: ZoneSettings): Uint8Array {
  return compileZone(new OwnersZone(domain, owners, defaults));
}

/** The owners as they are, which saves the compiler a table of its own. */
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
