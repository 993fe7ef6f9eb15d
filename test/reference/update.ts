/**
 * Dynamic update as RFC 2136 sections 3.2 to 3.4 write it down, over a plain list of records: slow,
 * and sharing nothing with admin-api/zones/update. Where the service is not the RFC's server, it
 * says so.
 */
import { equalNames, isWithin } from '../../core/dns/wire/name.ts';
import { type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import { CLASS, type Section } from '../support/update-message.ts';

export interface Outcome {
  readonly rcode: 'NOERROR' | 'FORMERR' | 'REFUSED' | 'NXDOMAIN' | 'YXDOMAIN' | 'NXRRSET' | 'YXRRSET' | 'NOTZONE';
  /** What the zone holds afterwards. */
  readonly records: readonly ResourceRecord[];
}

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
const META: ReadonlySet<number> = new Set([0, 41, 251, 252, 253, 254, 255]);

/** `zone` begins with its SOA and has the NS of its apex. */
export function update(
  zone: readonly ResourceRecord[],
  prerequisites: readonly Section[],
  updates: readonly Section[],
): Outcome {
  const apex = zone[0].name;
  const end = (rcode: Outcome['rcode']): Outcome => ({ rcode, records: zone });
  const rrset = (list: readonly ResourceRecord[], name: Uint8Array, type: number): ResourceRecord[] =>
    list.filter((record) => record.type === type && equalNames(record.name, name));

  // 3.2.5
  const temp: Section[] = [];
  for (const rr of prerequisites) {
    if (rr.ttl !== 0) return end('FORMERR');
    if (!isWithin(rr.name, apex)) return end('NOTZONE');
    if (rr.class === CLASS.ANY) {
      if (rr.rdata.length !== 0) return end('FORMERR');
      if (rr.type === TYPE.ANY) {
        if (!zone.some(({ name }) => equalNames(name, rr.name))) return end('NXDOMAIN');
      } else if (rrset(zone, rr.name, rr.type).length === 0) return end('NXRRSET');
    } else if (rr.class === CLASS.NONE) {
      if (rr.rdata.length !== 0) return end('FORMERR');
      if (rr.type === TYPE.ANY) {
        if (zone.some(({ name }) => equalNames(name, rr.name))) return end('YXDOMAIN');
      } else if (rrset(zone, rr.name, rr.type).length > 0) return end('YXRRSET');
    } else if (rr.class === CLASS.IN) {
      // The RFC does not say it of prerequisites, but no zone has records of these types.
      if (META.has(rr.type)) return end('FORMERR');
      temp.push(rr);
    } else return end('FORMERR');
  }
  for (const { name, type } of temp) {
    const wanted = temp.filter((rr) => rr.type === type && equalNames(rr.name, name));
    const held = rrset(zone, name, type);
    if (!wanted.every((rr) => held.some(({ rdata }) => same(rdata, rr.rdata)))) return end('NXRRSET');
    if (!held.every(({ rdata }) => wanted.some((rr) => same(rdata, rr.rdata)))) return end('NXRRSET');
  }

  // 3.4.1.3
  for (const rr of updates) {
    if (!isWithin(rr.name, apex)) return end('NOTZONE');
    if (rr.class === CLASS.IN) {
      if (META.has(rr.type)) return end('FORMERR');
    } else if (rr.class === CLASS.ANY) {
      if (rr.ttl !== 0 || rr.rdata.length !== 0 || (META.has(rr.type) && rr.type !== TYPE.ANY)) return end('FORMERR');
    } else if (rr.class === CLASS.NONE) {
      if (rr.ttl !== 0 || META.has(rr.type)) return end('FORMERR');
    } else return end('FORMERR');
  }

  // 3.4.2.7
  let records = [...zone];
  let apexNsChanges = false;
  const isApex = (rr: Section): boolean => equalNames(rr.name, apex);
  const without = (list: readonly ResourceRecord[], gone: (record: ResourceRecord) => boolean): ResourceRecord[] =>
    list.filter((record) => !gone(record));
  for (const rr of updates) {
    const here = (record: ResourceRecord): boolean => equalNames(record.name, rr.name);
    if (rr.class === CLASS.IN) {
      if (rr.type === TYPE.CNAME) {
        if (records.some((record) => here(record) && record.type !== TYPE.CNAME)) continue;
      } else if (rrset(records, rr.name, TYPE.CNAME).length > 0) continue;
      // The SOA is the service's own: no serial of a client takes its place.
      if (rr.type === TYPE.SOA) continue;
      // The NS of the apex are the service's own too: a change of them is refused below.
      if (isApex(rr) && rr.type === TYPE.NS) {
        apexNsChanges ||= !rrset(records, rr.name, TYPE.NS).some(({ rdata }) => same(rdata, rr.rdata));
        continue;
      }
      // RFC 6672 5.2 for DNAME; an ALIAS is to its name what a CNAME is.
      const single = rr.type === TYPE.CNAME || rr.type === TYPE.DNAME || rr.type === TYPE.ALIAS;
      records = without(
        records,
        (record) => here(record) && record.type === rr.type && (single || same(record.rdata, rr.rdata)),
      );
      // The service's TTLs are 30 s to a week, and of an RRset one for all (RFC 2181 5.2): the last
      // one written.
      const ttl = rr.ttl > 0x7fffffff ? 30 : Math.min(604_800, Math.max(30, rr.ttl));
      records = records.map((record) => (here(record) && record.type === rr.type ? { ...record, ttl } : record));
      records.push({ name: rr.name, type: rr.type, ttl, rdata: rr.rdata });
    } else if (rr.class === CLASS.ANY) {
      if (rr.type === TYPE.ANY)
        records = without(
          records,
          (record) => here(record) && !(isApex(rr) && (record.type === TYPE.SOA || record.type === TYPE.NS)),
        );
      else if (isApex(rr) && (rr.type === TYPE.SOA || rr.type === TYPE.NS)) continue;
      else records = without(records, (record) => here(record) && record.type === rr.type);
    } else {
      if (rr.type === TYPE.SOA) continue;
      if (isApex(rr) && rr.type === TYPE.NS) {
        const set = rrset(records, rr.name, TYPE.NS);
        apexNsChanges ||= set.length > 1 && set.some(({ rdata }) => same(rdata, rr.rdata));
        continue;
      }
      records = without(records, (record) => here(record) && record.type === rr.type && same(record.rdata, rr.rdata));
    }
  }
  return apexNsChanges || breaksRules(records) ? end('REFUSED') : { rcode: 'NOERROR', records };
}

/** Offset of the target in rdata of MX, NS and SRV. */
const TARGET: ReadonlyMap<number, number> = new Map([
  [TYPE.NS, 0],
  [TYPE.MX, 2],
  [TYPE.SRV, 6],
]);

/**
 * The service's rules, said of the whole zone: no record hides another, no MX, NS or SRV leads to a
 * CNAME.
 */
function breaksRules(records: readonly ResourceRecord[]): boolean {
  const apex = records[0].name;
  const isAddress = ({ type }: ResourceRecord): boolean => type === TYPE.A || type === TYPE.AAAA;
  return records.some((record) => {
    const isApex = equalNames(record.name, apex);
    const others = records.filter((other) => other !== record && equalNames(other.name, record.name));
    const below = records.filter((other) => isWithin(other.name, record.name) && !equalNames(other.name, record.name));
    const target = TARGET.get(record.type);
    if (
      target !== undefined &&
      records.some(({ name, type }) => type === TYPE.CNAME && equalNames(name, record.rdata.subarray(target)))
    )
      return true;
    switch (record.type) {
      case TYPE.NS:
        if (isApex) return false;
        if (record.name[0] === 1 && record.name[1] === 0x2a) return true;
        return (
          others.some((other) => !isAddress(other) && other.type !== TYPE.NS && other.type !== TYPE.DS) ||
          below.some((other) => !isAddress(other))
        );
      case TYPE.DNAME:
        return below.length > 0 || others.some(({ type }) => type === TYPE.DNAME);
      case TYPE.ALIAS:
        return others.some(isAddress);
      case TYPE.DS:
        return isApex;
      default:
        return false;
    }
  });
}
