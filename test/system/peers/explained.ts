/**
 * Where Knot DNS 3.2 and NSD 4.6 answer otherwise than docs/internals/answers.md says, and why ours
 * is right. A difference that none of these covers fails the test. Each says which parts of a
 * response it is about; the rest has to agree.
 */
import { equalNames, isWildcard, isWithin, type Name, parentName } from '../../../core/dns/wire/name.ts';
import { HOST_TARGET, RCODE, type ResourceRecord, TYPE } from '../../../core/dns/wire/types.ts';
import type { World } from '../../reference/generate.ts';
import { type Expected, type Query, resolve } from '../../reference/resolver.ts';
import type { Message } from '../../support/message.ts';
import type { Peer } from './servers.ts';

/** `answer-`: the peer lacks records that we send; `answer+`: it sends more. */
export type Part = 'rcode' | 'aa' | `${'answer' | 'authority' | 'additional'}${'-' | '+'}`;

/** A question on which a peer and the reference differ. Names are in lower case. */
export interface Difference {
  readonly peer: Peer['name'];
  readonly world: World;
  readonly query: Query;
  readonly ours: Expected;
  readonly theirs: Message;
  readonly parts: ReadonlySet<Part>;
}

interface Explanation {
  readonly name: string;
  readonly peers: readonly Peer['name'][];
  /** The parts that may differ. */
  readonly parts: readonly Part[];
  readonly applies: (difference: Difference) => boolean;
}

/** How many CNAMEs Knot DNS 3.2 follows in one response. */
const KNOT_CHAIN = 5;

