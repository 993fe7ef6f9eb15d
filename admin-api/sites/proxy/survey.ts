/**
 * Surveys all proxied names of a domain: the servers behind them, and the names without a server.
 * Sends no DNS query.
 */

import { latin1 } from '../../../core/dns/wire/latin1.ts';
import { equalNames, formatRelative, type Name, parentName } from '../../../core/dns/wire/name.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { type Exemptions, mayConnect } from '../../../core/net/address/index.ts';
import type { OriginsEntry } from '../../../core/site/pools/document.ts';
import { entriesFor, pathOf } from '../../../core/site/pools/match.ts';
import { nameOfKey, recordKeyParts } from '../../../core/store/keys.ts';
import { type Domain, type ProxyConfig, proxiedOf, RECORD_RDATA } from '../../../core/store/rows.ts';
import { type NameOrigin, NameOrigins, type StoredNames } from '../../../core/zone/compile/name-origins.ts';
import { WEB_TYPES } from '../../../core/zone/compile/proxied.ts';
import type { Services } from '../../change/services.ts';
import { OwnZone } from './own-zone.ts';
import { scanRecords } from './scan.ts';

export type Fault = Extract<NameOrigin, { kind: 'none' }>['why'];

/** Names without a server, in canonical order and relative to the domain. */
export interface FaultyNames {
  /** The first MAX_SHOWN_NAMES names. */
  readonly names: string[];
  count: number;
}

export interface Survey {
  /** Whether any name goes through the proxy. */
  hasWebNames: boolean;
  /** Whether no pool serves some requests of such a name: its origin or its records do. */
  hasUnpooled: boolean;
  readonly faults: ReadonlyMap<Fault, FaultyNames>;
  /** Addresses of names that have servers of their own, as Latin-1. */
  readonly addresses: ReadonlySet<string>;
}

export const NO_SURVEY: Survey = { hasWebNames: false, hasUnpooled: false, faults: new Map(), addresses: new Set() };

const MAX_SHOWN_NAMES = 5;
/** Addresses to search for in other records; slightly exceeded if the last name has several. */
const MAX_ADDRESSES = 10_000;
/** Maximum names whose aliases are resolved; each costs about ten microseconds. */
const MAX_FOLLOWED = 2_000;

/** `row`: the proxy settings after the change. `pools`: the entries of the origins document. */
export async function surveyNames(
  services: Services,
  exemptions: Exemptions,
  domain: Domain,
  row: ProxyConfig,
  pools: readonly OriginsEntry[],
): Promise<Survey> {
  const zone = new OwnZone(services, domain);
  const origins = new NameOrigins(findZones(services, domain, row), domain, row, exemptions);
  const addresses = new Set<string>();
  const faults = new Map<Fault, FaultyNames>();
  const survey: Survey = { hasWebNames: false, hasUnpooled: false, faults, addresses };
  let last: Name | undefined;
  let followed = 0;
  await scanRecords(services.environment, domain.id, (key, value) => {
    const { nameEnd, type } = recordKeyParts(key);
    if (!WEB_TYPES.has(type)) return false;
    const address = type === TYPE.A || type === TYPE.AAAA ? value.subarray(RECORD_RDATA) : null;
    // Skips most names: their address was already seen.
    const isSeen = address !== null && (addresses.has(latin1(address)) || origins.isConfigured(address));
    if (isSeen && (survey.hasUnpooled || pools.length === 0)) {
      survey.hasWebNames = true;
      survey.hasUnpooled = true;
      return false;
    }
    const isPublic = address !== null && mayConnect(address, exemptions).public;
    if (isPublic && addresses.size >= MAX_ADDRESSES) return false;
    const name = nameOfKey(key, 8, nameEnd);
    if (!isPublic && last !== undefined && equalNames(name, last)) return false;
    last = name;
    if (!zone.isWeb(name, proxiedOf(value))) return false;
    survey.hasWebNames = true;
    const isPooled = isWhollyPooled(pools, formatRelative(name, domain.apex));
    if (!isPooled) survey.hasUnpooled = true;
    if (isPublic) addresses.add(latin1(address));
    else if (++followed <= MAX_FOLLOWED) {
      const origin = origins.originOf(name);
      if (origin.kind === 'none' && !isPooled) addFault(faults, origin.why, formatRelative(name, domain.apex));
      else if (origin.kind === 'addresses') for (const found of origin.addresses) addresses.add(latin1(found));
    }
    return false;
  });
  return survey;
}

/** Whether a pool serves all paths of a name. `name`: relative to the domain. */
const isWhollyPooled = (pools: readonly OriginsEntry[], name: string): boolean =>
  entriesFor(pools, name).some((entry) => pathOf(entry) === '/');

function addFault(faults: Map<Fault, FaultyNames>, fault: Fault, name: string): void {
  let faulty = faults.get(fault);
  if (faulty === undefined) {
    faulty = { names: [], count: 0 };
    faults.set(fault, faulty);
  }
  if (++faulty.count <= MAX_SHOWN_NAMES) faulty.names.push(name);
}

/** Zones of the account by the names in them. */
export function findZones(services: Services, domain: Domain, row: ProxyConfig): (name: Name) => StoredNames | null {
  const zones = new Map<Domain['id'], StoredNames>();
  const open = (found: Domain): StoredNames => {
    const { originHost } = found.id === domain.id ? row : (services.reader.proxy(found.id) ?? NO_ORIGIN);
    return { domainId: found.id, view: new OwnZone(services, found), hasOrigin: originHost !== null };
  };
  return (name) => {
    for (let at = name; at.length > 1; at = parentName(at)) {
      const found = services.reader.domainByApex(at);
      if (found === undefined) continue;
      if (found.accountId !== domain.accountId) return null;
      let zone = zones.get(found.id);
      if (zone === undefined) {
        zone = open(found);
        zones.set(found.id, zone);
      }
      return zone;
    }
    return null;
  };
}

const NO_ORIGIN = { originHost: null };
