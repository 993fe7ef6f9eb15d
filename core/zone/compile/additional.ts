/**
 * The additional section of a positive answer: what a client would ask for next. It may be left
 * out, from its end on.
 */

import { ASKED, type Body, type Owner } from '../../dns/wire/body.ts';
import { equalNames, isWildcard, type Name, nameAt, nameId } from '../../dns/wire/name.ts';
import { HOST_TARGET, isServiceBinding, MAX_SOURCES, type RRset, SERVICE_TARGET, TYPE } from '../../dns/wire/types.ts';
import { ANSWER_OWN_TARGET, ANSWER_REPEATS, type Answer, MAX_BODY } from '../../store/answers.ts';
import { findType, NO_RRSETS, type ZoneView } from './view.ts';
import { localSets, walk } from './walk.ts';

/** `flags`: those that the records add to the answer. */
export interface Additional extends Pick<Answer, 'drops' | 'arcount' | 'flags'> {
  /** There are CNAMEs among the records. */
  readonly hasAlias: boolean;
}

export const NO_ADDITIONAL: Additional = { drops: [], arcount: 0, hasAlias: false, flags: 0 };

/**
 * Bytes of what goes with an RRset. Each has a copy of what its target holds, so without a bound
 * ten thousand MX records would multiply one large name by ten thousand.
 */
const MAX_ADDITIONAL = 4096;

/**
 * Writes what goes with an RRset, whose owner is `name`, in a message `owner`. `aliases`: owners of
 * CNAMEs that the answer holds.
 */
export function writeAdditional(
  view: ZoneView,
  body: Body,
  owner: Owner,
  name: Name,
  set: RRset,
  aliases: readonly Name[] = NO_NAMES,
): Additional {
  const from: Place = { owner, name };
  const most = Math.min(body.size + MAX_ADDITIONAL, MAX_BODY);
  if (isServiceBinding(set.type)) {
    const writer = new AdditionalWriter(view, body, most, from, aliases);
    writer.services(set);
    return writer.written;
  }
  const at = HOST_TARGET.get(set.type);
  if (at === undefined) return NO_ADDITIONAL;
  const writer = new AdditionalWriter(view, body, most, from, NO_NAMES);
  writer.hosts(set, at);
  return writer.written;
}

const NO_NAMES: readonly Name[] = [];

export function addressSets(sets: readonly RRset[]): RRset[] {
  return sets.filter(({ type, rdatas }) => (type === TYPE.A || type === TYPE.AAAA) && rdatas.length > 0);
}

/** A name whose records are in an answer, and how the message calls it. */
interface Place {
  readonly owner: Owner;
  readonly name: Name;
}

class AdditionalWriter {
  readonly #view: ZoneView;
  readonly #body: Body;
  /** Bytes that the body may have. */
  readonly #most: number;
  /** Of the RRset that the records go with. */
  readonly #from: Place;
  /** What the message holds, as type and owner: each RRset stands in it once. */
  readonly #known = new Set<string>();
  readonly #drops: Answer['drops'][number][] = [];
  #arcount = 0;
  #hasAlias = false;
  /** The addresses of a wildcard are there under the queried name. */
  #hasQueriedName = false;
  /** They are there under another name. */
  #hasOtherName = false;
  #isFull = false;

  constructor(view: ZoneView, body: Body, most: number, from: Place, aliases: readonly Name[]) {
    this.#view = view;
    this.#body = body;
    this.#most = most;
    this.#from = from;
    for (const name of aliases) this.#known.add(setId(TYPE.CNAME, { owner: name, name }));
  }

