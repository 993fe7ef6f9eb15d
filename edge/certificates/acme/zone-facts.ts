/**
 * Facts from the zone's own records that matter for a certificate: its names, its CAA records, and
 * whether the zone can answer a challenge.
 */

import { equalNames, formatHost, type Name, nameAt, parentName, parseName } from '../../../core/dns/wire/name.ts';
import { type RRset, TYPE } from '../../../core/dns/wire/types.ts';
import { scanProxiedHosts } from '../../../core/site/tls/proxied-hosts.ts';
import type { Environment } from '../../../core/store/environment.ts';
import type { Domain } from '../../../core/store/rows.ts';
import type { StoreReader } from '../../../core/store/store-reader.ts';
import { apexSets } from '../../../core/zone/compile/apex.ts';
import { challengeName } from '../../../core/zone/compile/challenged.ts';
import type { ZoneSettings } from '../../../core/zone/compile/settings.ts';
import { readRRsets } from '../../../core/zone/compile/stored.ts';
import { findType } from '../../../core/zone/compile/view.ts';
import type { CaaRecord } from './caa.ts';

export interface OwnZoneFacts {
  /** The domain as a host name. */
  readonly apex: string;
  /**
   * Host names of its nameservers: those of the service, and those of the NS records at the apex.
   */
  readonly nameservers: readonly string[];
  /** CAA records at a host name of the zone. */
  caaAt(host: string): readonly CaaRecord[];
  /** Why this zone cannot answer `_acme-challenge` of a host name; null: it can. */
  closedBy(host: string): string | null;
  /** See core/site/tls/proxied-hosts.ts. */
  scanHosts(visitor: Parameters<typeof scanProxiedHosts>[2], signal: AbortSignal): Promise<void>;
}

/** `mayDeepen`: whether all nodes answer challenges of names below the apex. */
export function ownZoneFacts(
  environment: Environment,
  reader: StoreReader,
  zoneSettings: ZoneSettings,
  domain: Domain,
  mayDeepen: boolean,
): OwnZoneFacts {
  const apex = hostNameOf(domain.apex);
  const setsAt = (name: Name): readonly RRset[] => {
    const sets = readRRsets(environment, domain.id, name);
    return equalNames(name, domain.apex) ? apexSets(sets, domain, zoneSettings, 0) : sets;
  };
  const ns = findType(setsAt(domain.apex), TYPE.NS)?.rdatas.map((rdata) => hostNameOf(nameAt(rdata, 0))) ?? [];
  const service = zoneSettings.nameservers.map((name) => name.toLowerCase().replace(/\.$/, ''));
  return {
    apex,
    nameservers: [...new Set([...service, ...ns])],
    caaAt: (host) => findType(setsAt(parseName(`${host}.`)), TYPE.CAA)?.rdatas.map(readCaa) ?? [],
    closedBy: (host) =>
      host !== apex && !mayDeepen ? OLDER_NODES : closedBy(setsAt, reader, domain, parseName(`${host}.`)),
    scanHosts: (visitor, signal) => scanProxiedHosts({ environment, zoneSettings }, domain, visitor, signal),
  };
}

/** Why names below the apex have to wait. */
export const OLDER_NODES = 'nodes of the cluster have an older version, which the operator has to update';

export const hostNameOf = (name: Name): string => formatHost(name).toLowerCase();

function closedBy(
  setsAt: (name: Name) => readonly RRset[],
  reader: StoreReader,
  { apex }: Domain,
  host: Name,
): string | null {
  const name = challengeName(host);
  if (name === null) return 'the name is too long for the label "_acme-challenge"';
  for (let at = host; at.length >= apex.length; at = parentName(at))
    if (findType(setsAt(at), TYPE.DNAME) !== undefined)
      return `${equalNames(at, apex) ? 'the domain' : hostNameOf(at)} has a DNAME record, which redirects all names below it`;
  const text = hostNameOf(name);
  if (reader.domainByApex(name) !== undefined) return `${text} is a separate domain`;
  for (const type of [TYPE.CNAME, TYPE.NS, TYPE.DNAME] as const)
    if (findType(setsAt(name), type) !== undefined)
      return `${text} has a ${LEADS[type]} record, which points outside the domain`;
  return null;
}

const LEADS = { [TYPE.CNAME]: 'CNAME', [TYPE.NS]: 'NS', [TYPE.DNAME]: 'DNAME' } as const;

/** Flags, length of the tag, tag, value (RFC 8659 4.1). */
function readCaa(rdata: Uint8Array): CaaRecord {
  const text = Buffer.from(rdata.buffer, rdata.byteOffset, rdata.length).toString('latin1');
  const end = 2 + rdata[1];
  return { critical: (rdata[0] & 0x80) !== 0, tag: text.slice(2, end).toLowerCase(), value: text.slice(end) };
}
