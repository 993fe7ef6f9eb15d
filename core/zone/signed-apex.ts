/** What stands at the apex of a signed zone for its keys. */
import { DELETE_CDNSKEY, DELETE_CDS, dsRdata } from '../dnssec/dnskey.ts';
import { NSEC3PARAM_RDATA } from '../dnssec/nsec3.ts';
import type { DnssecRow } from '../store/rows.ts';
import type { Name } from '../wire/name.ts';
import { type RRset, TYPE } from '../wire/types.ts';

/** TTL of the records, in seconds. */
const TTL = 3600;

/** The RRsets of an apex with those of DNSSEC, which replace any of the zone's own. */
export function withDnssec(sets: readonly RRset[], apex: Name, row: DnssecRow): RRset[] {
  const own = dnssecSets(apex, row);
  const others = sets.filter(({ type }) => !own.some((set) => set.type === type));
  return [...others, ...own].sort((a, b) => a.type - b.type);
}

/** DNSKEY, NSEC3PARAM, CDS and CDNSKEY of an apex. */
function dnssecSets(apex: Name, { keys, parent }: DnssecRow): RRset[] {
  const dnskeys = keys.map(({ dnskey }) => Uint8Array.from(Buffer.from(dnskey, 'base64')));
  // The parent is asked to trust the keys that sign (RFC 7344 section 3).
  const trusted = dnskeys.filter((_, i) => keys[i].use === 'sign');
  const set = (type: number, rdatas: readonly Uint8Array[]): RRset => ({
    type,
    ttl: TTL,
    rdatas: [...rdatas].sort(Buffer.compare),
  });
  return [
    set(TYPE.DNSKEY, dnskeys),
    set(TYPE.NSEC3PARAM, [NSEC3PARAM_RDATA]),
    set(TYPE.CDS, parent === 'delete' ? [DELETE_CDS] : trusted.map((key) => dsRdata(apex, key))),
    set(TYPE.CDNSKEY, parent === 'delete' ? [DELETE_CDNSKEY] : trusted),
  ];
}
