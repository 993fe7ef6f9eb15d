/**
 * A zone view that adds TXT records for ACME dns-01 challenges (RFC 8555 8.4). They are served next
 * to the customer's TXT records, unless the name has a CNAME. Empty non-terminals and wildcards
 * follow from this, since the compiler reads this view like any zone.
 */
import { equalNames, isWithin, joinNames, MAX_NAME, type Name } from '../../dns/wire/name.ts';
import { type RRset, TYPE } from '../../dns/wire/types.ts';
import { sortRdatas } from './memory.ts';
import { findType, type ProxyHints, type ZoneView } from './view.ts';

/** Seconds. Short, so that a validation of the next order sees the new records. */
const TTL = 30;
const LABEL = Uint8Array.from([15, ...Buffer.from('_acme-challenge')]);

/** Rdata of TXT: one string of a digest in base64url, 43 characters (RFC 1035 3.3.14). */
export const challengeRdata = (content: string): Uint8Array =>
  Uint8Array.from([content.length, ...Buffer.from(content, 'latin1')]);

/** Null: the apex is so long that no name fits below it. */
export function challengeName(apex: Name): Name | null {
  return LABEL.length + apex.length > MAX_NAME ? null : joinNames(LABEL, apex);
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
  readonly #name: Name;
  readonly #rdatas: readonly Uint8Array[];

  /** `name`: challengeName of the apex; `rdatas`: one or more. */
  constructor(zone: ZoneView & ProxyHints, name: Name, rdatas: readonly Uint8Array[]) {
    this.apex = zone.apex;
    this.mayOcclude = zone.mayOcclude;
    this.parentDs = zone.parentDs;
    this.#zone = zone;
    this.#name = name;
    this.#rdatas = rdatas;
  }

  rrsets(name: Name): readonly RRset[] {
    const sets = this.#zone.rrsets(name);
    return equalNames(name, this.#name) ? withChallenges(sets, this.#rdatas) : sets;
  }

  hasBelow(name: Name): boolean {
    return this.#zone.hasBelow(name) || (name.length < this.#name.length && isWithin(this.#name, name));
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