const EXPLANATIONS: readonly Explanation[] = [
  {
    // Knot and NSD go round a loop until they have gone so many steps or the response is full; with
    // a DNAME that points below itself that ends in YXDOMAIN. We stop where a name comes up again.
    // RFC 1034 3.6.2 asks only that loops are caught; what we leave out a resolver has been given
    // already, or asks for by the last target.
    name: 'a chain that comes to a name again is cut there',
    peers: ['knot', 'nsd'],
    parts: ['rcode', 'answer+', 'authority+', 'additional+'],
    applies: ({ ours }) => ours.end === 'loop',
  },
  {
    // Knot adds the referral to the nested zone, NSD goes on in any zone that it has. We end at the
    // zone's edge: RFC 1034 4.3.2 step 3a restarts in the same data, and a resolver takes nothing
    // from beyond the zone that it asked (RFC 2181 5.4.1).
    name: 'a chain is not followed into another zone of ours',
    peers: ['knot', 'nsd'],
    parts: ['rcode', 'answer+', 'authority+', 'additional+'],
    applies: ({ ours, world }) =>
      ours.end === 'outside' && apexes(world).some((apex) => isWithin(lastTarget(ours), apex)),
  },
  {
    // Both add addresses that are at or below a cut of the zone. That data is not authoritative
    // (RFC 2181 5.4.1), and a resolver that has followed the delegation does not use it.
    name: 'addresses beyond a cut are additional only in a referral',
    peers: ['knot', 'nsd'],
    parts: ['additional+'],
    applies: ({ ours, world }) => targets(ours.answer).some((target) => isBeyondCut(world, target)),
  },
  {
    // Both give a referral's name servers addresses from a wildcard. Glue is what is held at the
    // very name (RFC 9471 2); a server whose address comes from a wildcard is outside the cut, and
    // a resolver asks us for it.
    name: 'no glue is made from a wildcard',
    peers: ['knot', 'nsd'],
    parts: ['additional+'],
    applies: ({ ours, world }) => targets(ours.authority).some((target) => !isOwner(world, target)),
  },
  {
    // NSD, told to answer minimally, leaves the addresses of MX and SRV targets out. RFC 1035 3.3.9
    // and RFC 2782 want them.
    name: 'no additional addresses with a positive answer',
    peers: ['nsd'],
    parts: ['additional-'],
    applies: ({ ours, theirs }) => !ours.referral && ours.answer.length > 0 && theirs.additional.length === 0,
  },
  {
    // Both leave out what goes with SVCB and HTTPS where a target is "." or an alias, NSD
    // everywhere; Knot adds SVCB and HTTPS of targets in ServiceMode, too, which are no
    // alternatives of theirs, and takes nothing but the first target's. RFC 9460 4.1 wants
    // addresses and, in AliasMode, the target's own records; a resolver that lacks them asks.
    name: 'what goes with SVCB and HTTPS',
    peers: ['knot', 'nsd'],
    parts: ['additional-', 'additional+'],
    applies: ({ ours }) => ours.answer.some(({ type }) => type === TYPE.SVCB || type === TYPE.HTTPS),
  },
  {
    // NSD asks the outermost of three nested zones for the DS of the innermost. RFC 4035 3.1.4.1:
    // the parent zone answers.
    name: 'DS at an apex two zones deep',
    peers: ['nsd'],
    parts: ['aa', 'answer-', 'answer+', 'authority-', 'authority+', 'additional-', 'additional+'],
    applies: ({ query, world }) =>
      query.type === TYPE.DS && apexes(world).filter((apex) => isWithin(query.name, apex)).length > 2,
  },
  {
    // NSD changes to the parent zone when a chain asked for DS ends at the apex. We stay in the
    // zone where the chain began, as for every other type; a resolver asks the parent for the DS of
    // the last target.
    name: 'a chain asked for DS ends at its own apex',
    peers: ['nsd'],
    parts: ['rcode', 'answer+', 'authority-', 'authority+'],
    applies: ({ query, ours, world }) =>
      query.type === TYPE.DS &&
      ours.answer.length > 0 &&
      apexes(world).some((apex) => equalNames(lastTarget(ours), apex)),
  },
  {
    // Knot goes on after YXDOMAIN: with an SOA, a referral, or CNAMEs that follow from the DNAME's
    // own target. RFC 6672 3.2 step 3c says "exit", and RFC 2308 gives an SOA to NXDOMAIN and
    // NODATA only.
    name: 'YXDOMAIN is the end',
    peers: ['knot'],
    parts: ['answer+', 'authority+', 'additional+'],
    applies: ({ ours }) => ours.rcode === RCODE.YXDOMAIN,
  },
  {
    // The same, when what Knot goes on to, the DNAME's own target as if that had been asked, has
    // another code. A chain that comes back to where it began has no code of its own.
    name: 'YXDOMAIN is the end, whatever the name that a DNAME points at leads to',
    peers: ['knot'],
    parts: ['rcode'],
    applies: ({ ours, theirs, query, world }) => {
      if (ours.rcode !== RCODE.YXDOMAIN) return false;
      const beyond = resolve(world.zones, { ...query, name: lastTarget(ours) });
      return beyond.rcode === theirs.rcode || beyond.end === 'loop';
    },
  },
  {
    // Knot makes a DNAME below a wildcard label by the wildcard's owner: the DNAME comes with the
    // name asked as its owner. RFC 6672 3.3: the owner is the wildcard itself, whose label stands
    // in the name asked.
    name: 'a DNAME whose owner begins with an asterisk, asked below it',
    peers: ['knot'],
    parts: ['answer-', 'answer+'],
    applies: ({ ours }) => ours.answer.some((record) => record.type === TYPE.DNAME && record.name[1] === 0x2a),
  },
  {
    // Knot does not go on from a wildcard that it has come to before, for fear of a loop. With
    // another name it may be none.
    name: 'a chain ends where a wildcard comes up again',
    peers: ['knot'],
    parts: ['rcode', 'answer-', 'authority-', 'additional-'],
    applies: ({ ours, theirs, world }) =>
      cnames(ours.answer) >= cnames(theirs.answer) && wildcards(world).some((name) => uses(ours, world, name) > 1),
  },
  {
    // NSD uses a DNAME that points below its own owner once and ends there with NOERROR; we, BIND
    // and Knot go on to YXDOMAIN or to the limit of a chain. RFC 6672 3.2 knows no such exception.
    name: 'a DNAME that points below itself is used again',
    peers: ['nsd'],
    parts: ['rcode', 'answer-'],
    applies: ({ ours, theirs }) =>
      theirs.rcode === RCODE.NOERROR &&
      ours.answer.some(({ type, name, rdata }) => type === TYPE.DNAME && isWithin(rdata, name)),
  },
  {
    // NSD does not compress the names that it synthesizes, and truncates the response.
    name: 'names of a long chain of DNAMEs are not compressed',
    peers: ['nsd'],
    parts: ['answer-', 'authority-', 'additional-'],
    applies: ({ ours, theirs }) => theirs.header.tc && ours.answer.some(({ type }) => type === TYPE.DNAME),
  },
  {
    // Knot gives NODATA, as signatures may stand next to a CNAME (RFC 4034 3). We hold no
    // signatures, so that RRSIG is a type as any other, for which a CNAME is followed (RFC 1034
    // 3.6.2).
    name: 'RRSIG asked at a CNAME is not followed',
    peers: ['knot'],
    parts: ['rcode', 'answer-', 'authority-', 'authority+', 'additional-'],
    applies: ({ query, theirs }) => query.type === 46 && theirs.rcode === RCODE.NOERROR,
  },
  {
    // Knot follows five CNAMEs and leaves what comes after them to the resolver, which asks for the
    // last target. RFC 1034 3.6.2 sets no number; we go on to the end of the chain, which a zone's
    // size bounds.
    name: 'a chain ends after five CNAMEs',
    peers: ['knot'],
    parts: ['rcode', 'answer-', 'authority-', 'additional-'],
    applies: ({ ours, theirs }) => cnames(ours.answer) > KNOT_CHAIN && cnames(theirs.answer) === KNOT_CHAIN,
  },
];

