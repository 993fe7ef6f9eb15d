/**
 * Finds the names whose answers differ after a change to the records of some names. The result may
 * have too many names, never too few. It has the changed names, names above them (empty
 * non-terminals, wildcard flags) and names below an added or removed cut. It also has all names
 * whose chains or additional records lead through any of these.
 */

import {
  equalNames,
  isWildcard,
  isWithin,
  type Name,
  nameAt,
  nameId,
  parentName,
  wildcardOf,
} from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, type Id, nameOfKey, recordKeyParts, recordsBelow } from '../../store/keys.ts';
import type { StoredZone } from './stored.ts';
import { findType } from './view.ts';
import type { ZoneTargets } from './zone-targets.ts';

export interface ChangedName {
  readonly name: Name;
  /** Empty: only its signatures change. */
  readonly types: ReadonlySet<number>;
}

interface Affected {
  /** Without the apex. */
  readonly names: Iterable<Name>;
  /**
   * Whether answers of the apex differ in more than the serial. Adding the first name below the
   * apex, or removing the last, does not count.
   */
  readonly apex: boolean;
}

export function affectedNames(
  environment: Environment,
  domainId: Id,
  zone: StoredZone,
  targets: ZoneTargets,
  changes: readonly ChangedName[],
): Affected {
  return new Search(environment, domainId, zone, targets).run(changes);
}

class Search {
  readonly #environment: Environment;
  readonly #domainId: Id;
  readonly #zone: StoredZone;
  readonly #targets: ZoneTargets;
  /** Targets of the NS at the apex. */
  readonly #nameservers: readonly Name[];
  readonly #found = new Map<string, Name>();
  readonly #searched = new Set<string>();
  #changes: readonly ChangedName[] = [];
  #changedIds: Set<string> | null = null;
  #apex = false;

  constructor(environment: Environment, domainId: Id, zone: StoredZone, targets: ZoneTargets) {
    this.#environment = environment;
    this.#domainId = domainId;
    this.#zone = zone;
    this.#targets = targets;
    const ns = findType(zone.rrsets(zone.apex), TYPE.NS);
    this.#nameservers = ns?.rdatas.map((rdata) => nameAt(rdata, 0)) ?? [];
  }

  run(changes: readonly ChangedName[]): Affected {
    const { apex } = this.#zone;
    this.#changes = changes;
    const wildcard = wildcardOf(apex);
    for (const { name, types } of changes) {
      if (types.size === 0) {
        this.#searchSigned(name);
        continue;
      }
      if (equalNames(name, apex)) this.#apex = true;
      else this.#addUpTo(apex, name);
      // The node of the apex has a flag for a wildcard directly below it.
      if (isWithin(name, wildcard)) this.#apex = true;
      if (types.has(TYPE.NS) || types.has(TYPE.DNAME)) this.#addBelow(name);
      const top = this.#highestChanged(name);
      this.#searchTargets(region(top));
      if (top !== name) this.#searchTargets(region(name));
    }
    return { names: this.#found.values(), apex: this.#apex };
  }

  /** Adds a name whose signatures change, and chains through it, which have copies of them. */
  #searchSigned(name: Name): void {
    const targets = this.#targets;
    this.#add(name);
    if (targets.isEmpty) return;
    const sets = this.#zone.rrsets(name);
    const isCut = name.length > this.#zone.apex.length && findType(sets, TYPE.NS) !== undefined;
    if (isWildcard(name) || isCut || findType(sets, TYPE.DNAME) !== undefined) {
      this.#searchTargets(region(name));
      return;
    }
    for (const { owner, type } of targets.at(name)) {
      if (type !== TYPE.CNAME) continue;
      this.#add(owner);
      this.#searchTargets(region(owner));
    }
    for (let above = name; ; above = parentName(above)) {
      for (const { owner, type } of targets.at(above)) if (type === TYPE.DNAME) this.#searchTargets(owner);
      if (above.length <= this.#zone.apex.length) return;
    }
  }

  #add(name: Name): void {
    if (equalNames(name, this.#zone.apex)) this.#apex = true;
    else this.#found.set(nameId(name), name);
  }

  /**
   * The highest name at or above a changed one that this change may have added or removed. Several
   * changed names may do so together.
   */
  #highestChanged(name: Name): Name {
    let top = name;
    while (top.length > this.#zone.apex.length) {
      const above = parentName(top);
      if (above.length <= this.#zone.apex.length || this.#existsIndependently(above)) return top;
      top = above;
    }
    return top;
  }

  /**
   * Whether a name exists independently of the changed names. It owns records, or the first or last
   * owner below it is unchanged.
   */
  #existsIndependently(name: Name): boolean {
    const zone = this.#zone;
    if (zone.rrsets(name).length > 0 || zone.hasNestedBelow(name)) return true;
    this.#changedIds ??= new Set(this.#changes.map((change) => nameId(change.name)));
    const changedIds = this.#changedIds;
    return zone.outermostBelow(name).some((owner) => !changedIds.has(nameId(owner)));
  }

  /** Adds all names below a cut, which become occluded or visible. */
  #addBelow(cut: Name): void {
    const prefix = recordsBelow(this.#domainId, cut);
    for (const key of this.#environment.records.getKeys({ start: prefix, end: afterPrefix(prefix) })) {
      const { nameEnd } = recordKeyParts(key);
      this.#addUpTo(cut, nameOfKey(key, 8, nameEnd));
    }
    for (const apex of this.#zone.nested) if (isWithin(apex, cut)) this.#addUpTo(cut, apex);
  }

  #addUpTo(cut: Name, from: Name): void {
    for (let name = from; name.length > cut.length; name = parentName(name)) this.#add(name);
  }

  /**
   * Adds owners whose targets are at or below `name`, and owners whose chains pass through these.
   */
  #searchTargets(name: Name): void {
    if (this.#targets.isEmpty) {
      this.#apex ||= this.#nameservers.some((target) => isWithin(target, name));
      return;
    }
    const queue = [name];
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      const id = nameId(at);
      if (this.#searched.has(id)) continue;
      this.#searched.add(id);
      for (const { owner } of this.#targets.below(at)) {
        this.#add(owner);
        queue.push(region(owner));
      }
      // NS of the service are not stored, so `targets` does not have them.
      if (this.#nameservers.some((target) => isWithin(target, at))) {
        this.#apex = true;
        for (const { owner } of this.#targets.at(this.#zone.apex)) {
          this.#add(owner);
          queue.push(region(owner));
        }
      }
      // A DNAME whose target is above redirects names below its owner into this region.
      for (let above = at; above.length > this.#zone.apex.length; ) {
        above = parentName(above);
        for (const { owner, type } of this.#targets.at(above)) if (type === TYPE.DNAME) queue.push(owner);
      }
    }
  }
}

/**
 * The names that a name affects: itself and names below it; for a wildcard, all names below its
 * parent.
 */
function region(name: Name): Name {
  return isWildcard(name) ? parentName(name) : name;
}
