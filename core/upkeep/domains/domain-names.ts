/**
 * Rules for the names of domains. Only accounts of administrators can have the service's own names,
 * public suffixes and special-use names.
 */
import { getPublicSuffix } from 'tldts';
import type { Logger } from '../../base/log/index.ts';
import type { Config } from '../../config/index.ts';
import {
  formatHost,
  isWildcard,
  isWithin,
  labelCount,
  type Name,
  nameId,
  parentName,
  parseName,
} from '../../dns/wire/name.ts';
import type { Environment } from '../../store/environment.ts';
import type { Reader } from '../../store/reader.ts';
import type { Account, Domain } from '../../store/rows.ts';
import { StoreReader } from '../../store/store-reader.ts';

/** Maximum of domains in the log, and of domains read below a name of the service. */
const LISTED = 10;
const BELOW = 1000;

export interface NameFault {
  readonly code: 'invalid_domain' | 'service_name' | 'special_use_name' | 'public_suffix';
  readonly message: string;
}

/**
 * Special-use names, which include all names below them. They are outside of the DNS, or resolvers
 * answer them locally: RFC 6761, 6762, 7050, 7686, 8880, 9462, 9476 and 9665.
 */
const SPECIAL_USE = ['alt', 'invalid', 'ipv4only.arpa', 'local', 'localhost', 'onion', 'resolver.arpa', 'service.arpa'];
const SPECIAL_USE_NAMES = SPECIAL_USE.map((text) => parseName(`${text}.`));

const quoted = (apex: Name): string => `"${formatHost(apex).slice(0, 80)}"`;

/** Null: the name can be that of a zone. A label may have any bytes (RFC 2181 section 11). */
export function findSpellingFault(apex: Name): NameFault | null {
  const fault = (why: string): NameFault => ({
    code: 'invalid_domain',
    message: `${quoted(apex)} is not a domain name: ${why}.`,
  });
  if (isWildcard(apex)) return fault('a wildcard is a name of records in a domain');
  if (/(^|\.)\d+$/.test(formatHost(apex))) return fault('a top-level domain cannot be a number, as in an address');
  return null;
}

/** Whether the public registers names below, as with `co.uk`, `github.io` or their parents. */
function isPublicSuffix(apex: Name): boolean {
  const text = formatHost(apex);
  const suffixOf = (host: string) =>
    getPublicSuffix(host, { allowPrivateDomains: true, extractHostname: false, validateHostname: false });
  // The parent of a wildcard rule, such as `kawasaki.jp` with `*.kawasaki.jp`, is not a suffix, but
  // all names below it are.
  return labelCount(apex) <= 1 || suffixOf(text) === text || suffixOf(`a.${text}`) === `a.${text}`;
}

/** The settings with names of the service's hosts. */
export type ServiceNameSettings = Pick<Config, 'nameservers' | 'nodeName' | 'admin' | 'peer' | 'etcd'>;

/** The service's own names, from the configuration. */
export class ServiceNames {
  /** By nameId. */
  readonly #reserved = new Map<string, Name>();
  /** A reserved name below, by the nameId of each name above it. */
  readonly #above = new Map<string, Name>();

  constructor({ nameservers, nodeName, admin, peer, etcd }: ServiceNameSettings) {
    for (const host of nameservers) this.#add(host, true);
    for (const host of admin.hostname) this.#add(host, false);
    if (etcd.endpoints.length === 0) return;
    this.#add(nodeName, false);
    for (const url of etcd.endpoints) this.#add(new URL(url).hostname, false);
    if (peer.advertise !== undefined) this.#add(peer.advertise.replace(/:\d+$/, ''), false);
  }

  /** `withDomain`: reserves the parent of the host instead, unless it is a public suffix. */
  #add(host: string, withDomain: boolean): void {
    const name = hostName(host);
    if (name === null) return;
    const parent = parentName(name);
    const reserved = withDomain && !isPublicSuffix(parent) ? parent : name;
    this.#reserved.set(nameId(reserved), reserved);
    for (let above = parentName(reserved); above.length > 1; above = parentName(above))
      this.#above.set(nameId(above), reserved);
  }

  get reserved(): Iterable<Name> {
    return this.#reserved.values();
  }

  /** The service's name that is equal, above or below; undefined: none. */
  find(apex: Name): Name | undefined {
    for (let name = apex; name.length > 1; name = parentName(name)) {
      const reserved = this.#reserved.get(nameId(name));
      if (reserved !== undefined) return reserved;
    }
    return this.#above.get(nameId(apex));
  }
}

/** Null: an address, or a name of one label, which is a public suffix anyway. */
function hostName(host: string): Name | null {
  if (!/^[a-z0-9_-]+(\.[a-z0-9_-]+)+\.?$/i.test(host) || /\.\d+\.?$/.test(host)) return null;
  return parseName(`${host.toLowerCase().replace(/\.$/, '')}.`);
}

/**
 * Why the account cannot have the name; null: it can. `by`: the account of the request, or the
 * owner of the catalog. Administrators can create public suffixes and special-use names for any
 * account. Only accounts of administrators can have the service's names, since the service trusts
 * these zones.
 */
export function findNameFault(
  serviceNames: ServiceNames,
  apex: Name,
  owner: Pick<Account, 'role'>,
  by: Pick<Account, 'role'>,
): NameFault | null {
  const spelling = findSpellingFault(apex);
  if (spelling !== null) return spelling;
  const reserved = serviceNames.find(apex);
  if (reserved !== undefined && owner.role !== 'admin')
    return {
      code: 'service_name',
      message: `${quoted(apex)} is ${nameId(reserved) === nameId(apex) ? '' : `above or below ${quoted(reserved)}, `}a name of this service; only accounts of administrators can have it. Use another domain.`,
    };
  if (by.role === 'admin') return null;
  if (SPECIAL_USE_NAMES.some((name) => isWithin(apex, name)))
    return {
      code: 'special_use_name',
      message: `${quoted(apex)} is a special-use name (RFC 6761), which resolvers do not look up; use a registered domain.`,
    };
  if (isPublicSuffix(apex))
    return {
      code: 'public_suffix',
      message: `${quoted(apex)} is a public suffix; use a domain that is registered under it.`,
    };
  return null;
}

/**
 * Finds the service's own names that belong to accounts of customers, which could not create them
 * now. They were created before the rule, before a change of the settings, or by a former
 * administrator. They are not deleted.
 */
export function findForeignOwners(reader: Reader, { reserved }: ServiceNames): Domain[] {
  const found = new Map<number, Domain>();
  const add = (domain: Domain | undefined): void => {
    if (domain !== undefined && reader.account(domain.accountId)?.role !== 'admin') found.set(domain.id, domain);
  };
  for (const name of reserved) {
    for (let above = name; above.length > 1; above = parentName(above)) add(reader.domainByApex(above));
    for (const domain of reader.domainsBelow(name, BELOW)) add(domain);
  }
  return [...found.values()];
}

interface ForeignOwnersOptions {
  readonly config: ServiceNameSettings;
  readonly environment: Environment;
  readonly log: Logger;
}

/** Logs a warning at the start of the daemon, since settings change with a restart. */
export function reportForeignOwners({ config, environment, log }: ForeignOwnersOptions): void {
  const found = findForeignOwners(new StoreReader(environment), new ServiceNames(config));
  if (found.length === 0) return;
  log.warn('domains with names of the service belong to accounts without the role admin', {
    count: found.length,
    domains: found
      .slice(0, LISTED)
      .map(({ apex, accountId }) => `${formatHost(apex)} (account ${accountId})`)
      .join(', '),
  });
}