/** The explanations that apply, if together they cover the whole difference; else none. */
export function explain(difference: Difference): readonly string[] {
  const applying = EXPLANATIONS.filter(({ peers, applies }) => peers.includes(difference.peer) && applies(difference));
  const covered = new Set(applying.flatMap(({ parts }) => parts));
  return [...difference.parts].every((part) => covered.has(part)) ? applying.map(({ name }) => name) : [];
}

export const EXPLANATION_NAMES: readonly string[] = EXPLANATIONS.map(({ name }) => name);

function cnames(records: readonly { readonly type: number }[]): number {
  return records.filter(({ type }) => type === TYPE.CNAME).length;
}

function wildcards(world: World): Name[] {
  return [...world.zones.values()].flatMap((records) => records.map(({ name }) => name)).filter(isWildcard);
}

/**
 * How many CNAMEs of an answer may come from what a wildcard owns: a CNAME, by standing for a name,
 * or a DNAME above it.
 */
function uses(ours: Expected, world: World, wildcard: Name): number {
  return ours.answer.filter(
    ({ type, name }) =>
      type === TYPE.CNAME &&
      (equalNames(name, wildcard) || (isWithin(name, parentName(wildcard)) && !isOwner(world, name))),
  ).length;
}

function apexes(world: World): Name[] {
  return [...world.zones.values()].map((records) => records[0].name);
}

function lastTarget(ours: Expected): Name {
  return ours.answer[ours.answer.length - 1].rdata;
}

function targets(records: readonly ResourceRecord[]): Name[] {
  return records
    .filter(({ type }) => HOST_TARGET.has(type))
    .map(({ type, rdata }) => rdata.subarray(HOST_TARGET.get(type)));
}

function isOwner(world: World, name: Name): boolean {
  return [...world.zones.values()].some((records) => records.some((record) => equalNames(record.name, name)));
}

function isBeyondCut(world: World, name: Name): boolean {
  return [...world.zones.values()].some((records) =>
    records.some((cut) => cut.type === TYPE.NS && !equalNames(cut.name, records[0].name) && isWithin(name, cut.name)),
  );
}
