/**
 * The additional section of a positive answer: records that the client would query next. It may be
 * truncated from its end.
 */

import { ASKED, type Body, type Owner } from '../../dns/wire/body.ts';
import { equalNames, isWildcard, type Name, nameAt, nameId } from '../../dns/wire/name.ts';
import { HOST_TARGET, isServiceBinding, MAX_SOURCES, type RRset, SERVICE_TARGET, TYPE } from '../../dns/wire/types.ts';
import { ANSWER_OWN_TARGET, ANSWER_REPEATS, type Answer, MAX_BODY } from '../../store/answers.ts';
import { findType, NO_RRSETS, type ZoneRRset, type ZoneView } from './view.ts';
import { localSets, walk } from './walk.ts';

/** `flags`: flags that these records add to the answer. */
export interface Additional extends Pick<Answer, 'drops' | 'arcount' | 'flags'> {
  /** The records include CNAMEs. */
  readonly hasAlias: boolean;
}

export const NO_ADDITIONAL: Additional = { drops: [], arcount: 0, hasAlias: false, flags: 0 };

/**
 * Maximum bytes of a body with additional records. Each body copies the records of its targets, so
 * without a limit ten thousand MX records would multiply a large name by ten thousand.
 */
const MAX_ADDITIONAL = 4096;

/**
 * Writes the additional records of an RRset of `name`, whose owner in the message is `owner`.
 * `aliases`: owners of CNAMEs in the answer.
 */
