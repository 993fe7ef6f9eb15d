/**
 * Facts from the zone's own records that matter for a certificate: its names, its CAA records, and
 * whether the zone can answer a challenge.
 */

import { formatHost, isWildcard, type Name, nameAt, wildcardOf } from '../../../core/dns/wire/name.ts';
import { type RRset, TYPE } from '../../../core/dns/wire/types.ts';
import type { Environment } from '../../../core/store/environment.ts';
import { afterPrefix, idKey, nameOfKey, recordKeyParts } from '../../../core/store/keys.ts';
import type { Domain } from '../../../core/store/rows.ts';
import type { StoreReader } from '../../../core/store/store-reader.ts';
import { apexSets } from '../../../core/zone/compile/apex.ts';
import { challengeName } from '../../../core/zone/compile/challenged.ts';
import { WEB_TYPES } from '../../../core/zone/compile/proxied.ts';
import type { ZoneSettings } from '../../../core/zone/compile/settings.ts';
import { readRRsets } from '../../../core/zone/compile/stored.ts';
import { findType } from '../../../core/zone/compile/view.ts';
import { WebNames } from '../../../core/zone/compile/web-names.ts';
import type { CaaRecord } from './caa.ts';

export interface OwnZoneFacts {
  /** The domain as a host name. */
  readonly apex: string;
  /** Null: the apex is too long for a wildcard. */
  readonly wildcard: string | null;
  /**
   * Host names of its nameservers: those of the service, and those of the NS records at the apex.
   */
  readonly nameservers: readonly string[];
  /** CAA records at the apex. */
  readonly caa: readonly CaaRecord[];
  /** Why this zone cannot answer `_acme-challenge`; null: it can. */
  readonly closed: string | null;
  /** Proxied host names, up to a limit. The apex is first if it is proxied. */
  webNames(): readonly string[];
}

/**
 * Maximum names of a certificate without a wildcard. Authorities accept a hundred, but each needs
 * its own authorization.
 */
const MAX_NAMES = 20;
/** Maximum records that are scanned for them. */
const MAX_LOOKS = 5000;

export function ownZoneFacts(
  environment: Environment,
  reader: StoreReader,
  settings: ZoneSettings,
  domain: Domain,
): OwnZoneFacts {
  const atApex = apexSets(readRRsets(environment, domain.id, domain.apex), domain, settings, 0);
  const ns = findType(atApex, TYPE.NS)?.rdatas.map((rdata) => hostNameOf(nameAt(rdata, 0))) ?? [];
  const wildcard = wildcardOf(domain.apex);
  return {
    apex: hostNameOf(domain.apex),
    wildcard: wildcard.length > 255 ? null : hostNameOf(wildcard),
    nameservers: [...new Set([...settings.nameservers.map((name) => name.toLowerCase().replace(/\.$/, '')), ...ns])],
    caa: findType(atApex, TYPE.CAA)?.rdatas.map(readCaa) ?? [],
    closed: closedBy(environment, reader, domain, atApex),
    webNames: () => webNames(environment, settings, domain),
  };
}

export const hostNameOf = (name: Name): string => formatHost(name).toLowerCase();

function closedBy(
  environment: Environment,
  reader: StoreReader,
  { id, apex }: Domain,
  atApex: readonly RRset[],
): string | null {
  const name = challengeName(apex);
  if (name === null) return 'the name of the domain is too long for the label "_acme-challenge"';
  const host = hostNameOf(name);
  if (findType(atApex, TYPE.DNAME) !== undefined)
    return 'the domain has a DNAME record, which redirects all names below it';
  if (reader.domainByApex(name) !== undefined) return `${host} is a separate domain`;
  const sets = readRRsets(environment, id, name);
  for (const type of [TYPE.CNAME, TYPE.NS, TYPE.DNAME] as const)
    if (findType(sets, type) !== undefined)
      return `${host} has a ${LEADS[type]} record, which points outside the domain`;
  return null;
}

const LEADS = { [TYPE.CNAME]: 'CNAME', [TYPE.NS]: 'NS', [TYPE.DNAME]: 'DNAME' } as const;

/** Flags, length of the tag, tag, value (RFC 8659 4.1). */
function readCaa(rdata: Uint8Array): CaaRecord {
  const text = Buffer.from(rdata.buffer, rdata.byteOffset, rdata.length).toString('latin1');
  const end = 2 + rdata[1];
  return { critical: (rdata[0] & 0x80) !== 0, tag: text.slice(2, end).toLowerCase(), value: text.slice(end) };
}

function webNames(environment: Environment, settings: ZoneSettings, domain: Domain): string[] {
  const web = new WebNames(environment, domain, settings);
  const found = web.has(domain.apex) ? [hostNameOf(domain.apex)] : [];
  const start = idKey(domain.id);
  let last = '';
  let scanned = 0;
  for (const key of environment.records.getKeys({ start, end: afterPrefix(start) })) {
    if (found.length === MAX_NAMES || ++scanned > MAX_LOOKS) break;
    const k = key as Buffer;
    const { nameEnd, type } = recordKeyParts(k);
    const id = k.toString('latin1', 8, nameEnd);
    if (id === last || !WEB_TYPES.has(type)) continue;
    last = id;
    const name = nameOfKey(k, 8, nameEnd);
    if (name.length !== domain.apex.length && !isWildcard(name) && web.has(name)) found.push(hostNameOf(name));
  }
  return found;
}
