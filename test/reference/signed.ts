/**
 * Judges responses of signed zones: without its signatures and proofs a response is what the zone
 * answers unsigned; every RRset is signed; and the proofs prove what the response says, with no
 * record to spare.
 */
import { equalNames, formatName, isWithin, type Name, nameAt, nameId, parentName } from '../../core/dns/wire/name.ts';
import { CLASS_IN, RCODE, type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import { canonicalForm, chars, isSigned } from '../core/dns/dnssec/reference.ts';
import { decodeMessage, type Message } from '../support/message.ts';
import { difference, TCP_LIMIT } from './compare.ts';
import { Bogus, chainOf, isCutIn, labelsOf, lowerCase, nsec3Label, Proofs, readNsec3, visibleIn } from './denial.ts';
import { type Query, resolve, type Zones } from './resolver.ts';

/** A zone as a validator knows it. */
export interface SignedZone {
  readonly apex: Name;
  /** What it answers from: as in the world, with the records of DNSSEC, after proxy and ALIAS. */
  readonly records: readonly ResourceRecord[];
  /** Rdata of the keys that sign. */
  readonly keys: readonly Uint8Array[];
  /** Rdata of the keys that sign the DNSKEY RRset. */
  readonly published: readonly Uint8Array[];
  /** Seconds since 1970. */
  readonly clock: number;
}

/** Judges the responses of one server. */
export class SignedJudge {
  readonly #zones: Zones;
  readonly #signed: readonly (SignedZone & { readonly chain: ReadonlyMap<string, string> })[];

  /** Faults by response. */
  readonly #judged = new Map<string, readonly string[]>();

  /** `zones`: all, with the records of DNSSEC; those of `signed` among them. */
  constructor(zones: Zones, signed: readonly SignedZone[]) {
    this.#zones = zones;
    this.#signed = signed.map((zone) => ({ ...zone, chain: chainOf(zone.records) }));
  }

  /** The signed zone that a name belongs to. */
  zoneOf(query: Query): SignedZone | undefined {
    const name = lowerCase(query.name);
    return this.#signed.find(({ apex }) => isWithin(name, apex));
  }

  /**
   * What is wrong with the responses to a query for a name of a signed zone, over the transport
   * and over TCP, which has room for all of it.
   */
  faults(query: Query, response: Uint8Array | null, whole: Uint8Array | null, limit: number): string[] {
    if (response === null || whole === null) return ['no response'];
    const message = decodeMessage(response);
    const faults: string[] = [];
    const most = limit === TCP_LIMIT ? TCP_LIMIT : Math.min(Math.max(query.edns?.size ?? 0, 512), limit);
    if (response.length > most) faults.push(`${response.length} bytes, ${most} may be sent`);
    const sent = message.answer.length + message.authority.length + message.additional.length;
    if (message.header.tc) {
      if (sent > 0) faults.push(`TC is set beside ${sent} records`);
      if (whole.length <= most) faults.push(`TC is set, but ${whole.length} bytes fit into ${most}`);
    } else if (query.edns?.do === true && Buffer.compare(response, whole) !== 0)
      faults.push('the response differs from that over TCP');
    // Over UDP sizes, one response is asked for many times.
    const id = `${query.type} ${query.edns?.do} ${chars(whole)}`;
    const judged = this.#judged.get(id) ?? this.#contentFaults(query, decodeMessage(whole));
    this.#judged.set(id, judged);
    return [...faults, ...judged];
  }

  #contentFaults(query: Query, message: Message): string[] {
    const { header } = message;
    const faults: string[] = [];
    if (header.ad || header.cd || header.ra || header.tc) faults.push('AD, CD, RA or TC is set over TCP');
    const isDo = query.edns?.do === true;
    if (message.opt !== undefined && message.opt.do !== isDo) faults.push('DO is not copied');
    const isSignatures = query.type === TYPE.RRSIG;
    const expected = resolve(this.#zones, isSignatures ? { ...query, type: TYPE.ANY } : query);
    if (isSignatures && expected.rcode === RCODE.SERVFAIL) return this.#signatureFaults(query, message);
    if (message.rcode !== expected.rcode) faults.push(`RCODE is ${message.rcode}, expected ${expected.rcode}`);
    if (header.aa !== expected.aa) faults.push(`AA is ${header.aa}`);
    const isOfDnssec = ({ type }: ResourceRecord): boolean => type === TYPE.RRSIG || type === TYPE.NSEC3;
    const plain = (records: readonly ResourceRecord[]): ResourceRecord[] =>
      records.filter((record) => !isOfDnssec(record));
    const ds = isDo && expected.referral ? this.#dsAt(expected.authority[0].name) : [];
    // A query for RRSIG gets signatures in the place of what they sign, but below a DNAME.
    const isAtName = ({ name }: ResourceRecord): boolean => equalNames(name, lowerCase(query.name));
    const isBare = isSignatures && expected.answer.every(isAtName);
    const answer = isBare ? [] : expected.answer;
    faults.push(...difference('answer', plain(message.answer), answer));
    faults.push(...difference('authority', plain(message.authority), [...expected.authority, ...ds]));
    if (expected.referral || isDo)
      faults.push(...difference('additional', message.additional, expected.referral ? expected.additional : []));
    if (!isDo) {
      const found = [...message.answer, ...message.authority, ...message.additional].filter(isOfDnssec);
      const allowed = isBare ? message.answer.filter(({ type }) => type === TYPE.RRSIG) : [];
      if (found.length > allowed.length) faults.push('signatures or proofs without DO');
    }
    if (isSignatures) faults.push(...this.#signatureFaults(query, message));
    if (isDo && message.rcode !== RCODE.SERVFAIL) faults.push(...this.#signedFaults(query, message));
    return faults;
  }

  #dsAt(cut: Name): ResourceRecord[] {
    const answer = resolve(this.#zones, { name: cut, type: TYPE.DS, class: CLASS_IN });
    return answer.answer.filter(({ type }) => type === TYPE.DS);
  }

  /** A query for RRSIG at a name with signatures: those of one RRset, which the zone has there. */
  #signatureFaults(query: Query, message: Message): string[] {
    const zone = this.zoneOf(query)!;
    const signatures = message.answer.filter(({ type: kind }) => kind === TYPE.RRSIG);
    if (message.rcode === RCODE.SERVFAIL) return message.answer.length === 0 ? [] : ['SERVFAIL with an answer'];
    if (signatures.length === 0 || message.answer.length > signatures.length) return [];
    const types = new Set(signatures.map(({ rdata }) => (rdata[0] << 8) | rdata[1]));
    if (types.size > 1) return ['signatures of several RRsets'];
    const [type] = types;
    const covered = resolve(this.#zones, { ...query, type, edns: undefined }).answer.filter(
      (record) => record.type === type && equalNames(record.name, lowerCase(query.name)),
    );
    if (covered.length === 0) return [`a signature of type ${type}, which the name does not have`];
    return rrsetFaults(zone, [...covered, ...signatures], false);
  }

  #signedFaults(query: Query, message: Message): string[] {
    const zone = this.#signed.find(({ apex }) => isWithin(lowerCase(query.name), apex))!;
    const faults = [
      ...(query.type === TYPE.RRSIG && message.answer.every(({ type }) => type === TYPE.RRSIG)
        ? []
        : rrsetFaults(zone, message.answer, false)),
      ...rrsetFaults(zone, message.authority, true),
    ];
    if (message.additional.some(({ type }) => type === TYPE.RRSIG)) faults.push('a signature beside glue');
    const denials = message.authority.filter(({ type }) => type === TYPE.NSEC3);
    for (const { name, rdata, ttl } of denials) {
      const owner = nsec3Label(name);
      if (!equalNames(lowerCase(parentName(name)), zone.apex))
        faults.push('an NSEC3 record that is not below the apex');
      if (zone.chain.get(owner) !== Buffer.from(rdata).toString('hex'))
        faults.push(`NSEC3 ${owner} is ${Buffer.from(rdata).toString('hex')}, expected ${zone.chain.get(owner)}`);
      const soa = zone.records.find(({ type }) => type === TYPE.SOA)!;
      const minimum = Buffer.from(soa.rdata).readUInt32BE(soa.rdata.length - 4);
      if (ttl !== Math.min(soa.ttl, minimum)) faults.push(`the TTL of an NSEC3 record is ${ttl}`);
    }
    const proofs = denials.map(readNsec3);
    if (new Set(proofs.map(({ hash }) => hash)).size < proofs.length) faults.push('an NSEC3 record comes twice');
    try {
      const verifier = new Proofs(zone.apex, proofs);
      verify(query, message, zone, verifier);
      if (verifier.used.size < proofs.length)
        faults.push(`${proofs.length} NSEC3 records, ${verifier.used.size} are needed`);
    } catch (error) {
      if (!(error instanceof Bogus)) throw error;
      faults.push(error.message);
    }
    return faults;
  }
}

const isDelegationOf =
  ({ name }: ResourceRecord) =>
  (other: ResourceRecord): boolean =>
    other.type === TYPE.NS && equalNames(other.name, name);

/** What is wrong with a transfer of a zone, as programs that verify whole zones see it. */
export function transferFaults(zone: SignedZone, records: readonly ResourceRecord[]): string[] {
  const covered = ({ type, rdata }: ResourceRecord): number =>
    type === TYPE.RRSIG ? (rdata[0] << 8) | rdata[1] : type;
  // A DNAME at the apex does not occlude the NSEC3 records.
  const ofChain = records.filter((record) => covered(record) === TYPE.NSEC3);
  const others = records.filter((record) => covered(record) !== TYPE.NSEC3);
  const denials = ofChain.filter(({ type }) => type === TYPE.NSEC3);
  const visible = new Set(visibleIn(others));
  const isCut = (name: Name): boolean => isCutIn(others, zone.apex, name);
  const signed = others.filter((record) => {
    if (isCut(record.name)) return covered(record) === TYPE.DS && visible.has(others.find(isDelegationOf(record))!);
    return visible.has(record);
  });
  const faults = [...rrsetFaults(zone, ofChain, false), ...rrsetFaults(zone, signed, false)];
  for (const record of others)
    if (record.type === TYPE.RRSIG && !signed.includes(record))
      faults.push(`a signature of type ${covered(record)} at ${formatName(record.name)}, which is not signed`);
  const chain = new Map(denials.map(({ name, rdata }) => [nsec3Label(name), Buffer.from(rdata).toString('hex')]));
  if (chain.size !== denials.length) faults.push('two NSEC3 records of one name');
  const expected = chainOf(zone.records);
  for (const [owner, rdata] of expected)
    if (chain.get(owner) !== rdata) faults.push(`NSEC3 ${owner} is ${chain.get(owner)}, expected ${rdata}`);
  for (const owner of chain.keys()) if (!expected.has(owner)) faults.push(`NSEC3 ${owner} is of no name`);
  return faults;
}

/** Names of a chain that a response has. */
const MAX_CHAIN = 16;

const verified = new Set<string>();

function isValid(rrset: Parameters<typeof isSigned>[0], rdata: Uint8Array, key: Uint8Array): boolean {
  const id = `${canonicalForm(rrset)}${chars(rdata)}${chars(key)}`;
  if (verified.has(id)) return true;
  if (!isSigned(rrset, rdata, key)) return false;
  if (verified.size > 100_000) verified.clear();
  verified.add(id);
  return true;
}

/** Every RRset of a section has its signatures, and no signature is without its RRset. */
function rrsetFaults(zone: SignedZone, records: readonly ResourceRecord[], isAuthority: boolean): string[] {
  const faults: string[] = [];
  const owner = ({ name }: ResourceRecord): string => nameId(lowerCase(name));
  const signatures = records.filter(({ type }) => type === TYPE.RRSIG);
  const sets = new Map<string, ResourceRecord[]>();
  for (const record of records) {
    if (record.type === TYPE.RRSIG) continue;
    const id = `${owner(record)} ${record.type}`;
    sets.set(id, [...(sets.get(id) ?? []), record]);
  }
  const signed = new Set<string>();
  for (const signature of signatures) {
    const id = `${owner(signature)} ${(signature.rdata[0] << 8) | signature.rdata[1]}`;
    const set = sets.get(id);
    const text = `the signature of ${formatName(signature.name)} ${(signature.rdata[0] << 8) | signature.rdata[1]}`;
    if (set === undefined) {
      faults.push(`${text} is without its RRset`);
      continue;
    }
    signed.add(id);
    if (signature.ttl !== set[0].ttl) faults.push(`${text} has another TTL`);
    const view = Buffer.from(signature.rdata);
    if (view.readUInt32BE(4) < set[0].ttl) faults.push(`${text} is of a smaller TTL`);
    const left = view.readUInt32BE(8) - zone.clock;
    if (left < 21 * 86_400 || left >= 28 * 86_400) faults.push(`${text} ends in ${left} seconds`);
    if (view.readUInt32BE(12) > zone.clock) faults.push(`${text} begins late`);
    if (!equalNames(nameAt(signature.rdata, 18), zone.apex)) faults.push(`${text} is of another signer`);
  }
  for (const [id, set] of sets) {
    const [{ name, type, ttl }] = set;
    const isReferral = isAuthority && type === TYPE.NS;
    const isSynthesized =
      type === TYPE.CNAME &&
      records.some((other) => other.type === TYPE.DNAME && isBelow(lowerCase(name), lowerCase(other.name)));
    if (isReferral || isSynthesized) {
      if (signed.has(id)) faults.push(`${formatName(name)} ${type} is signed`);
      continue;
    }
    const isKeys = type === TYPE.DNSKEY && equalNames(lowerCase(name), zone.apex);
    const keys = isKeys ? zone.published : zone.keys;
    const own = signatures.filter(
      (other) => owner(other) === nameId(lowerCase(name)) && ((other.rdata[0] << 8) | other.rdata[1]) === type,
    );
    const rrset = { owner: name, type, ttl, rdatas: set.map(({ rdata }) => rdata) };
    if (own.length !== keys.length) faults.push(`${formatName(name)} ${type} has ${own.length} signatures`);
    for (const key of keys)
      if (!own.some(({ rdata }) => isValid(rrset, rdata, key)))
        faults.push(`${formatName(name)} ${type} is not signed by a key`);
  }
  return faults;
}

const isBelow = (name: Name, above: Name): boolean => isWithin(name, above) && !equalNames(name, above);

/** Reads a response as a validator does: the chain of the answer section, then what is denied. */
function verify(query: Query, message: Message, { apex }: SignedZone, proofs: Proofs): void {
  const { answer, authority } = message;
  let name = lowerCase(query.name);
  const { type } = query;
  const labelsIn = (owner: Name, covered: number): number | undefined =>
    answer.find(
      (record) =>
        record.type === TYPE.RRSIG &&
        ((record.rdata[0] << 8) | record.rdata[1]) === covered &&
        equalNames(lowerCase(record.name), owner),
    )?.rdata[3];
  const checkExpansion = (covered: number): void => {
    const labels = labelsIn(name, covered);
    const own = labelsOf(name) - (name[0] === 1 && name[1] === 0x2a ? 1 : 0);
    if (labels !== undefined && labels < own) proofs.expansion(name, labels);
  };
  const passed: Name[] = [];
  for (;;) {
    const here = answer.filter((record) => equalNames(lowerCase(record.name), name));
    if (passed.some((other) => equalNames(other, name))) return;
    // The server follows no more names, and has not said what is at this one.
    if (passed.length === MAX_CHAIN) return;
    passed.push(name);
    const dname = answer.find((record) => record.type === TYPE.DNAME && isBelow(name, lowerCase(record.name)));
    const cname = here.find((record) => record.type === TYPE.CNAME);
    const isAnswer = type === TYPE.CNAME || type === TYPE.ANY || type === TYPE.RRSIG;
    if (dname !== undefined) {
      if (message.rcode === RCODE.YXDOMAIN && cname === undefined) return;
      if (cname === undefined) throw new Bogus('a DNAME without its CNAME');
      const target = Buffer.concat([name.subarray(0, name.length - dname.name.length), dname.rdata]);
      if (!equalNames(lowerCase(cname.rdata), lowerCase(target))) throw new Bogus('the CNAME of a DNAME is another');
      if (isAnswer) return;
      name = lowerCase(cname.rdata);
    } else if (cname !== undefined && !isAnswer) {
      checkExpansion(TYPE.CNAME);
      name = lowerCase(cname.rdata);
    } else {
      const found = here.filter((record) => (type === TYPE.ANY ? record.type !== TYPE.RRSIG : record.type === type));
      if (found.length > 0) {
        checkExpansion(type === TYPE.RRSIG ? (found[0].rdata[0] << 8) | found[0].rdata[1] : found[0].type);
        return;
      }
      break;
    }
  }
  const cut = authority.find((record) => record.type === TYPE.NS);
  if (cut !== undefined) {
    if (!isWithin(name, lowerCase(cut.name))) throw new Bogus('a referral to another zone');
    if (!authority.some((record) => record.type === TYPE.DS)) proofs.unsignedReferral(lowerCase(cut.name));
    return;
  }
  if (!authority.some((record) => record.type === TYPE.SOA)) {
    if (isWithin(name, apex) && answer.length === 0) throw new Bogus('nothing');
    return;
  }
  if (message.rcode === RCODE.NXDOMAIN) proofs.nameError(name);
  else proofs.noData(name, type);
}
