/**
 * What automatic hints of SVCB and HTTPS stand for: the addresses that a client gets who asks the
 * same zone for those of the target. Slow on purpose, as the resolver is.
 */
import { isWithin, type Name } from '../../core/dns/wire/name.ts';
import { CLASS_IN, type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import { type Aliases, aliasedZones } from './alias.ts';
import { answeredZones, type Proxies } from './proxy.ts';
import { resolve, type Zones } from './resolver.ts';

interface Served {
  readonly zones: Zones;
  readonly proxies?: Proxies;
  readonly aliases?: Aliases;
}

/** What the nameserver answers from in a world. */
export function servedZones({ zones, proxies, aliases }: Served): Zones {
  return hintedZones(aliasedZones(answeredZones(zones, proxies), aliases));
}

/** The rdata of `1 target ipv4hint=auto ipv6hint=auto` as stored. */
export function automatic(priority: number, target: Name): Uint8Array {
  return Uint8Array.from([0, priority, ...target, 0, 4, 0, 1, 0, 0, 6, 0, 1, 0]);
}

function hintedZones(zones: Zones): Zones {
  const apexes = [...zones.values()].map(apexOf);
  return new Map(
    [...zones].map(([key, records]) => {
      const nested = apexes.filter((apex) => apex.length > apexOf(records).length && isWithin(apex, apexOf(records)));
      const addressesOf = (name: Name, type: number): Uint8Array[] => {
        if (!isWithin(name, apexOf(records)) || nested.some((apex) => isWithin(name, apex))) return [];
        const { answer } = resolve(zones, { name, type, class: CLASS_IN });
        return answer.filter((record) => record.type === type).map(({ rdata }) => rdata);
      };
      return [key, withoutCopies(records.map((record) => hinted(record, addressesOf)))];
    }),
  );
}

function hinted(record: ResourceRecord, addressesOf: (name: Name, type: number) => Uint8Array[]): ResourceRecord {
  const { type, name, rdata } = record;
  if (type !== TYPE.SVCB && type !== TYPE.HTTPS) return record;
  let end = 2;
  while (rdata[end] !== 0) end += rdata[end] + 1;
  const target = rdata.subarray(2, ++end);
  if (Buffer.compare(rdata.subarray(end), automatic(0, target).subarray(end)) !== 0) return record;
  const host = target.length === 1 ? name : target;
  const params = [
    { key: 4, addresses: addressesOf(host, TYPE.A) },
    { key: 6, addresses: addressesOf(host, TYPE.AAAA) },
  ].flatMap(({ key, addresses }) => {
    const bytes = addresses.sort(Buffer.compare).flatMap((address) => [...address]);
    return bytes.length === 0 ? [] : [0, key, bytes.length >> 8, bytes.length & 255, ...bytes];
  });
  return { ...record, rdata: Uint8Array.from([...rdata.subarray(0, end), ...params]) };
}

/** An RRset has a record once (RFC 2181 section 5), whether its hints are automatic or not. */
function withoutCopies(records: readonly ResourceRecord[]): ResourceRecord[] {
  const seen = new Set<string>();
  return records.filter(({ name, type, rdata }) => {
    const id = `${Buffer.from(name).toString('hex')} ${type} ${Buffer.from(rdata).toString('hex')}`;
    return !seen.has(id) && seen.add(id);
  });
}

const apexOf = (records: readonly ResourceRecord[]): Name => records.find(({ type }) => type === TYPE.SOA)!.name;
