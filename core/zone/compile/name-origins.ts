/**
 * Finds the origin server of a proxied name: the configured origin of the domain, or the server
 * that records of the name lead to. It reads stored records and not served ones, so that no name
 * leads back to the cluster.
 */

import { InvalidError } from '../../base/errors.ts';
import { latin1 } from '../../dns/wire/latin1.ts';
import { equalNames, formatHost, type Name, nameAt, parseName } from '../../dns/wire/name.ts';
import { MAX_SOURCES, TYPE } from '../../dns/wire/types.ts';
import { type Exemptions, mayConnect, parseAddress, readHost } from '../../net/address/index.ts';
import type { Domain, ProxyConfig } from '../../store/rows.ts';
import { substitute } from './chain.ts';
import { findType, type ZoneView } from './view.ts';
import { walk } from './walk.ts';

/** A zone of the account with its stored records. */
export interface StoredNames {
  readonly domainId: Domain['id'];
  readonly view: ZoneView;
  /** Whether the domain has an origin. It serves the apex if no records there lead elsewhere. */
  readonly hasOrigin: boolean;
}

/** Finds the zone that contains a name. Null: no zone does, or it belongs to another account. */
type FindZone = (name: Name) => StoredNames | null;

/** The target of the records of a name. */
type End =
  | { readonly kind: 'addresses'; readonly addresses: readonly Uint8Array[] }
  /** A name to resolve with queries. */
  | { readonly kind: 'host'; readonly name: Name }
  /** An apex without address records, of a domain that has an origin. */
  | { readonly kind: 'origin'; readonly domainId: Domain['id'] }
  | { readonly kind: 'none'; readonly why: 'no-address' | 'loop' };

interface Trace {
  /** All names of the chain, including the first and the last. */
  readonly passed: readonly Name[];
  readonly end: End;
}

export type NameOrigin =
  /** The configured origin of a domain, which may be another domain that the name leads to. */
  | { readonly kind: 'configured'; readonly domainId: Domain['id'] }
  /** Public addresses of the name's own records, at least one. */
  | { readonly kind: 'addresses'; readonly addresses: readonly Uint8Array[] }
  /** A host name to resolve, without the trailing dot. */
  | { readonly kind: 'host'; readonly host: string }
  | { readonly kind: 'none'; readonly why: 'no-address' | 'private' | 'loop' };

interface ConfiguredOrigin {
  readonly host: string;
  /** The addresses of the host name when it was configured. */
  readonly addresses: readonly string[];
}

/** Maximum addresses of a name; further addresses are ignored. */
const MAX_ORIGIN_ADDRESSES = 16;

export class NameOrigins {
  readonly #zoneOf: FindZone;
  readonly #domain: Pick<Domain, 'id' | 'apex'>;
  readonly #configured: ConfiguredOrigin | null;
  readonly #exemptions: Exemptions;
  #servers: Servers | null = null;

  /** `proxy`: of the domain, with its origin. `exemptions`: addresses that count as public. */
  constructor(
    zoneOf: FindZone,
    domain: Pick<Domain, 'id' | 'apex'>,
    proxy: Pick<ProxyConfig, 'originHost' | 'originAddresses'> | undefined,
    exemptions: Exemptions,
  ) {
    this.#zoneOf = zoneOf;
    this.#domain = domain;
    const host = proxy?.originHost ?? null;
    this.#configured = host === null ? null : { host, addresses: proxy?.originAddresses ?? [] };
    this.#exemptions = exemptions;
  }

