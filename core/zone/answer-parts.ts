/** What answers are put together from: the SOA, referrals with their glue, the addresses of targets, and the answer that a body makes. */
import { ANSWER_AA, type Answer, MAX_BODY } from '../store/answers.ts';
import { Body } from '../wire/body.ts';
import { MAX_NAME, type Name, nameAt, nameId } from '../wire/name.ts';
import { ADDITIONAL_TARGET, RCODE, type RRset, TYPE } from '../wire/types.ts';
import { findType, type ZoneView } from './view.ts';
import { localSets } from './walk.ts';

/** Something is wrong, and who asked may come again. */
export const FAILURE: Answer = {
  rcode: RCODE.SERVFAIL,
  flags: 0,
  ancount: 0,
  nscount: 0,
  arcount: 0,
  moves: [],
  drops: [],
  body: new Uint8Array(0),
};

/** SOA with the TTL of negative answers (RFC 2308 section 3). */
export function negative(apex: Name, soa: RRset): Answer {
  const rdata = soa.rdatas[0];
  const minimum = Buffer.from(rdata.buffer, rdata.byteOffset, rdata.length).readUInt32BE(rdata.length - 4);
  return soaAnswer(apex, { ...soa, ttl: Math.min(soa.ttl, minimum) }, 0, 1);
}

/** The SOA itself. Like the negative answer it is put behind chains, so nothing in it points into a body. */
export function start(apex: Name, soa: RRset): Answer {
  return soaAnswer(apex, soa, 1, 0);
}

function soaAnswer(apex: Name, soa: RRset, ancount: number, nscount: number): Answer {
  const body = new Body(apex, 'suffix', false);
  body.rrset(apex, soa);
  return finish(body, RCODE.NOERROR, ANSWER_AA, ancount, { nscount, arcount: 0 }, NO_ADDITIONAL);
}

interface Authority {
  readonly nscount: number;
  /** Glue: additional records that must not be left out (RFC 9471). */
  readonly arcount: number;
}

export const NO_AUTHORITY: Authority = { nscount: 0, arcount: 0 };

/** NS of the cut and the addresses that the zone holds of their targets, occluded or not. */
export function referral(view: ZoneView, body: Body, cut: Name, sets: readonly RRset[]): Authority {
  const ns = findType(sets, TYPE.NS)!;
  body.rrset(cut, ns);
  let arcount = 0;
  for (const rdata of ns.rdatas) {
    const target = nameAt(rdata, 0);
    for (const set of addressSets(view.rrsets(target))) {
      if (body.size + sizeOf(set) > MAX_BODY) return { nscount: ns.rdatas.length, arcount };
      body.rrset(target, set);
      arcount += set.rdatas.length;
    }
  }
  return { nscount: ns.rdatas.length, arcount };
}

/** Additional records that may be left out. */
type Additional = Pick<Answer, 'drops' | 'arcount'>;

export const NO_ADDITIONAL: Additional = { drops: [], arcount: 0 };

/** Writes the addresses of an RRset's targets; returns what is left when the last, the last two … RRsets are left out. */
export function addresses(view: ZoneView, body: Body, set: RRset): Additional {
  const at = ADDITIONAL_TARGET.get(set.type);
  if (at === undefined) return NO_ADDITIONAL;
  const drops: Answer['drops'][number][] = [];
  const seen = new Set<string>();
  let arcount = 0;
  for (const rdata of set.rdatas) {
    const target = nameAt(rdata, at);
    const id = nameId(target);
    if (seen.has(id)) continue;
    seen.add(id);
    for (const address of addressSets(localSets(view, target))) {
      if (body.size + sizeOf(address) > MAX_BODY) return { drops, arcount };
      drops.unshift({ bodyLength: body.size, arcount });
      body.rrset(target, address);
      arcount += address.rdatas.length;
    }
  }
  return { drops, arcount };
}

function addressSets(sets: readonly RRset[]): RRset[] {
  return sets.filter(({ type, rdatas }) => (type === TYPE.A || type === TYPE.AAAA) && rdatas.length > 0);
}

/** Upper bound of what an RRset of addresses takes. */
function sizeOf(set: RRset): number {
  return set.rdatas.length * (MAX_NAME + 10 + 16);
}

export function finish(
  body: Body,
  rcode: number,
  flags: number,
  ancount: number,
  authority: Authority,
  additional: Additional,
): Answer {
  const { drops, arcount } = additional;
  // RRsets are bounded when they are accepted (MAX_RRSET), so this is a zone that came in some other way.
  if (body.size > MAX_BODY) return FAILURE;
  return {
    rcode,
    flags,
    ancount,
    nscount: authority.nscount,
    arcount: authority.arcount + arcount,
    moves: body.moves,
    drops,
    body: body.content,
  };
}
