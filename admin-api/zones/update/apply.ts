/** Applies the records of an update to a copy of the zone (RFC 2136 2.5, 3.4). */
import type { MessageRecord } from '../../../core/dns/wire/message-reader.ts';
import { isDataType, typeName } from '../../../core/dns/wire/mnemonics.ts';
import { formatName, isWithin, type Name } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, RCODE, TYPE } from '../../../core/dns/wire/types.ts';
import { CLASS_ANY, CLASS_NONE } from '../../../core/dns/wire/update.ts';
import { MAX_TTL, MIN_TTL } from '../records/content.ts';
import { formerr, refused, UpdateError } from './fault.ts';
import type { NameCopy, ZoneCopy } from './zone-copy.ts';

/** Checks all records before any is applied (3.4.1). Throws UpdateError: FORMERR or NOTZONE. */
export function prescan(apex: Name, updates: readonly MessageRecord[]): void {
  for (const { name, type, class: qclass, ttl, rdata } of updates) {
    if (!isWithin(name, apex)) throw new UpdateError(RCODE.NOTZONE, `${formatName(name)} is not in the zone`);
    if (qclass !== CLASS_IN && qclass !== CLASS_ANY && qclass !== CLASS_NONE)
      throw formerr(`an update has the class ${qclass}`);
    if (!isDataType(type) && (type !== TYPE.ANY || qclass !== CLASS_ANY))
      throw formerr(`an update has the type ${typeName(type)}`);
    if (qclass !== CLASS_IN && ttl !== 0) throw formerr('a deletion has a TTL');
    if (qclass === CLASS_ANY && rdata.length > 0) throw formerr('a deletion of class ANY has rdata');
  }
}

/**
 * Applies one record of the update section to the copy of its name (3.4.2), in the order of the
 * message. `apexNs`: rdata of the served NS records at the apex. Throws UpdateError REFUSED for a
 * change of those, which updates cannot make.
 */
export function applyUpdate(zone: ZoneCopy, record: MessageRecord, apexNs: readonly Uint8Array[]): void {
  const at = zone.at(record.name);
  const isApex = record.name.length === zone.apex.length;
  // The service maintains the SOA and its serial, so SOA records are ignored. RFC 2136 3.4.2.2
  // ignores all except later serials.
  if (record.type === TYPE.SOA) return;
  if (isApex && record.type === TYPE.NS) checkApexNs(record, apexNs);
  else if (record.class === CLASS_IN) add(at, record, isApex);
  else if (record.class === CLASS_NONE) at.delete(record.type, record.rdata);
  else if (record.type !== TYPE.ANY) at.deleteType(record.type);
  else for (const type of at.now.keys()) if (!isApex || type !== TYPE.NS) at.deleteType(type);
}

/**
 * Types with one record per name: a new one replaces it (RFC 2136 3.4.2.2, RFC 6672 5.2; ALIAS is
 * like CNAME).
 */
const SINGLE: ReadonlySet<number> = new Set([TYPE.CNAME, TYPE.DNAME, TYPE.ALIAS]);

function add(at: NameCopy, { type, ttl, rdata }: MessageRecord, isApex: boolean): void {
  // A CNAME at a name with other data is ignored, and other data at a name with a CNAME. The apex
  // always has other data.
  if (type === TYPE.CNAME ? isApex || at.hasOther(TYPE.CNAME) : at.has(TYPE.CNAME)) return;
  if (SINGLE.has(type)) at.deleteType(type);
  at.add(type, boundedTtl(ttl), rdata);
}

/**
 * Limits a TTL to the range of the service. A TTL with the top bit set counts as zero (RFC 2181
 * section 8).
 */
function boundedTtl(ttl: number): number {
  return ttl > 0x7fffffff ? MIN_TTL : Math.min(Math.max(ttl, MIN_TTL), MAX_TTL);
}

/**
 * Ignores a record that changes nothing. Deleting the RRset or its last record is ignored too
 * (3.4.2.3, 3.4.2.4).
 */
function checkApexNs(record: MessageRecord, apexNs: readonly Uint8Array[]): void {
  if (record.class === CLASS_ANY) return;
  const isThere = apexNs.some((rdata) => Buffer.compare(rdata, record.rdata) === 0);
  if (record.class === CLASS_IN ? isThere : !isThere || apexNs.length === 1) return;
  throw refused('updates cannot change the NS records of the apex');
}
