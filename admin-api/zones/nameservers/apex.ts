/**
 * SOA and NS at the apex. The service maintains them, unless a client has written other values: the
 * zone then keeps those (`Domain.kept`).
 */

import { latin1 } from '../../../core/dns/wire/latin1.ts';
import { formatName, nameAt, parseName } from '../../../core/dns/wire/name.ts';
import { type RRset, TYPE } from '../../../core/dns/wire/types.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import { type ApexSettings, type Domain, domains, type RecordRow, records } from '../../../core/store/rows.ts';
import { serviceNs } from '../../../core/zone/compile/apex.ts';
import { isAfter } from '../../../core/zone/compile/serial.ts';
import type { ZoneSettings } from '../../../core/zone/compile/settings.ts';
import { nowSeconds } from '../../http/time.ts';
import { checkTtl } from '../records/content.ts';
import { checkConflicts } from '../records/rules/conflicts.ts';
import { Neighbours } from '../records/rules/neighbours.ts';
import { checkStorable, findWarning } from '../records/rules/record.ts';

export const isApexRRset = ({ apex }: Domain, { name, type }: Pick<RecordRow, 'name' | 'type'>): boolean =>
  name.length === apex.length && (type === TYPE.SOA || type === TYPE.NS);

/** The defaults of the service, in the form of `Domain.kept`. */
function serviceSettings(defaults: ZoneSettings): ApexSettings {
  const { refresh, retry, expire, minimum, soaTtl, hostmaster, nameservers } = defaults;
  const names = { mname: formatName(parseName(nameservers[0])), rname: formatName(parseName(hostmaster)) };
  return { serial: 0, ...names, refresh, retry, expire, minimum, ttl: soaTtl };
}

/** The domain with another SOA; the same object if nothing changes. `serial`: the current one. */
export function withSoa(
  domain: Domain,
  defaults: ZoneSettings,
  rdata: Uint8Array,
  ttl: number,
  serial: number,
): Domain {
  const current = domain.kept ?? serviceSettings(defaults);
  const mname = nameAt(rdata, 0);
  const rname = nameAt(rdata, mname.length);
  const numbers = Buffer.from(rdata.subarray(mname.length + rname.length));
  const [given, refresh, retry, expire, minimum] = [0, 4, 8, 12, 16].map((at) => numbers.readUInt32BE(at));
  const wanted: ApexSettings = {
    // Every change increases the serial. A client may increase it, but not decrease it.
    serial: isAfter(given, serial) ? given : current.serial,
    mname: formatName(mname),
    rname: formatName(rname),
    refresh,
    retry,
    expire,
    minimum,
    ttl: checkTtl(ttl),
  };
  const isSame = (Object.keys(wanted) as (keyof ApexSettings)[]).every((key) => wanted[key] === current[key]);
  return isSame ? domain : { ...domain, kept: wanted };
}

/** The served NS records at the apex. `stored`: the rows of the zone. */
export function apexNs({ kept }: Domain, defaults: ZoneSettings, stored: readonly RecordRow[]): RRset {
  if (kept === null || stored.length === 0) return serviceNs(defaults);
  return { type: TYPE.NS, ttl: stored[0].ttl, rdatas: stored.map(({ rdata }) => rdata) };
}

/**
 * Sets the NS records at the apex; without any, restores those of the service. Returns the domain,
 * which is another object if it must be stored. Throws InvalidError and StateError.
 */
export function setApexNs(
  draft: Draft,
  domain: Domain,
  defaults: ZoneSettings,
  rdatas: readonly Uint8Array[],
  ttl: number,
): Domain {
  const { apex } = domain;
  const stored = draft.recordsOfType(domain.id, apex, TYPE.NS);
  const service = serviceNs(defaults);
  const isDefault = rdatas.length === 0 || (ttl === service.ttl && hasSameRdata(rdatas, service.rdatas));
  const isWanted = (row: RecordRow): boolean =>
    !isDefault && row.ttl === ttl && rdatas.some((rdata) => latin1(rdata) === latin1(row.rdata));
  for (const row of stored) if (!isWanted(row)) draft.delete(records, row);
  if (isDefault) return domain;
  const present = stored.filter(isWanted);
  const missing = rdatas.filter((rdata) => !present.some((row) => latin1(row.rdata) === latin1(rdata)));
  if (missing.length === 0) return domain;
  checkTtl(ttl);
  const neighbours = new Neighbours(draft.recordsAt(domain.id, apex));
  const now = nowSeconds();
  for (const rdata of missing) {
    const row: RecordRow = {
      id: draft.newId(records),
      domainId: domain.id,
      name: apex,
      type: TYPE.NS,
      ttl,
      rdata,
      proxied: null,
      createdAt: now,
      updatedAt: now,
    };
    checkStorable(apex, apex, TYPE.NS, rdata, true);
    const warning = findWarning(apex, apex, TYPE.NS, rdata);
    if (warning !== undefined) throw warning;
    checkConflicts(draft, domain, row, neighbours, stored);
    draft.insert(records, row);
    neighbours.add(row);
  }
  return domain.kept === null ? { ...domain, kept: serviceSettings(defaults) } : domain;
}

function hasSameRdata(a: readonly Uint8Array[], b: readonly Uint8Array[]): boolean {
  const all = new Set(b.map(latin1));
  return a.length === b.length && a.every((rdata) => all.has(latin1(rdata)));
}

/** Stores the domain if it has changed. */
export function storeDomain(draft: Draft, before: Domain, after: Domain): void {
  if (after !== before) draft.put(domains, after);
}
