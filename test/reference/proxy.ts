/**
 * What a zone answers from while its proxy is on, read off the list of its records: every web name
 * has the addresses of the cluster in the place of its own, and all else follows from that. Slow on
 * purpose, as the resolver is.
 */
import { equalNames, type Name, nameAt, nameId, parseName } from '../../core/dns/wire/name.ts';
import { parseRdata } from '../../core/dns/wire/rdata/index.ts';
import { HOST_TARGET, type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import type { Zones } from './resolver.ts';

/**
 * The proxy of a zone. `flags`: what its names say themselves, by nameId; a name that says nothing
 * is not among them.
 */
export interface ZoneProxy {
  readonly enabled: boolean;
  /** The host of its origin; left out: it has none. */
  readonly origin?: string;
  readonly flags: ReadonlyMap<string, boolean>;
}

/** By the keys of the zones; a zone without an entry has no proxy. */
export type Proxies = ReadonlyMap<string, ZoneProxy>;

/**
 * The cluster's addresses as the configuration has them, none of which a generated record holds.
 */
export const CLUSTER = { ipv4: ['192.0.2.80', '192.0.2.9'], ipv6: ['2001:db8::80'] };

const TTL = 300;
const ADDRESSES: readonly Pick<ResourceRecord, 'type' | 'rdata'>[] = [
  { type: TYPE.A, rdata: Uint8Array.of(192, 0, 2, 80) },
  { type: TYPE.A, rdata: Uint8Array.of(192, 0, 2, 9) },
  { type: TYPE.AAAA, rdata: Uint8Array.of(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80) },
];

export function answeredZones(zones: Zones, proxies: Proxies = new Map()): Zones {
  return new Map([...zones].map(([key, records]) => [key, answeredRecords(records, proxies.get(key))]));
}

export function answeredRecords(
  records: readonly ResourceRecord[],
  proxy: ZoneProxy | undefined,
): readonly ResourceRecord[] {
  return proxy === undefined ? records : edgeRecords(withOrigin(records, proxy.origin), proxy);
}

/** An apex without addresses has those of the origin, or is an ALIAS of its name. */
export function withOrigin(records: readonly ResourceRecord[], origin: string | undefined): readonly ResourceRecord[] {
  const apex = apexOf(records);
  if (origin === undefined || records.some((entry) => isWeb(entry) && equalNames(entry.name, apex))) return records;
  const record = (type: number, rdata: Uint8Array): ResourceRecord => ({ name: apex, type, ttl: TTL, rdata });
  if (origin.includes(':')) return [...records, record(TYPE.AAAA, parseRdata(TYPE.AAAA, origin))];
  if (/^[0-9.]+$/.test(origin)) return [...records, record(TYPE.A, parseRdata(TYPE.A, origin))];
  return [...records, record(TYPE.ALIAS, parseName(origin))];
}

const apexOf = (records: readonly ResourceRecord[]): Name => records.find(({ type }) => type === TYPE.SOA)!.name;

function edgeRecords(records: readonly ResourceRecord[], proxy: ZoneProxy): readonly ResourceRecord[] {
  if (!proxy.enabled) return records;
  const apex = apexOf(records);
  const isProxied = (name: Name): boolean =>
    proxy.flags.get(nameId(name)) ?? !(isServiceTarget(records, name) || hasUnderscore(name, apex));
  const replaced = records.filter((record) => isWeb(record) && isProxied(record.name));
  const names = replaced.map(({ name }) => name);
  const once = names.filter((name, i) => names.findIndex((other) => equalNames(other, name)) === i);
  return [
    ...records.filter((record) => !replaced.includes(record)),
    ...once.flatMap((name) => ADDRESSES.map((address) => ({ ...address, name, ttl: TTL }))),
  ];
}

export function isWeb({ type }: ResourceRecord): boolean {
  return type === TYPE.A || type === TYPE.AAAA || type === TYPE.CNAME || type === TYPE.ALIAS;
}

/** Whether mail, another service or a delegation is sent to the name. */
function isServiceTarget(records: readonly ResourceRecord[], name: Name): boolean {
  return records.some(({ type, rdata }) => {
    const at = HOST_TARGET.get(type);
    return at !== undefined && equalNames(nameAt(rdata, at), name);
  });
}

/** Labels of the apex itself don't count: who has a domain there has put a web site on it. */
function hasUnderscore(name: Name, apex: Name): boolean {
  for (let rest = name; rest.length > apex.length; rest = rest.subarray(rest[0] + 1))
    if (rest[1] === '_'.charCodeAt(0)) return true;
  return false;
}
