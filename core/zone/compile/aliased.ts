/**
 * A zone with what its ALIAS records stand for: A and AAAA of the target. All else (additional
 * records, chains, wildcards) follows, since the compiler asks this view as it asks any zone. The
 * ALIAS stays among the RRsets, so that its name exists though the target may have no address.
 */
import type { Name } from '../../dns/wire/name.ts';
import { type RRset, TYPE } from '../../dns/wire/types.ts';
import type { ProxyHints, ZoneRRset, ZoneView } from './view.ts';

/**
 * What a target stands for: at most one RRset of A and one of AAAA, in this order, see ZoneRRset.
 */
type AliasAnswers = (target: Name) => readonly ZoneRRset[];

/** Of a target of which nothing is known. */
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
 * The ALIAS among the RRsets of a name. Its type number is the highest that is assigned a meaning
 * here, so most often the last one is looked at alone.
 */
export function aliasOf(sets: readonly RRset[]): RRset | undefined {
  for (let i = sets.length - 1; i >= 0 && sets[i].type >= TYPE.ALIAS; i--)
    if (sets[i].type === TYPE.ALIAS) return sets[i];
  return undefined;
}
