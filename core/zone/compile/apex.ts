/**
 * SOA and NS of an apex: of the service, or kept from a master file; and the records for the keys
 * of a signed zone.
 */
import { DELETE_CDNSKEY, DELETE_CDS, dsRdata, isEntryPoint } from '../../dns/dnssec/dnskey.ts';
import { NSEC3PARAM_RDATA } from '../../dns/dnssec/nsec3.ts';
import { type Name, parseName } from '../../dns/wire/name.ts';
import { type RRset, TYPE } from '../../dns/wire/types.ts';
import { SOA_NUMBERS } from '../../store/answers.ts';
import { type ApexSettings, type DnssecRow, type Domain, publishedKeys } from '../../store/rows.ts';
import { CATALOG_NS } from './catalog.ts';
import { originSets } from './origin-apex.ts';
import type { ZoneSettings } from './settings.ts';

/** TTL of the records for keys, in seconds. */
export const DNSKEY_TTL = 3600;

export function soaRRset(domain: Domain, defaults: ZoneSettings, serial: number): RRset {
  const settings: ApexSettings = domain.kept ?? {
    ...defaults,
    serial: 0,
    ttl: defaults.soaTtl,
    mname: defaults.nameservers[0],
    rname: defaults.hostmaster,
  };
  const numbers = Buffer.alloc(SOA_NUMBERS);
  [serial, settings.refresh, settings.retry, settings.expire, settings.minimum].forEach((value, i) => {
    numbers.writeUInt32BE(value, i * 4);
  });
  return {
    type: TYPE.SOA,
    ttl: settings.ttl,
    rdatas: [Buffer.concat([cachedName(settings.mname), cachedName(settings.rname), numbers])],
  };
}

/**
 * Parsed names. Many zones share a few names at the apex, and each change rebuilds the apex of its
 * zone.
 */
const byText = new Map<string, Name>();
const MAX_CACHED = 1000;

function cachedName(text: string): Name {
  let name = byText.get(text);
  if (name === undefined) {
    name = parseName(text);
    if (byText.size === MAX_CACHED) byText.clear();
    byText.set(text, name);
  }
  return name;
}

export function serviceNs(defaults: ZoneSettings): RRset {
  const rdatas = defaults.nameservers.map(cachedName).sort(Buffer.compare);
  return { type: TYPE.NS, ttl: defaults.nsTtl, rdatas };
}

/**
 * The RRsets served at an apex: the stored ones, the SOA, and NS of the service unless the zone
 * keeps its own. `originHost`: the host of the origin of the domain; null: there is none, or the
 * caller reads stored records.
 */
export function apexSets(
  stored: readonly RRset[],
  domain: Domain,
  defaults: ZoneSettings,
  serial: number,
  originHost: string | null = null,
): RRset[] {
  // A secondary zone has the SOA and NS of its primary. Without an SOA it has not been transferred
  // yet.
  if (domain.kind === 'secondary' && stored.some(({ type }) => type === TYPE.SOA)) return [...stored];
  const sets = stored.filter((set) => set.type !== TYPE.SOA && (domain.kept !== null || set.type !== TYPE.NS));
  sets.push(...originSets(stored, originHost));
  if (domain.kind === 'catalog') sets.push(CATALOG_NS);
  else if (!sets.some((set) => set.type === TYPE.NS)) sets.push(serviceNs(defaults));
  sets.push(soaRRset(domain, defaults, serial));
  return sets.sort((a, b) => a.type - b.type);
}

/**
 * Replaces the serial in the SOA of an apex. It is the first of the five numbers at the end of the
 * rdata (RFC 1035 3.3.13).
 */
export function withSerial(sets: readonly RRset[], serial: number): RRset[] {
  return sets.map((set) => {
    if (set.type !== TYPE.SOA) return set;
    const rdata = Buffer.from(set.rdatas[0]);
    rdata.writeUInt32BE(serial, rdata.length - SOA_NUMBERS);
    return { type: set.type, ttl: set.ttl, rdatas: [rdata] };
  });
}

/** Adds the RRsets of DNSSEC to those of an apex. They replace stored RRsets of the same types. */
export function withDnssec(sets: readonly RRset[], apex: Name, row: DnssecRow): RRset[] {
  const own = dnssecSets(apex, row);
  const others = sets.filter(({ type }) => !own.some((set) => set.type === type));
  return [...others, ...own].sort((a, b) => a.type - b.type);
}

/**
 * DNSKEY, NSEC3PARAM, CDS and CDNSKEY of an apex. While some names are unsigned, NSEC3PARAM is
 * omitted, since the NSEC3 records are incomplete (RFC 5155 section 7.1).
 */
function dnssecSets(apex: Name, row: DnssecRow): RRset[] {
  return [
    newSet(TYPE.DNSKEY, [...publishedKeys(row), ...row.foreign].map(rdataOf)),
    newSet(TYPE.NSEC3PARAM, isPartlySigned(row) ? [] : [NSEC3PARAM_RDATA]),
    ...requestSets(apex, row),
    // An RRset without rdata would cause SERVFAIL.
  ].filter(({ rdatas }) => rdatas.length > 0);
}

/** CDS and CDNSKEY; none while the parent must not have a DS. */
export function requestSets(apex: Name, row: DnssecRow): RRset[] {
  if (row.parent === 'delete') return [newSet(TYPE.CDS, [DELETE_CDS]), newSet(TYPE.CDNSKEY, [DELETE_CDNSKEY])];
  if (row.parent === 'none' || isPartlySigned(row)) return [];
  // All providers of a zone publish the same CDS (RFC 8901 section 8).
  const trusted = [
    ...row.keys.filter(({ isTrusted }) => isTrusted).map(rdataOf),
    ...row.foreign.map(rdataOf).filter(isEntryPoint),
  ];
  const digests = trusted.map((key) => dsRdata(apex, key));
  return [newSet(TYPE.CDS, digests), newSet(TYPE.CDNSKEY, trusted)];
}

const isPartlySigned = ({ progress }: DnssecRow): boolean =>
  progress !== undefined && (progress.from.length === 0 || progress.toward === 'unsigned');

const rdataOf = ({ dnskey }: { readonly dnskey: string }): Uint8Array => Uint8Array.from(Buffer.from(dnskey, 'base64'));

const newSet = (type: number, rdatas: readonly Uint8Array[]): RRset => ({
  type,
  ttl: DNSKEY_TTL,
  rdatas: [...rdatas].sort(Buffer.compare),
});
