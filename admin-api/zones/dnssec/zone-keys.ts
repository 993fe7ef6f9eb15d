/** The keys of a signed zone, for other views of them. */
import { algorithmOf, dsRdata } from '../../../core/dns/dnssec/dnskey.ts';
import type { Id } from '../../../core/store/keys.ts';
import type { Reader } from '../../../core/store/reader.ts';
import type { Domain } from '../../../core/store/rows.ts';
import { readSignedZone } from '../../../core/upkeep/signing/store-zone.ts';

export interface ZoneKey {
  readonly id: Id;
  /** Whether the key signs. An inactive key is part of a key rollover. */
  readonly isActive: boolean;
  readonly algorithm: number;
  /** RDATA of its DNSKEY record, and of a DS record with SHA-256. */
  readonly dnskey: Uint8Array;
  readonly ds: Uint8Array;
}

/** Empty: the zone is not signed. */
export function readZoneKeys(reader: Reader, domain: Domain): ZoneKey[] {
  const keys = readSignedZone(reader, domain)?.row.keys ?? [];
  return keys.map(({ id, use, dnskey: base64 }) => {
    const dnskey = Uint8Array.from(Buffer.from(base64, 'base64'));
    return { id, isActive: use === 'sign', algorithm: algorithmOf(dnskey), dnskey, ds: dsRdata(domain.apex, dnskey) };
  });
}
