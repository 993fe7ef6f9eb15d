/**
 * The visitor of a request: address, network, and scheme and host of the requested URL. They come
 * from the connection or, if its client is a trusted proxy, from fields of the request.
 */
import { parseAddress } from '../../core/net/address/index.ts';
import { clientNetwork } from '../../core/net/address/ipv6.ts';
import { readForwarded, statedAddresses, statedScheme } from '../../core/net/address/visitor.ts';
import { withoutDefaultPort } from '../http/exchange/authority.ts';
import type { Exchange, VisitedSite } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import type { ProxyEndpoint } from '../http/transport/proxy-protocol.ts';

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
  const { scheme } = readStatement(exchange.headers, trusts);
  return scheme === undefined ? exchange : { scheme, authority: exchange.authority };
}

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
  return readStatement(headers, trusts).chain?.[0] ?? client.address;
}

/** The visitor for an origin with the PROXY protocol. A trusted proxy states no port: 0. */
export function sourceOf(exchange: Exchange, rules: TrustRules): ProxyEndpoint | undefined {
  const visitor = visitorAddress(exchange, rules);
  const address = parseAddress(visitor);
  const { client } = exchange;
  return address && { address, port: visitor === client.address ? client.port : 0 };
}

/** What a trusted proxy states about a request, as the first trusted proxy received it. */
interface Statement {
  /** The trusted addresses of X-Forwarded-For or Forwarded, visitor first. Null: no such field. */
  readonly chain: readonly string[] | null;
  readonly scheme: 'http' | 'https' | undefined;
  /** The host, with a port if it has one; not part of the cache key. Empty: not stated. */
  readonly host: string;
  /** Of X-Forwarded-Port; not part of the cache key. Empty: not stated. */
  readonly port: string;
}

/** Result for the last request, since rules, limits, logs and the proxy each need the visitor. */
let lastHeaders: FieldList | null = null;
let lastTrusts: TrustRules['trusts'] | null = null;
let lastStatement: Statement | null = null;

/** `headers`: of a trusted client. */
export function readStatement(headers: FieldList, trusts: TrustRules['trusts']): Statement {
  if (lastStatement !== null && headers === lastHeaders && trusts === lastTrusts) return lastStatement;
  lastHeaders = headers;
  lastTrusts = trusts;
  lastStatement = findStatement(headers, trusts);
  return lastStatement;
}

/**
 * Proxies that set X-Forwarded-For often pass on the visitor's Forwarded, so that counts only
 * without X-Forwarded-For. Of other fields the last line is the proxy's, even if the visitor has
 * also sent them.
 */
function findStatement(headers: FieldList, trusts: TrustRules['trusts']): Statement {
  const addressLines: string[] = [];
  const forwardedLines: string[] = [];
  let proto = '';
  let host = '';
  let port = '';
  for (let i = 0; i < headers.length; i += 2) {
    const value = headers[i + 1];
    switch (headers[i]) {
      case 'x-forwarded-for':
        addressLines.push(value);
        break;
      case 'forwarded':
        forwardedLines.push(value);
        break;
      case 'x-forwarded-proto':
        proto = value;
        break;
      case 'x-forwarded-host':
        host = value;
        break;
      case 'x-forwarded-port':
        port = value;
    }
  }
  const readsForwarded = addressLines.length === 0 && forwardedLines.length > 0;
  const forwarded = readsForwarded ? readForwarded(forwardedLines, trusts) : NOTHING_FORWARDED;
  return {
    chain: addressLines.length > 0 ? statedAddresses(addressLines, trusts) : forwarded.addresses,
    scheme: statedScheme(proto === '' ? forwarded.proto : proto),
    host: hostIn(host === '' ? forwarded.host : host),
    port: portIn(port),
  };
}

const NOTHING_FORWARDED = { addresses: null, proto: '', host: '' };

/** The member of the first proxy, if a list has those of several. */
function firstMember(list: string): string {
  const comma = list.indexOf(',');
  return (comma < 0 ? list : list.slice(0, comma)).trim();
}

/** Empty: it is none. */
function portIn(text: string): string {
  const port = firstMember(text);
  return /^[1-9]\d{0,4}$/.test(port) ? port : '';
}

/** Empty: it is none. */
function hostIn(text: string): string {
  const host = firstMember(text).toLowerCase();
  return /^[a-z0-9._~%!$&'()*+,;=:[\]-]+$/.test(host) ? host : '';
}