  get written(): Additional {
    let flags = 0;
    if (this.#hasOtherName) flags = this.#hasQueriedName ? ANSWER_REPEATS : ANSWER_OWN_TARGET;
    return { drops: this.#drops.reverse(), arcount: this.#arcount, hasAlias: this.#hasAlias, flags };
  }

  /** The addresses of the targets of MX, NS or SRV, which are not aliases (RFC 2181 10.3). */
  hosts({ rdatas }: RRset, at: number): void {
    const seen = new Set<string>();
    for (const rdata of rdatas) {
      const name = nameAt(rdata, at);
      const id = nameId(name);
      if (this.#isFull || seen.has(id)) continue;
      seen.add(id);
      this.#addAddresses({ owner: name, name }, located(this.#view, name));
    }
  }

  /**
   * What clients of SVCB and HTTPS go on to (RFC 9460 4.1): the addresses of the targets, which may
   * be aliases, and of a target in AliasMode its own records of the type with what goes with these.
   */
  services(set: RRset): void {
    const { type } = set;
    // By the stored owners: a wildcard's records that lead back to it are the same ones for
    // whatever name.
    const passed = new Set([nameId(located(this.#view, this.#from.name).source)]);
    let level: (Place & { readonly set: RRset })[] = [{ ...this.#from, set }];
    for (let depth = 0; depth < MAX_SOURCES && level.length > 0; depth++) {
      const next: typeof level = [];
      for (const at of level)
        for (const rdata of at.set.rdatas) {
          const target = nameAt(rdata, SERVICE_TARGET);
          const isAlias = rdata[0] === 0 && rdata[1] === 0;
          // "." is the owner, but in AliasMode it says that there is no such service (RFC 9460
          // 2.5).
          const isOwn = target.length === 1;
          if (this.#isFull || (isAlias && isOwn)) continue;
          const end = this.#followed(isOwn ? at : { owner: target, name: target });
          const held = located(this.#view, end.name);
          const { sets, source } = held;
          const services = isAlias ? findType(sets, type) : undefined;
          if (services !== undefined && !passed.has(nameId(source))) {
            passed.add(nameId(source));
            if (this.#add(end, services)) next.push({ ...end, set: services });
          }
          this.#addAddresses(end, held);
        }
      level = next;
    }
  }

  #addAddresses(at: Place, { sets, source }: Located): void {
    for (const addresses of addressSets(sets)) {
      if (!this.#add(at, addresses) || !isQueriedWildcard(this.#from)) continue;
      if (at.owner === ASKED) this.#hasQueriedName = true;
      else if (equalNames(source, this.#from.name)) this.#hasOtherName = true;
    }
  }

  /** Writes the CNAMEs that lead on from a place; returns where they end. */
  #followed(start: Place): Place {
    let at = start;
    for (let i = 0; i < MAX_SOURCES; i++) {
      const cname = findType(localSets(this.#view, at.name), TYPE.CNAME);
      if (cname === undefined) break;
      if (this.#add(at, cname)) this.#hasAlias = true;
      const name = nameAt(cname.rdatas[0], 0);
      at = { owner: name, name };
    }
    return at;
  }

  /** False when the message holds the RRset or has no room for it. */
  #add(at: Place, set: RRset): boolean {
    const { owner, name } = at;
    const body = this.#body;
    const id = setId(set.type, at);
    if (this.#isFull || this.#known.has(id)) return false;
    if (body.size + sizeOf(name, set) > this.#most) {
      this.#isFull = true;
      return false;
    }
    this.#known.add(id);
    this.#drops.push({ bodyLength: body.size, arcount: this.#arcount });
    body.rrset(owner, set);
    this.#arcount += set.rdatas.length;
    return true;
  }
}

/** What a name of the zone holds, and the owner by which it is stored. */
interface Located {
  readonly sets: readonly RRset[];
  readonly source: Name;
}

function located(view: ZoneView, name: Name): Located {
  const outcome = walk(view, name);
  if (outcome.kind === 'wildcard') return outcome;
  return { sets: outcome.kind === 'found' ? outcome.sets : NO_RRSETS, source: name };
}

/** Whether the name stands for any name that a wildcard matches, not only for its own. */
const isQueriedWildcard = ({ owner, name }: Place): boolean => owner === ASKED && isWildcard(name);

/** The queried name differs from the wildcard's own name, which a target may be as well. */
const setId = (type: number, at: Place): string => `${type} ${isQueriedWildcard(at) ? 'queried' : nameId(at.name)}`;

/** Upper bound of what an RRset takes. */
export function sizeOf(name: Name, { rdatas }: RRset): number {
  return rdatas.reduce((sum, rdata) => sum + name.length + 10 + rdata.length, 0);
}
