/**
 * A zone view with the addresses of automatic hints in SVCB and HTTPS records: those that the zone
 * serves for the target. It reads the view with the proxy and the addresses of ALIAS targets, so
 * that hints and addresses agree.
 */
import { equalNames, type Name } from '../../dns/wire/name.ts';
import { hasAutoHint, replaceAutoHints, serviceHost } from '../../dns/wire/rdata/auto-hints.ts';
import { isServiceBinding, type RRset, TYPE } from '../../dns/wire/types.ts';
import { follow } from './chain.ts';
import { sortRdatas } from './memory.ts';
import { findType, NO_RRSETS, type ZoneRRset, type ZoneView } from './view.ts';

/**
 * Maximum addresses of a family in one hint. Clients query A and AAAA as well, so that the rest is
 * not lost.
 */
const MAX_HINTS = 32;

export class HintedZone implements ZoneView {
  readonly apex: Name;
  readonly mayOcclude: boolean;
  readonly parentDs: RRset | null;

  constructor(private readonly zone: ZoneView) {
    this.apex = zone.apex;
    this.mayOcclude = zone.mayOcclude;
    this.parentDs = zone.parentDs;
  }

  rrsets(name: Name): readonly ZoneRRset[] {
    return withHints(name, this.zone.rrsets(name), (host) => this.#addressSets(name, host));
  }

  hasBelow(name: Name): boolean {
    return this.zone.hasBelow(name);
  }

  isNested(name: Name): boolean {
    return this.zone.isNested(name);
  }

  /** The RRsets that the zone serves for a host, at the end of its aliases. */
  #addressSets(owner: Name, host: Name): readonly ZoneRRset[] {
    if (equalNames(host, owner)) return this.zone.rrsets(owner);
    const { terminal } = follow(this.zone, owner, { type: TYPE.CNAME, ttl: 0, rdatas: [host] });
    return terminal.kind === 'sets' ? terminal.sets : NO_RRSETS;
  }
}

/**
 * Replaces the automatic hints in the RRsets of a name. `setsOf`: the RRsets of a host. Without
 * automatic hints the RRsets are returned as they are.
 */
export function withHints(
  owner: Name,
  sets: readonly ZoneRRset[],
  setsOf: (host: Name) => readonly ZoneRRset[],
): readonly ZoneRRset[] {
  if (!hasAutoHints(sets)) return sets;
  return sets.map((set): ZoneRRset => {
    if (!isAutomatic(set)) return set;
    const rdatas = set.rdatas.map((rdata) => {
      if (!hasAutoHint(rdata)) return rdata;
      const found = setsOf(serviceHost(owner, rdata));
      return replaceAutoHints(rdata, { ipv4: addresses(found, TYPE.A), ipv6: addresses(found, TYPE.AAAA) });
    });
    sortRdatas(rdatas);
    // Two records may differ in nothing but the form of their hints.
    const isRepeated = (rdata: Uint8Array, i: number): boolean => i > 0 && Buffer.compare(rdata, rdatas[i - 1]) === 0;
    return { ...set, rdatas: rdatas.filter((rdata, i) => !isRepeated(rdata, i)), hasAutoHints: true };
  });
}

/** Whether any of the RRsets has automatic hints. */
export function hasAutoHints(sets: readonly ZoneRRset[]): boolean {
  for (const set of sets) if (isAutomatic(set)) return true;
  return false;
}

export const isAutomatic = ({ type, rdatas, hasAutoHints: had }: ZoneRRset): boolean =>
  isServiceBinding(type) && (had === true || rdatas.some(hasAutoHint));

/** Empty for a steered RRset: each client gets its own addresses from it. */
function addresses(sets: readonly ZoneRRset[], type: number): readonly Uint8Array[] {
  const set = findType(sets, type);
  return set === undefined || set.steering !== undefined ? [] : set.rdatas.slice(0, MAX_HINTS);
}
