/** SOA and NS of an apex: of the service, or kept from a master file. */

import { type Name, parseName } from '../../dns/wire/name.ts';
import { type RRset, TYPE } from '../../dns/wire/types.ts';
import { SOA_NUMBERS } from '../../store/answers.ts';
import type { ApexSettings, Domain } from '../../store/rows.ts';
import { CATALOG_NS } from './catalog.ts';
import { originSets } from './origin-apex.ts';
import type { ZoneSettings } from './settings.ts';

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
