/** Settings of a proxy that are accepted, but may be a mistake. */

import { InvalidError } from '../../../core/base/errors.ts';
import { isLoopback, parseAddress } from '../../../core/net/address/index.ts';
import type { Domain, ProxyConfig } from '../../../core/store/rows.ts';
import type { Cluster } from '../../../core/zone/compile/settings.ts';
import type { Services } from '../../change/services.ts';
import { HttpError } from '../../http/errors.ts';
import { checkOrigin } from './origin.ts';
import { type OriginRules, optionsFor } from './origin-rules.ts';
import { rejectLoop } from './own-names.ts';
import { OwnZone } from './own-zone.ts';
import type { Fault, FaultyNames, Survey } from './survey.ts';

/** Warnings about a proxy that is on. Sends no DNS query. */
export async function findWarnings(
  services: Services,
  rules: OriginRules,
  domain: Domain,
  { originHost }: ProxyConfig,
  { hasWebNames, hasUnpooled, faults }: Survey,
  hasPools: boolean,
): Promise<string[]> {
  if (originHost !== null) {
    const zone = new OwnZone(services, domain);
    const isVisible = zone.isOriginAt(originHost) && !zone.isWeb(domain.apex, null);
    const warnings = await originWarnings(() => checkWithoutQueries(services, rules, domain, originHost));
    return isVisible ? [...warnings, ORIGIN_VISIBLE] : warnings;
  }
  if (!hasWebNames) return [NOTHING_SERVED];
  if (!hasUnpooled) return [];
  const explained = [...faults].map(([fault, faulty]) => explainFault(fault, faulty, hasPools));
  return [hasPools ? NO_ORIGIN_OUTSIDE_POOLS : NO_ORIGIN, ...explained];
}

/** Warns about addresses of the edge that no visitor reaches. */
export function addressWarnings({ ipv4, ipv6 }: Cluster): string[] {
  const addresses = [...ipv4, ...ipv6];
  if (addresses.length === 0)
    return [`Proxied names have no addresses, so clients cannot reach them. ${SET_ADDRESSES}`];
  const local = addresses.filter(isLoopback);
  return local.length === 0
    ? []
    : [`Proxied names resolve to ${local.join(' and ')} (loopback), which no visitor reaches. ${SET_ADDRESSES}`];
}

const SET_ADDRESSES =
  'The operator of this service must set cluster.ipv4 and cluster.ipv6 to its public addresses, or to [].';

/** Warns about a host name that cannot be used now. An address is checked by findWarnings. */
export async function checkResolved(
  services: Services,
  rules: OriginRules,
  domain: Domain,
  originHost: string,
): Promise<string[]> {
  if (parseAddress(originHost) !== undefined) return [];
  return originWarnings(async () => {
    await checkOrigin(originHost, optionsFor(services, rules, domain));
  });
}

const NOTHING_SERVED =
  'No origin is set, and no name of the domain is proxied: the proxy serves nothing. Set the origin, or add A, AAAA, CNAME or ALIAS records.';
const NO_ORIGIN =
  'No origin is set: each proxied name is served from the public addresses of its own records, with https and port 443.';
const NO_ORIGIN_OUTSIDE_POOLS =
  'No origin is set: requests that no pool serves go to the public addresses of the records of their name, with https and port 443.';

const ORIGIN_VISIBLE =
  'The apex has no address, so it resolves to the origin, and an MX, SRV or NS record points to the apex, so it is not proxied: anyone can see where the origin is. Let that record point to another name.';

/** The edge checks each address again. Our records and the rules may have changed meanwhile. */
async function checkWithoutQueries(
  services: Services,
  rules: OriginRules,
  domain: Domain,
  originHost: string,
): Promise<void> {
  if (parseAddress(originHost) === undefined) rejectLoop(services, domain, originHost);
  else await checkOrigin(originHost, optionsFor(services, rules, domain));
}

async function originWarnings(check: () => Promise<void>): Promise<string[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (error instanceof InvalidError || error instanceof HttpError) return [error.message];
    throw error;
  }
}

function explainFault(fault: Fault, { names, count }: FaultyNames, hasPools: boolean): string {
  const shown = names.map((name) => `"${name}"`).join(', ');
  const subject = count > names.length ? `${shown} and ${count - names.length} more names` : shown;
  const isOne = count === 1;
  const [singular, plural] = FAULTS[fault];
  const whose = `of ${isOne ? 'this name' : 'these names'}`;
  const failing = hasPools ? `requests ${whose} that no pool serves` : `visitors ${whose}`;
  return `${subject} ${isOne ? singular : plural}, so the proxy answers ${failing} with an error. Set an origin or a pool, or change the records.`;
}

/** Texts for one name and for several names. */
const FAULTS: Readonly<Record<Fault, readonly [string, string]>> = {
  private: ['has no public address', 'have no public addresses'],
  'no-address': ['leads to no address', 'lead to no address'],
  loop: ['leads to itself', 'lead to themselves'],
};
