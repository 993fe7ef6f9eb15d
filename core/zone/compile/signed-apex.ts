/** The records for the keys at the apex of a signed zone. */
import { DELETE_CDNSKEY, DELETE_CDS, dsRdata, isEntryPoint } from '../../dns/dnssec/dnskey.ts';
import { NSEC3PARAM_RDATA } from '../../dns/dnssec/nsec3.ts';
import type { Name } from '../../dns/wire/name.ts';
import { type RRset, TYPE } from '../../dns/wire/types.ts';
import type { DnssecRow } from '../../store/rows.ts';

/** TTL of the records, in seconds. */
export const DNSKEY_TTL = 3600;

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
  const { keys, foreign } = row;
  return [
    newSet(TYPE.DNSKEY, [...keys, ...foreign].map(rdataOf)),
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
