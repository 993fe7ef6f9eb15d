/**
 * The visitor of a request: address, network, and scheme and host of the requested URL. They come
 * from the connection or, if its client is a trusted proxy, from fields of the request.
 */
import { clientNetwork } from '../../core/net/address/ipv6.ts';
import { statedAddresses } from '../../core/net/address/visitor.ts';
import { withoutDefaultPort } from '../http/exchange/authority.ts';
import type { Exchange, VisitedSite } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';

export interface TrustRules {
  /** Whether an address belongs to a proxy whose statements about its clients are trusted. */
  readonly trusts: (address: string) => boolean;
}

/**
 * The host, and the port if it is not the default of the scheme, as in the cache key. The origin
 * receives this normalized form.
 */
export function normalAuthority(exchange: Exchange, rules: TrustRules): string {
  return withoutDefaultPort(visitedSiteOf(exchange, rules).scheme, exchange.authority);
}

/** Cached on the exchange, since all of its handlers trust the same proxies. */
export function visitedSiteOf(exchange: Exchange, rules: TrustRules): VisitedSite {
  exchange.visited ??= findVisitedSite(exchange, rules);
  return exchange.visited;
}

function findVisitedSite(exchange: Exchange, { trusts }: TrustRules): VisitedSite {
  if (!trusts(exchange.client.address)) return exchange;
  const { headers, authority } = exchange;
  // The last line is the proxy's, even if the visitor has also sent this field.
  for (let i = headers.length - 2; i >= 0; i -= 2) {
    if (headers[i] !== 'x-forwarded-proto') continue;
    const scheme = lastMember(headers[i + 1]);
    return scheme === 'http' || scheme === 'https' ? { scheme, authority } : exchange;
  }
  return exchange;
}

export const lastMember = (list: string): string => list.slice(list.lastIndexOf(',') + 1).trim();

/**
 * The network to which the limits on origin connections charge a request. Behind a trusted proxy,
 * this is the visitor's network if the proxy states the address.
 */
export function networkOf(exchange: Exchange, rules: TrustRules): string {
  const { client, memory } = exchange;
  const visitor = visitorAddress(exchange, rules);
  return visitor === client.address ? memory.network : clientNetwork(visitor);
}

/** `visitorAddress` with the thread's trust rules, for logs. */
export type AddressOf = (exchange: Exchange) => string;

/** The address of the visitor, as stated by a trusted proxy or taken from the connection. */
export function visitorAddress({ client, headers }: Exchange, { trusts }: TrustRules): string {
  if (!trusts(client.address)) return client.address;
  return forwardedAddresses(headers, trusts)?.[0] ?? client.address;
}

/** Result for the last request, since rules, limits and logs each need the visitor. */
let statedHeaders: FieldList | null = null;
let statedTrusts: TrustRules['trusts'] | null = null;
let stated: readonly string[] | null = null;

/** The trusted addresses of X-Forwarded-For, visitor first. Null: no such field. */
export function forwardedAddresses(headers: FieldList, trusts: TrustRules['trusts']): readonly string[] | null {
  if (headers === statedHeaders && trusts === statedTrusts) return stated;
  const lines: string[] = [];
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === 'x-forwarded-for') lines.push(headers[i + 1]);
  statedHeaders = headers;
  statedTrusts = trusts;
  stated = lines.length === 0 ? null : statedAddresses(lines, trusts);
  return stated;
}