  /** `name`: a name of the domain that goes through the proxy. */
  originOf(name: Name): NameOrigin {
    if (this.#configured === null) return this.#ownOrigin(trace(this.#zoneOf, name).end);
    const configured = { kind: 'configured', domainId: this.#domain.id } as const;
    if (equalNames(name, this.#domain.apex)) return configured;
    const { passed, end } = trace(this.#zoneOf, name);
    const own = this.#ownOrigin(end);
    if (own.kind === 'none') return configured;
    return this.#serversOf(this.#configured).include(passed, own) ? configured : own;
  }

  /**
   * Whether an address belongs to the configured origin or to the apex, which the origin serves.
   */
  isConfigured(address: Uint8Array): boolean {
    return this.#configured !== null && this.#serversOf(this.#configured).has(address);
  }

  #serversOf(configured: ConfiguredOrigin): Servers {
    this.#servers ??= this.#findServers(configured);
    return this.#servers;
  }

  #ownOrigin(end: End): NameOrigin {
    switch (end.kind) {
      case 'origin':
        return { kind: 'configured', domainId: end.domainId };
      case 'addresses': {
        const usable = end.addresses.filter((address) => mayConnect(address, this.#exemptions).public);
        return usable.length === 0
          ? { kind: 'none', why: 'private' }
          : { kind: 'addresses', addresses: interleaveFamilies(usable).slice(0, MAX_ORIGIN_ADDRESSES) };
      }
      case 'host': {
        const host = this.#hostOf(end.name);
        return host === null ? { kind: 'none', why: 'private' } : { kind: 'host', host };
      }
      case 'none':
        return end;
      default:
        return end satisfies never;
    }
  }

  /**
   * The host name to resolve. Null: a special-use name, which never has public addresses, or not a
   * host name.
   */
  #hostOf(name: Name): string | null {
    try {
      const host = readHost(formatHost(name), this.#exemptions);
      return host.kind === 'name' ? host.name : null;
    } catch (error) {
      if (error instanceof InvalidError) return null;
      throw error;
    }
  }

  /** The servers that count as the configured origin: its own, and those of the apex. */
  #findServers({ host, addresses }: ConfiguredOrigin): Servers {
    const servers = new Servers(this.#domain);
    const literals = [host, ...addresses].flatMap((text) => parseAddress(text) ?? []);
    servers.add({ passed: [], end: { kind: 'addresses', addresses: literals } });
    if (parseAddress(host) === undefined) servers.add(trace(this.#zoneOf, parseName(host)));
    servers.add(trace(this.#zoneOf, this.#domain.apex));
    return servers;
  }
}

/** The servers that count as the configured origin, by name and address. */
class Servers {
  readonly #domain: Pick<Domain, 'id' | 'apex'>;
  readonly #names: Name[] = [];
  readonly #addresses = new Set<string>();

  constructor(domain: Pick<Domain, 'id' | 'apex'>) {
    this.#domain = domain;
  }

  add({ passed, end }: Trace): void {
    this.#names.push(...passed);
    if (end.kind === 'addresses') for (const address of end.addresses) this.#addresses.add(latin1(address));
  }

  /** Whether a name leads to one of the servers. */
  include(passed: readonly Name[], own: NameOrigin): boolean {
    if (own.kind === 'configured' && own.domainId === this.#domain.id) return true;
    if (passed.some((name) => this.#names.some((other) => equalNames(name, other)))) return true;
    return own.kind === 'addresses' && own.addresses.some((address) => this.has(address));
  }

  has(address: Uint8Array): boolean {
    return this.#addresses.has(latin1(address));
  }
}

/** Follows CNAME, ALIAS and DNAME records across zones of the account. */
function trace(zoneOf: FindZone, start: Name): Trace {
  const passed: Name[] = [];
  const ended = (end: End): Trace => ({ passed, end });
  let name = start;
  for (;;) {
    if (passed.length > MAX_SOURCES || passed.some((other) => equalNames(name, other)))
      return ended({ kind: 'none', why: 'loop' });
    passed.push(name);
    const zone = zoneOf(name);
    if (zone === null) return ended({ kind: 'host', name });
    const outcome = walk(zone.view, name);
    switch (outcome.kind) {
      case 'outside':
      case 'delegation':
        return ended({ kind: 'host', name });
      case 'missing':
        return ended(NO_ADDRESS);
      case 'dname': {
        const next = substitute(name, outcome.owner, outcome.set);
        if (next === null) return ended(NO_ADDRESS);
        name = next;
        break;
      }
      case 'found':
      case 'wildcard': {
        const { sets } = outcome;
        const next = findType(sets, TYPE.CNAME) ?? findType(sets, TYPE.ALIAS);
        if (next !== undefined) {
          name = Uint8Array.from(nameAt(next.rdatas[0], 0));
          break;
        }
        // Copies, since the buffers of the store are valid only until its next read.
        const addresses = sets
          .filter(({ type }) => type === TYPE.A || type === TYPE.AAAA)
          .flatMap(({ rdatas }) => rdatas.map((rdata) => Uint8Array.from(rdata)));
        if (addresses.length > 0) return ended({ kind: 'addresses', addresses });
        const isOrigin = zone.hasOrigin && equalNames(name, zone.view.apex);
        return ended(isOrigin ? { kind: 'origin', domainId: zone.domainId } : NO_ADDRESS);
      }
      default:
        outcome satisfies never;
    }
  }
}

const NO_ADDRESS: End = { kind: 'none', why: 'no-address' };

/** Alternates IPv6 and IPv4 addresses (RFC 8305 section 4). */
function interleaveFamilies(addresses: readonly Uint8Array[]): readonly Uint8Array[] {
  const families = [16, 4].map((length) => addresses.filter((address) => address.length === length));
  return addresses.flatMap((_, i) => families.flatMap((family) => family[i] ?? []));
}