export function writeAdditional(
  view: ZoneView,
  body: Body,
  owner: Owner,
  name: Name,
  set: RRset,
  aliases: readonly Name[] = NO_NAMES,
): Additional {
  const from: NameInMessage = { owner, name };
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

export function addressSets(sets: readonly ZoneRRset[]): ZoneRRset[] {
  return sets.filter(({ type, rdatas }) => (type === TYPE.A || type === TYPE.AAAA) && rdatas.length > 0);
}

/** A name with records in the message, and its owner there. */
interface NameInMessage {
  readonly owner: Owner;
  readonly name: Name;
}

class AdditionalWriter {
  readonly #view: ZoneView;
  readonly #body: Body;
  /** Maximum bytes of the body. */
  readonly #maxLength: number;
  /** The name of the RRset in the answer section. */
  readonly #from: NameInMessage;
  /** RRsets in the message, as type and owner. Each is written once. */
  readonly #written = new Set<string>();
  readonly #drops: Answer['drops'][number][] = [];
  #arcount = 0;
  #hasAlias = false;
  /** The message has the addresses of a wildcard under the queried name. */
  #hasQueriedName = false;
  /** The message has the addresses of the same wildcard under another name. */
  #hasOtherName = false;
  #isFull = false;

  constructor(view: ZoneView, body: Body, most: number, from: NameInMessage, aliases: readonly Name[]) {
    this.#view = view;
    this.#body = body;
    this.#maxLength = most;
    this.#from = from;
    for (const name of aliases) this.#written.add(setId(TYPE.CNAME, { owner: name, name }));
  }

  get written(): Additional {
    let flags = 0;
    if (this.#hasOtherName) flags = this.#hasQueriedName ? ANSWER_REPEATS : ANSWER_OWN_TARGET;
    return { drops: this.#drops.reverse(), arcount: this.#arcount, hasAlias: this.#hasAlias, flags };
  }

  /** Adds the addresses of the targets of MX, NS or SRV. */
  hosts(set: RRset, at: number): void {
    for (const { name, sets, source } of hostsOf(this.#view, set, at)) {
      if (this.#isFull) return;
      // A delegation needs addresses, also in transfers of the zone around: the plain choice.
      this.#addAddresses({ owner: name, name }, set.type === TYPE.NS ? sets : unsteered(sets), source);
    }
  }

  /**
   * Adds the records that clients of SVCB and HTTPS query next (RFC 9460 4.1). Those are the
   * addresses of the targets, which may be aliases. For a target in AliasMode, they are also its
   * records of the same type and their targets.
   */
  services(set: RRset): void {
    const { type } = set;
    // Stored owners: a wildcard is passed once, whatever name it matches.
    const passed = new Set([nameId(located(this.#view, this.#from.name).source)]);
    let level: (NameInMessage & { readonly set: RRset })[] = [{ ...this.#from, set }];
    for (let depth = 0; depth < MAX_SOURCES && level.length > 0; depth++) {
      const next: typeof level = [];
      for (const at of level)
        for (const rdata of at.set.rdatas) {
          const target = nameAt(rdata, SERVICE_TARGET);
          const isAlias = rdata[0] === 0 && rdata[1] === 0;
          // "." is the owner; in AliasMode it means that the service does not exist (RFC 9460 2.5).
          const isOwn = target.length === 1;
          if (this.#isFull || (isAlias && isOwn)) continue;
          const end = this.#followAliases(isOwn ? at : { owner: target, name: target });
          const { sets, source } = located(this.#view, end.name);
          const services = isAlias ? findType(sets, type) : undefined;
          if (services !== undefined && !passed.has(nameId(source))) {
            passed.add(nameId(source));
            if (this.#add(end, services)) next.push({ ...end, set: services });
          }
          this.#addAddresses(end, unsteered(addressSets(sets)), source);
        }
      level = next;
    }
  }

  #addAddresses(at: NameInMessage, sets: readonly ZoneRRset[], source: Name): void {
    for (const addresses of sets) {
      if (!this.#add(at, addresses) || !isQueriedWildcard(this.#from)) continue;
      if (at.owner === ASKED) this.#hasQueriedName = true;
      else if (equalNames(source, this.#from.name)) this.#hasOtherName = true;
    }
  }

  /** Writes the CNAMEs from `start` on. Returns the name at the end of the chain. */
  #followAliases(start: NameInMessage): NameInMessage {
    let at = start;
    for (let i = 0; i < MAX_SOURCES; i++) {
      const cname = findType(localSets(this.#view, at.name), TYPE.CNAME);
      if (cname === undefined || cname.steering !== undefined) break;
      if (this.#add(at, cname)) this.#hasAlias = true;
      const name = nameAt(cname.rdatas[0], 0);
      at = { owner: name, name };
    }
    return at;
  }

  /** Adds an RRset. False: the message has it already or has no room for it. */
  #add(at: NameInMessage, set: RRset): boolean {
    const { owner, name } = at;
    const body = this.#body;
    const id = setId(set.type, at);
    if (this.#isFull || this.#written.has(id)) return false;
    if (body.size + sizeOf(name, set) > this.#maxLength) {
      this.#isFull = true;
      return false;
    }
    this.#written.add(id);
    this.#drops.push({ bodyLength: body.size, arcount: this.#arcount });
    body.rrset(owner, set);
    this.#arcount += set.rdatas.length;
    return true;
  }
}

/** A target of MX, NS or SRV, and its addresses. */
export interface Host extends Located {
  readonly name: Name;
}

/** The targets of MX, NS or SRV, each once. They are not aliases (RFC 2181 10.3). */
export function* hostsOf(view: ZoneView, { rdatas }: RRset, at: number): Generator<Host> {
  const seen = new Set<string>();
  for (const rdata of rdatas) {
    const name = nameAt(rdata, at);
    const id = nameId(name);
    if (seen.has(id)) continue;
    seen.add(id);
    const { sets, source } = located(view, name);
    yield { name, sets: addressSets(sets), source };
  }
}

/** RRsets of a name, and the owner that they are stored under. */
interface Located {
  readonly sets: readonly ZoneRRset[];
  readonly source: Name;
}

function located(view: ZoneView, name: Name): Located {
  const outcome = walk(view, name);
  if (outcome.kind === 'wildcard') return outcome;
  return { sets: outcome.kind === 'found' ? outcome.sets : NO_RRSETS, source: name };
}

/** Clients ask for steered addresses, and each gets its own variant. */
const unsteered = (sets: readonly ZoneRRset[]): readonly ZoneRRset[] =>
  sets.filter(({ steering }) => steering === undefined);

/** Whether the owner is the queried name and may be any name that the wildcard matches. */
const isQueriedWildcard = ({ owner, name }: NameInMessage): boolean => owner === ASKED && isWildcard(name);

/**
 * Identifies an RRset. A target may be the wildcard itself, which differs from the queried name.
 */
const setId = (type: number, at: NameInMessage): string =>
  `${type} ${isQueriedWildcard(at) ? 'queried' : nameId(at.name)}`;

/** Upper bound of the bytes of an RRset. */
export function sizeOf(name: Name, { rdatas }: RRset): number {
  return rdatas.reduce((sum, rdata) => sum + name.length + 10 + rdata.length, 0);
}
