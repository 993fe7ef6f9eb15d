/**
 * A zone view that adds A and AAAA records of the targets of ALIAS records. Additional records,
 * chains and wildcards use these, since the compiler reads this view like any zone. The ALIAS stays
 * in the RRsets, so its name exists even if the target has no address.
 */
import type { Name } from '../../dns/wire/name.ts';
import { type RRset, TYPE } from '../../dns/wire/types.ts';
import type { ProxyHints, ZoneRRset, ZoneView } from './view.ts';

/** The addresses of a target: at most one RRset of A, then at most one of AAAA; see ZoneRRset. */
type AliasAnswers = (target: Name) => readonly ZoneRRset[];

/** The answers for a target that was never resolved. */
export const UNRESOLVED: readonly ZoneRRset[] = [
  { type: TYPE.A, ttl: 0, rdatas: [] },
  { type: TYPE.AAAA, ttl: 0, rdatas: [] },
];

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

/**
 * Finds the ALIAS among the RRsets of a name. No assigned type has a higher number, so usually only
 * the last RRset is checked.
 */
export function aliasOf(sets: readonly RRset[]): RRset | undefined {
  for (let i = sets.length - 1; i >= 0 && sets[i].type >= TYPE.ALIAS; i--)
    if (sets[i].type === TYPE.ALIAS) return sets[i];
  return undefined;
}
