/**
 * The index of targets in a zone: of CNAME and DNAME, and of MX, SRV and NS, whose addresses are
 * additional records.
 */

import { equalNames, isWithin, type Name } from '../../dns/wire/name.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, type Id, idKey, targetKeyParts, targetsAt, targetsBelow } from '../../store/keys.ts';

export interface Leads {
  readonly owner: Name;
  readonly type: number;
}

export interface ZoneTargets {
  /** No record has a target. */
  readonly isEmpty: boolean;
  /** Owners and types of the records that lead to exactly this name. */
  at(target: Name): Iterable<Leads>;
  /** Owners and types of the records that lead to a name or to names below it. */
  below(target: Name): Iterable<Leads>;
}

/** Maximum targets to read into memory; most zones have fewer. */
const FEW = 16;

/**
 * Reads the targets of a zone. With more than FEW, each call reads them from the store, in the
 * current transaction.
 */
export function readTargets(environment: Environment, domainId: Id): ZoneTargets {
  const prefix = idKey(domainId);
  const few: (Leads & { readonly target: Name })[] = [];
  for (const key of environment.targets.getKeys({ start: prefix, end: afterPrefix(prefix), limit: FEW + 1 }))
    few.push(targetKeyParts(key as Buffer));
  if (few.length > FEW) return storedTargets(environment, domainId);
  return {
    isEmpty: few.length === 0,
    at: (target) => few.filter((lead) => equalNames(lead.target, target)),
    below: (target) => few.filter((lead) => isWithin(lead.target, target)),
  };
}

function storedTargets(environment: Environment, domainId: Id): ZoneTargets {
  function* of(prefix: Buffer): Iterable<Leads> {
    for (const key of environment.targets.getKeys({ start: prefix, end: afterPrefix(prefix) }))
      yield targetKeyParts(key as Buffer);
  }
  return {
    isEmpty: false,
    at: (target) => of(targetsAt(domainId, target)),
    below: (target) => of(targetsBelow(domainId, target)),
  };
}
