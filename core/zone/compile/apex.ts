/** SOA and NS of an apex: the service's, unless the zone keeps its own from a master file. */

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
    rdatas: [Buffer.concat([knownName(settings.mname), knownName(settings.rname), numbers])],
  };
}

/** Few names stand in the apexes of many zones, and every change makes its zone's apex again. */
const byText = new Map<string, Name>();
const MOST_KNOWN = 1000;

function knownName(text: string): Name {
  let name = byText.get(text);
  if (name === undefined) {
    name = parseName(text);
    if (byText.size === MOST_KNOWN) byText.clear();
    byText.set(text, name);
  }
  return name;
}

export function serviceNs(defaults: ZoneSettings): RRset {
  const rdatas = defaults.nameservers.map(knownName).sort(Buffer.compare);
  return { type: TYPE.NS, ttl: defaults.nsTtl, rdatas };
}

/**
 * The RRsets at an apex from those stored there: SOA added, and the service's NS unless the zone
 * keeps its own. `originHost`: where the records are read as they are served, the host of the
 * domain's origin.
 */
export function apexSets(
  stored: readonly RRset[],
  domain: Domain,
  defaults: ZoneSettings,
  serial: number,
  originHost: string | null = null,
): RRset[] {
  // A secondary zone has those of its primary; without an SOA it was not transferred yet.
  if (domain.kind === 'secondary' && stored.some(({ type }) => type === TYPE.SOA)) return [...stored];
  const sets = stored.filter((set) => set.type !== TYPE.SOA && (domain.kept !== null || set.type !== TYPE.NS));
  sets.push(...originSets(stored, originHost));
  if (domain.kind === 'catalog') sets.push(CATALOG_NS);
  else if (!sets.some((set) => set.type === TYPE.NS)) sets.push(serviceNs(defaults));
  sets.push(soaRRset(domain, defaults, serial));
  return sets.sort((a, b) => a.type - b.type);
}

/**
 * The RRsets of an apex with another serial in the SOA: the first of the five numbers that its
 * rdata ends in (RFC 1035 3.3.13).
 */
export function withSerial(sets: readonly RRset[], serial: number): RRset[] {
  return sets.map((set) => {
    if (set.type !== TYPE.SOA) return set;
    const rdata = Buffer.from(set.rdatas[0]);
    rdata.writeUInt32BE(serial, rdata.length - SOA_NUMBERS);
    return { type: set.type, ttl: set.ttl, rdatas: [rdata] };
  });
}
