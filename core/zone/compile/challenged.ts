/**
 * A zone view that adds TXT records for ACME dns-01 challenges (RFC 8555 8.4). They are served next
 * to the customer's TXT records, unless the name has a CNAME. Empty non-terminals and wildcards
 * follow from this, since the compiler reads this view like any zone.
 */
import { equalNames, isWithin, joinNames, MAX_NAME, type Name, parseName } from '../../dns/wire/name.ts';
import { type RRset, TYPE } from '../../dns/wire/types.ts';
import { nameKey } from '../../store/keys.ts';
import type { AcmeChallenge } from '../../store/rows.ts';
import { sortRdatas } from './memory.ts';
import { findType, type ProxyHints, type ZoneView } from './view.ts';

/** Seconds. Short, so that a validation of the next order sees the new records. */
const TTL = 30;
const LABEL = Uint8Array.from([15, ...Buffer.from('_acme-challenge')]);

/** Rdata of TXT: one string of a digest in base64url, 43 characters (RFC 1035 3.3.14). */
export const challengeRdata = (content: string): Uint8Array =>
  Uint8Array.from([content.length, ...Buffer.from(content, 'latin1')]);

/** Where a name is validated. Null: the name is so long that no name fits below it. */
export function challengeName(name: Name): Name | null {
  return LABEL.length + name.length > MAX_NAME ? null : joinNames(LABEL, name);
}

/** The owner of the TXT record of a challenge; null: it has none. */
export function challengeOwner(apex: Name, { type, name }: Pick<AcmeChallenge, 'type' | 'name'>): Name | null {
  if (type !== 'dns-01') return null;
  return challengeName(name === undefined ? apex : parseName(`${name}.`));
}

/** The TXT records of challenges at a name. */
export interface ChallengeSet {
  readonly name: Name;
  readonly rdatas: readonly Uint8Array[];
}

/** The TXT records of a zone's challenges, in canonical order of their owners. */
export function challengeSets(apex: Name, challenges: readonly AcmeChallenge[]): readonly ChallengeSet[] {
  const sets = new Map<string, { readonly name: Name; readonly rdatas: Uint8Array[] }>();
  for (const challenge of challenges) {
    const name = challengeOwner(apex, challenge);
    if (name === null) continue;
    const key = nameKey(name).toString('latin1');
    let set = sets.get(key);
    if (set === undefined) {
      set = { name, rdatas: [] };
      sets.set(key, set);
    }
    set.rdatas.push(challengeRdata(challenge.content));
  }
  return [...sets].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, set]) => set);
}

/** Adds the rdata of challenges to the RRsets stored at their name. */
export function withChallenges(sets: readonly RRset[], rdatas: readonly Uint8Array[]): readonly RRset[] {
  if (rdatas.length === 0 || findType(sets, TYPE.CNAME) !== undefined) return sets;
  const own = findType(sets, TYPE.TXT);
  const all = [...(own?.rdatas ?? [])];
  for (const rdata of rdatas) if (!all.some((listed) => Buffer.compare(listed, rdata) === 0)) all.push(rdata);
  sortRdatas(all);
  const txt = { type: TYPE.TXT, ttl: own?.ttl ?? TTL, rdatas: all };
  return [...sets.filter((set) => set !== own), txt].sort((a, b) => a.type - b.type);
}

export class ChallengedZone implements ZoneView, ProxyHints {
  readonly apex: Name;
  readonly mayOcclude: boolean;
  readonly parentDs: RRset | null;
  readonly #zone: ZoneView & ProxyHints;
  readonly #challenges: readonly ChallengeSet[];

  /** `challenges`: one or more. */
  constructor(zone: ZoneView & ProxyHints, challenges: readonly ChallengeSet[]) {
    this.apex = zone.apex;
    this.mayOcclude = zone.mayOcclude;
    this.parentDs = zone.parentDs;
    this.#zone = zone;
    this.#challenges = challenges;
  }

  rrsets(name: Name): readonly RRset[] {
    const sets = this.#zone.rrsets(name);
    for (const challenge of this.#challenges)
      if (equalNames(name, challenge.name)) return withChallenges(sets, challenge.rdatas);
    return sets;
  }

  hasBelow(name: Name): boolean {
    if (this.#zone.hasBelow(name)) return true;
    for (const challenge of this.#challenges)
      if (name.length < challenge.name.length && isWithin(challenge.name, name)) return true;
    return false;
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
