/**
 * A zone with its DNSKEY, NSEC3 and RRSIG records, put together with core/dns/dnssec in the
 * simplest way, for tests that give it to other programs.
 */
import { dsRdata } from '../../../../core/dns/dnssec/dnskey.ts';
import type { SigningKey } from '../../../../core/dns/dnssec/keys.ts';
import { validityOf } from '../../../../core/dns/dnssec/lifetime.ts';
import { hashName, hashPrefix, NSEC3PARAM_RDATA, nsec3Owner, nsec3Rdata } from '../../../../core/dns/dnssec/nsec3.ts';
import type { RrsigRequest } from '../../../../core/dns/dnssec/rrsig.ts';
import { formatName, isWithin, labelCount, type Name, nameId, parentName } from '../../../../core/dns/wire/name.ts';
import { formatPortable } from '../../../../core/dns/wire/rdata/index.ts';
import { type ResourceRecord, TYPE } from '../../../../core/dns/wire/types.ts';
import { signRRsets } from './sign-rrsets.ts';

/** Offset from the end of SOA rdata to MINIMUM. */
const MINIMUM_LENGTH = 4;

interface Owner {
  readonly name: Name;
  readonly hash: Uint8Array;
  /** By type; none at an empty non-terminal. */
  readonly sets: Map<number, { ttl: number; rdatas: Uint8Array[] }>;
}

/** All records of the signed zone. `records`: those of one zone, without occluded data but glue. */
export function signZone(
  records: readonly ResourceRecord[],
  apex: Name,
  keys: readonly SigningKey[],
  clock: number,
): ResourceRecord[] {
  const soa = records.find(({ type }) => type === TYPE.SOA)!;
  const ttl = soa.ttl;
  const apexRecord = (type: number, rdata: Uint8Array): ResourceRecord => ({ name: apex, type, ttl, rdata });
  const all = [
    ...records,
    apexRecord(TYPE.NSEC3PARAM, NSEC3PARAM_RDATA),
    ...keys.flatMap(({ dnskey }) => [
      apexRecord(TYPE.DNSKEY, dnskey),
      apexRecord(TYPE.CDNSKEY, dnskey),
      apexRecord(TYPE.CDS, dsRdata(apex, dnskey)),
    ]),
  ];
  const cuts = records
    .filter(({ type, name }) => type === TYPE.NS && name.length > apex.length)
    .map(({ name }) => name);
  const isGlue = (name: Name): boolean => cuts.some((cut) => name.length > cut.length && isWithin(name, cut));
  const isCut = (name: Name): boolean => cuts.some((cut) => nameId(cut) === nameId(name));

  const owners = new Map<string, Owner>();
  const ownerOf = (name: Name): Owner => {
    const owner = owners.get(nameId(name)) ?? { name, hash: hashName(name), sets: new Map() };
    owners.set(nameId(name), owner);
    if (labelCount(name) > labelCount(apex)) ownerOf(parentName(name));
    return owner;
  };
  for (const { name, type, ttl: seconds, rdata } of all) {
    if (isGlue(name) || (isCut(name) && type !== TYPE.NS && type !== TYPE.DS)) continue;
    const { sets } = ownerOf(name);
    const set = sets.get(type) ?? { ttl: seconds, rdatas: [] };
    sets.set(type, set);
    set.rdatas.push(rdata);
  }

  const requests: RrsigRequest[] = [];
  const sign = (owner: Name, hash: Uint8Array, type: number, seconds: number, rdatas: readonly Uint8Array[]): void => {
    const validity = validityOf(clock, hashPrefix(hash));
    for (const key of keys)
      requests.push({ rrset: { owner, type, ttl: seconds, rdatas }, key, signer: apex, validity });
  };
  const minimum = Buffer.from(soa.rdata).readUInt32BE(soa.rdata.length - MINIMUM_LENGTH);
  // RFC 9077.
  const denialTtl = Math.min(minimum, soa.ttl);
  const denials: ResourceRecord[] = [];
  const chain = [...owners.values()].sort((a, b) => Buffer.compare(a.hash, b.hash));
  chain.forEach(({ name, hash, sets }, i) => {
    const signed = [...sets].filter(([type]) => !(isCut(name) && type === TYPE.NS));
    for (const [type, { ttl: seconds, rdatas }] of signed) sign(name, hash, type, seconds, rdatas);
    const types = [...sets.keys(), ...(signed.length > 0 ? [TYPE.RRSIG] : [])];
    const rdata = nsec3Rdata(chain[(i + 1) % chain.length].hash, types);
    const denial = { name: nsec3Owner(hash, apex), type: TYPE.NSEC3, ttl: denialTtl, rdata };
    denials.push(denial);
    sign(denial.name, hash, TYPE.NSEC3, denialTtl, [rdata]);
  });
  const signatures = signRRsets(requests).map(
    (rdata, i): ResourceRecord => ({
      name: requests[i].rrset.owner,
      type: TYPE.RRSIG,
      ttl: requests[i].rrset.ttl,
      rdata,
    }),
  );
  return [...all, ...denials, ...signatures];
}

/** A master file that BIND, Knot and ldns read, the SOA first. */
export function formatSignedZone(records: readonly ResourceRecord[]): string {
  const soaFirst = [...records].sort((a, b) => Number(b.type === TYPE.SOA) - Number(a.type === TYPE.SOA));
  return soaFirst
    .map(({ name, ttl, type, rdata }) => `${formatName(name)} ${ttl} IN ${formatPortable(type, rdata)}\n`)
    .join('');
}
