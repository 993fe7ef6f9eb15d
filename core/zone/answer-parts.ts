/** What answers are put together from: the SOA, referrals with their glue, and the answer that a body makes. */
import { ANSWER_AA, type Answer, MAX_BODY } from '../store/answers.ts';
import { Body } from '../wire/body.ts';
import { type Name, nameAt } from '../wire/name.ts';
import { RCODE, type RRset, TYPE } from '../wire/types.ts';
import { type Additional, addressSets, NO_ADDITIONAL, sizeOf } from './additional.ts';
import { findType, type ZoneView } from './view.ts';

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
      if (body.size + sizeOf(target, set) > MAX_BODY) return { nscount: ns.rdatas.length, arcount };
      body.rrset(target, set);
      arcount += set.rdatas.length;
    }
  }
  return { nscount: ns.rdatas.length, arcount };
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
  // A zone file may have such RRsets, and its import warns of them.
  if (!body.fits) return FAILURE;
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
