/**
 * The visitor of a request: address, network, and the URL that was requested. The connection states
 * them, unless its client is a trusted proxy. Then fields of the request do.
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
 * The host, and the port if it is not the default of the scheme, as in the cache key. So the origin
 * gets one form, whichever form the visitor used.
 */
export function normalAuthority(exchange: Exchange, rules: TrustRules): string {
  return withoutDefaultPort(visitedSiteOf(exchange, rules).scheme, exchange.authority);
}

/** Determined once and kept on the exchange, since all of its handlers trust the same proxies. */
export function visitedSiteOf(exchange: Exchange, rules: TrustRules): VisitedSite {
  exchange.visited ??= findVisitedSite(exchange, rules);
  return exchange.visited;
}

function findVisitedSite(exchange: Exchange, { trusts }: TrustRules): VisitedSite {
  if (!trusts(exchange.client.address)) return exchange;
  const { headers, authority } = exchange;
  // The last line is the proxy's own, if it has added one to the visitor's.
  for (let i = headers.length - 2; i >= 0; i -= 2) {
    if (headers[i] !== 'x-forwarded-proto') continue;
    const scheme = lastMember(headers[i + 1]);
    return scheme === 'http' || scheme === 'https' ? { scheme, authority } : exchange;
  }
  return exchange;
}

export const lastMember = (list: string): string => list.slice(list.lastIndexOf(',') + 1).trim();

/**
 * The network that a request counts for in the limits on connections to the origin. Behind a
 * trusted proxy this is the visitor's network, if the proxy states the address.
 */
export function networkOf(exchange: Exchange, rules: TrustRules): string {
  const { client, memory } = exchange;
  const visitor = visitorAddress(exchange, rules);
  return visitor === client.address ? memory.network : clientNetwork(visitor);
}

/** `visitorAddress` with the rules of the thread, for logs. */
export type AddressOf = (exchange: Exchange) => string;

/** The address of the visitor. Behind a trusted proxy it is the one that the proxy states. */
export function visitorAddress({ client, headers }: Exchange, { trusts }: TrustRules): string {
  if (!trusts(client.address)) return client.address;
  return statedBy(headers, trusts)?.[0] ?? client.address;
}

/** Those of the last request: rules, limits and logs ask for the visitor several times. */
let statedHeaders: FieldList | null = null;
let statedTrusts: TrustRules['trusts'] | null = null;
let stated: readonly string[] | null = null;

/** The addresses in X-Forwarded-For, visitor first. Null: there is no such field. */
export function statedBy(headers: FieldList, trusts: TrustRules['trusts']): readonly string[] | null {
  if (headers === statedHeaders && trusts === statedTrusts) return stated;
  const lines: string[] = [];
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === 'x-forwarded-for') lines.push(headers[i + 1]);
  statedHeaders = headers;
  statedTrusts = trusts;
  stated = lines.length === 0 ? null : statedAddresses(lines, trusts);
  return stated;
}
