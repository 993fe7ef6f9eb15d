/** The parts of answers: the SOA, referrals with glue, and finishing a body. */

import { Body } from '../../dns/wire/body.ts';
import { type Name, nameAt } from '../../dns/wire/name.ts';
import { RCODE, type RRset, TYPE } from '../../dns/wire/types.ts';
import { ANSWER_AA, type Answer, MAX_BODY } from '../../store/answers.ts';
import { type Additional, addressSets, NO_ADDITIONAL, sizeOf } from './additional.ts';
import type { ZoneSigner } from './signer.ts';
import { findType, type ZoneView } from './view.ts';

/** A temporary failure; the client may retry. */
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

/** The negative answer: the SOA with the negative TTL (RFC 2308 section 3). */
export function negative(apex: Name, soa: RRset, signer: ZoneSigner | null): Answer {
  return soaAnswer(apex, soa, negativeTtl(soa), 0, 1, signer);
}

/** The TTL of negative answers and of NSEC3 records (RFC 9077 section 3), in seconds. */
export function negativeTtl(soa: RRset): number {
  const rdata = soa.rdatas[0];
  const minimum = Buffer.from(rdata.buffer, rdata.byteOffset, rdata.length).readUInt32BE(rdata.length - 4);
  return Math.min(soa.ttl, minimum);
}

/**
 * The answer to a query for SOA. Like the negative answer it is appended to chains, so it has no
 * pointers into a body.
 */
export function start(apex: Name, soa: RRset, signer: ZoneSigner | null): Answer {
  return soaAnswer(apex, soa, soa.ttl, 1, 0, signer);
}

function soaAnswer(
  apex: Name,
  soa: RRset,
  ttl: number,
  ancount: number,
  nscount: number,
  signer: ZoneSigner | null,
): Answer {
  const body = new Body(apex, 'suffix', false);
  body.rrset(apex, { ...soa, ttl });
  const answer = finish(body, RCODE.NOERROR, ANSWER_AA, ancount, { nscount, arcount: 0 }, NO_ADDITIONAL);
  if (signer === null) return answer;
  const signatures = new Body(apex, 'suffix', false);
  // The signature has the original TTL (RFC 4034 section 3.1.4).
  const set = signer.sign(apex, soa);
  signatures.rrset(apex, { ...set, ttl });
  const count = set.rdatas.length;
  return {
    ...answer,
    signed: {
      kept: answer.body.length,
      ancount: ancount === 0 ? 0 : ancount + count,
      nscount: nscount === 0 ? 0 : nscount + count,
      arcount: 0,
      moves: signatures.moves,
      proofs: [],
      signatures: signatures.content,
      tail: new Uint8Array(0),
    },
  };
}

interface Authority {
  readonly nscount: number;
  /** Glue: additional records that must not be left out (RFC 9471). */
  readonly arcount: number;
}

export const NO_AUTHORITY: Authority = { nscount: 0, arcount: 0 };

/** Writes the NS records of a cut, and glue. */
export function referral(view: ZoneView, body: Body, cut: Name, sets: readonly RRset[]): Authority {
  const ns = findType(sets, TYPE.NS)!;
  body.rrset(cut, ns);
  return { nscount: ns.rdatas.length, arcount: glue(view, body, ns) };
}

/**
 * Writes the addresses of the targets of a cut that the zone has, even if they are occluded.
 * Returns the number of records.
 */
export function glue(view: ZoneView, body: Body, ns: RRset): number {
  let arcount = 0;
  for (const rdata of ns.rdatas) {
    const target = nameAt(rdata, 0);
    for (const set of addressSets(view.rrsets(target))) {
      if (body.size + sizeOf(target, set) > MAX_BODY) return arcount;
      body.rrset(target, set);
      arcount += set.rdatas.length;
    }
  }
  return arcount;
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
  // Imported zone files may have RRsets this large. The import warns of them.
  if (!body.fits) return FAILURE;
  return {
    rcode,
    flags: flags | additional.flags,
    ancount,
    nscount: authority.nscount,
    arcount: authority.arcount + arcount,
    moves: body.moves,
    drops,
    body: body.content,
  };
}
