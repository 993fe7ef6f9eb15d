/**
 * A zone view that adds A and AAAA records of the targets of ALIAS records. Additional records,
 * chains and wildcards use these, since the compiler reads this view like any zone. A name that
 * would have no record gets a placeholder: it exists, for us and for secondaries.
 */
import type { Name } from '../../dns/wire/name.ts';
import { parseRdata } from '../../dns/wire/rdata/index.ts';
import { type RRset, TYPE } from '../../dns/wire/types.ts';
import { findType, type ProxyHints, type ZoneRRset, type ZoneView } from './view.ts';

/** The addresses of a target: at most one RRset of A, then at most one of AAAA; see ZoneRRset. */
export type AliasAnswers = (target: Name) => readonly ZoneRRset[];

/** The answers for a target that was never resolved. */
export const UNRESOLVED: readonly ZoneRRset[] = [
  { type: TYPE.A, ttl: 0, rdatas: [] },
  { type: TYPE.AAAA, ttl: 0, rdatas: [] },
];

/** HINFO means nothing to clients, and all servers load it. RFC 8482 section 4.2 uses it, too. */
export const PLACEHOLDER_TYPE = TYPE.HINFO;
export const PLACEHOLDER = [parseRdata(PLACEHOLDER_TYPE, '"ALIAS" "no addresses"')];

export class AliasedZone implements ZoneView, ProxyHints {
  readonly apex: Name;
  readonly mayOcclude: boolean;
  readonly parentDs: RRset | null;
  readonly #zone: ZoneView & ProxyHints;
  readonly #answers: AliasAnswers;

  constructor(zone: ZoneView & ProxyHints, answers: AliasAnswers) {
    this.#zone = zone;
    this.apex = zone.apex;
    this.mayOcclude = zone.mayOcclude;
    this.parentDs = zone.parentDs;
    this.#answers = answers;
  }

  rrsets(name: Name): readonly ZoneRRset[] {
    const sets = this.#zone.rrsets(name);
    const alias = aliasOf(sets);
    if (alias === undefined) return sets;
    const addresses = this.#answers(alias.rdatas[0]).map((set) => ({ ...set, ttl: Math.min(alias.ttl, set.ttl) }));
    // Without a record of the name, secondaries would answer from a wildcard, or NXDOMAIN.
    if (sets.length === 1 && addresses.length === 0)
      return [{ type: PLACEHOLDER_TYPE, ttl: alias.ttl, rdatas: PLACEHOLDER, isPlaceholder: true }, alias];
    return [...sets, ...addresses].sort((a, b) => a.type - b.type);
  }

  hasBelow(name: Name): boolean {
    return this.#zone.hasBelow(name);
  }

  isNested(name: Name): boolean {
    return this.#zone.isNested(name);
  }

  proxied(name: Name): boolean | null {
    return this.#zone.proxied(name);
  }

  isServiceTarget(name: Name): boolean {
    return this.#zone.isServiceTarget(name);
  }
}

const ADDRESSES: readonly number[] = [TYPE.A, TYPE.AAAA];
const STAND_INS = [...ADDRESSES, PLACEHOLDER_TYPE];

/** The types of RRsets that stand for an ALIAS at a name; none without an ALIAS. */
export function aliasedTypes(sets: readonly ZoneRRset[]): readonly number[] {
  if (aliasOf(sets) === undefined) return [];
  const hinfo = findType(sets, PLACEHOLDER_TYPE);
  return hinfo === undefined || hinfo.isPlaceholder === true ? STAND_INS : ADDRESSES;
}

/**
 * Finds the ALIAS among the RRsets of a name. No assigned type has a higher number, so usually only
 * the last RRset is checked.
 */
export function aliasOf(sets: readonly RRset[]): RRset | undefined {
  for (let i = sets.length - 1; i >= 0 && sets[i].type >= TYPE.ALIAS; i--)
    if (sets[i].type === TYPE.ALIAS) return sets[i];
  return undefined;
}
