/**
 * Finds names whose records reveal the address of the origin, although other names are proxied: an
 * attacker queries these first to bypass the proxy. While the proxy is off, the result is as if the
 * proxy were on, because the customer can still move services before turning it on.
 */

import { latin1 } from '../../../core/dns/wire/latin1.ts';
import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { equalNames, formatRelative, type Name } from '../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import { parseAddress } from '../../../core/net/address/index.ts';
import { type Id, nameOfKey, recordKeyParts } from '../../../core/store/keys.ts';
import { type Domain, type ProxyConfig, proxiedOf, records } from '../../../core/store/rows.ts';
import type { Services } from '../../change/services.ts';
import { contentWithoutHints, type Fix } from './exposed-fix.ts';
import { type Exposure, findExposure, type OriginIdentity } from './exposure.ts';
import { hostName, resolveFromRecords } from './own-names.ts';
import { OwnZone } from './own-zone.ts';
import { scanRecords } from './scan.ts';

export interface Exposed {
  /** Relative to the domain. */
  readonly name: string;
  readonly type: string;
  readonly content: string;
  /** The reason and the next step, in one or two sentences. */
  readonly why: string;
  readonly record_id: Id;
  /** Null: only the customer can decide. */
  readonly fix: Fix | null;
  /** For the fix `remove_hints`. */
  readonly fixed_content: string | null;
}

interface ExposedNames {
  readonly exposed: readonly Exposed[];
  /** Whether more names are exposed than listed. */
  readonly more: boolean;
}

export const MAX_EXPOSED = 100;
/** Maximum length of a shown content. */
const MAX_SHOWN_CONTENT = 500;

/**
 * Sends no DNS query: for a host name outside the account's domains, it uses the addresses stored
 * when the origin was set. `addresses`: addresses of names with separate servers, as Latin-1.
 */
export async function findExposed(
  services: Services,
  domain: Domain,
  row: ProxyConfig,
  addresses: ReadonlySet<string>,
): Promise<ExposedNames> {
  const exposed: Exposed[] = [];
  if (row.originHost === null && addresses.size === 0) return { exposed, more: false };
  const secret = secretOf(services, domain, row, addresses);
  const zone = new OwnZone(services, domain);
  let more = false;
  await scanRecords(services.environment, domain.id, (key, value) => {
    const { nameEnd, type } = recordKeyParts(key);
    const found = findExposure(type, value, secret);
    if (found === null) return false;
    const name = nameOfKey(key, 8, nameEnd);
    const explained = explain(found, name, proxiedOf(value), zone, secret);
    if (explained === null) return false;
    more = exposed.length === MAX_EXPOSED;
    if (more) return true;
    const { id, rdata } = records.decode(key, value);
    const content = formatRdata(type, rdata);
    const fixed = explained.fix === 'remove_hints' ? contentWithoutHints(type, rdata) : null;
    exposed.push({
      name: formatRelative(name, domain.apex),
      type: typeName(type),
      content: content.length > MAX_SHOWN_CONTENT ? `${content.slice(0, MAX_SHOWN_CONTENT)}…` : content,
      why: explained.why,
      record_id: id,
      fix: explained.fix === 'remove_hints' && fixed === null ? null : explained.fix,
      fixed_content: fixed,
    });
    return false;
  });
  return { exposed, more };
}

function secretOf(
  services: Services,
  domain: Domain,
  { originHost: host, originAddresses = [] }: ProxyConfig,
  own: ReadonlySet<string>,
): OriginIdentity {
  if (host === null) return { addresses: own, host: null, hostText: null };
  const literal = parseAddress(host);
  if (literal !== undefined) return { addresses: new Set(own).add(latin1(literal)), host: null, hostText: null };
  const name = hostName(host);
  if (name === undefined) return { addresses: own, host: null, hostText: host };
  const found = resolveFromRecords(services, domain, name, true);
  const texts = found.kind === 'addresses' ? found.addresses : originAddresses;
  const ids = texts.flatMap((text) => parseAddress(text) ?? []).map(latin1);
  return { addresses: new Set([...own, ...ids]), host: name, hostText: host };
}

interface Explanation {
  readonly why: string;
  readonly fix: Fix | null;
}

/** Null: the record is not exposed, because its name is proxied. */
function explain(
  found: Exposure,
  name: Name,
  proxied: boolean | null,
  zone: OwnZone,
  { host }: OriginIdentity,
): Explanation | null {
  switch (found) {
    case 'text':
      return {
        why: 'The text contains the origin. Remove it from the text; if it is there for mail (SPF), send mail from an address other than that of the website.',
        fix: null,
      };
    case 'hint':
      return {
        why: 'Its address hints are those of the origin. Remove ipv4hint and ipv6hint from the record.',
        fix: 'remove_hints',
      };
    case 'target':
      return {
        why: 'It points to the host name of the origin. Point it to another host, or move this service to a server other than that of the website.',
        fix: null,
      };
    case 'address':
    case 'host':
      if (zone.isWeb(name, proxied)) return null;
      if (host !== null && equalNames(name, host))
        return {
          why: 'The proxy reaches the origin by this name, and so can anyone who guesses it. Set the address as the origin and delete this record.',
          fix: found === 'address' ? 'set_address' : null,
        };
      // Checked first: with "proxied": true, the name would lead to the proxy, which does not serve
      // this service.
      if (zone.isServiceTarget(name))
        return {
          why: 'An MX, SRV or NS record points to this name, so it is not proxied. Move that service to a server other than that of the website.',
          fix: null,
        };
      if (proxied === false)
        return {
          why: 'The record has "proxied": false, so its own address is served. Set it to true, or point the name to another server.',
          fix: 'set_proxied',
        };
      return {
        why: 'Names with an underscore are not proxied by default. Delete the record, or set "proxied" to true on it.',
        fix: 'set_proxied',
      };
    default:
      return found satisfies never;
  }
}
