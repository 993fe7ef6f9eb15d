/**
 * Builds the fields of the request to an origin, in one pass over the visitor's fields.
 *
 * Only the edge states who the visitor is. X-Forwarded-For, Forwarded and similar fields are
 * dropped unless they come from a trusted proxy, and are created again. Caddy, Traefik and Envoy do
 * the same at the edge. nginx and Cloudflare append to the list, so that each origin has to find
 * out which part of it is true.
 *
 * Of a trusted proxy's X-Forwarded-For, the part is kept that trusted proxies have written, and the
 * proxy's address is appended. All fields for the visitor's address have that visitor then, since
 * many proxies pass on what the visitor claims in the fields that they do not write themselves.
 *
 * Many of these proxies also pass on any host and path that the visitor claims. So if the response
 * may be shared with other visitors, the request contains only those claims that are part of the
 * cache key.
 */
import { RecentMap } from '../../core/base/recent-map.ts';
import { clientNetwork } from '../../core/net/address/ipv6.ts';
import { statedAddresses } from '../../core/net/address/visitor.ts';
import { withoutDefaultPort } from '../http/exchange/authority.ts';
import type { Client, Exchange, VisitedSite } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { hasSameFields, markRecurring } from '../http/exchange/recurring-fields.ts';

export interface RequestRules {
  /**
   * Pseudonym in Via (RFC 9110 section 7.6.3) and identifier in CDN-Loop (RFC 8586): a token or a
   * host name.
   */
  readonly name: string;
  /** Whether an address belongs to a proxy whose statements about its clients are trusted. */
  readonly trusts: (address: string) => boolean;
}

/** The status with which a request is refused. */
type RequestRefusal = 417 | 508;

/**
 * The host, and the port if it is not the default of the scheme, as in the cache key. So the origin
 * gets one form, whichever form the visitor used.
 */
export function normalAuthority(exchange: Exchange, rules: Pick<RequestRules, 'trusts'>): string {
  return withoutDefaultPort(visitedSiteOf(exchange, rules).scheme, exchange.authority);
}

/** Determined once and kept on the exchange, since all of its handlers trust the same proxies. */
export function visitedSiteOf(exchange: Exchange, rules: Pick<RequestRules, 'trusts'>): VisitedSite {
  exchange.visited ??= findVisitedSite(exchange, rules);
  return exchange.visited;
}

function findVisitedSite(exchange: Exchange, { trusts }: Pick<RequestRules, 'trusts'>): VisitedSite {
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

const lastMember = (list: string): string => list.slice(list.lastIndexOf(',') + 1).trim();

/**
 * The network that a request counts for in the limits on connections to the origin. Behind a
 * trusted proxy this is the visitor's network, if the proxy states the address.
 */
export function networkOf(exchange: Exchange, rules: Pick<RequestRules, 'trusts'>): string {
  const { client, memory } = exchange;
  const visitor = visitorAddress(exchange, rules);
  return visitor === client.address ? memory.network : clientNetwork(visitor);
}

/** `visitorAddress` with the rules of the thread, for logs. */
export type AddressOf = (exchange: Exchange) => string;

/** The address of the visitor. Behind a trusted proxy it is the one that the proxy states. */
export function visitorAddress({ client, headers }: Exchange, { trusts }: Pick<RequestRules, 'trusts'>): string {
  if (!trusts(client.address)) return client.address;
  return statedBy(headers, trusts)?.[0] ?? client.address;
}

/** Those of the last request: rules, limits and logs ask for the visitor several times. */
let statedHeaders: FieldList | null = null;
let statedTrusts: RequestRules['trusts'] | null = null;
let stated: readonly string[] | null = null;

/** The addresses in X-Forwarded-For, visitor first. Null: there is no such field. */
function statedBy(headers: FieldList, trusts: RequestRules['trusts']): readonly string[] | null {
  if (headers === statedHeaders && trusts === statedTrusts) return stated;
  const lines: string[] = [];
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === 'x-forwarded-for') lines.push(headers[i + 1]);
  statedHeaders = headers;
  statedTrusts = trusts;
  stated = lines.length === 0 ? null : statedAddresses(lines, trusts);
  return stated;
}

const PASS = 1;
const DROP = 2;
/** A claim about the visitor. It is passed on for trusted proxies only. */
const CLAIM = 3;
/** The same, of the visitor's address: X-Forwarded-For prevails. */
const ADDRESS_CLAIM = 4;
const FORWARDED_PROTO = 5;
const FORWARDED_HOST = 6;
const FORWARDED = 7;
const VIA = 8;
const LOOP = 9;
const ENCODING = 10;
const EXPECT = 11;
const MAX_FORWARDS = 12;

const ACTIONS: ReadonlyMap<string, number> = new Map<string, number>([
  // Fields that browsers send. They are listed for speed: an unlisted name costs a scan of its
  // characters.
  ...each(PASS, [
    'accept',
    'accept-language',
    'authorization',
    'cache-control',
    'content-type',
    'cookie',
    'dnt',
    'if-match',
    'if-modified-since',
    'if-none-match',
    'if-range',
    'if-unmodified-since',
    'origin',
    'pragma',
    'priority',
    'range',
    'referer',
    'sec-ch-ua',
    'sec-ch-ua-mobile',
    'sec-ch-ua-platform',
    'sec-fetch-dest',
    'sec-fetch-mode',
    'sec-fetch-site',
    'sec-fetch-user',
    // The value is always `trailers`; the client of the origin adds the rest (RFC 9110 section
    // 10.1.4).
    'te',
    'upgrade-insecure-requests',
    'user-agent',
    'x-requested-with',
  ]),
  // Fields of the connection (RFC 9110 section 7.6.1): the client of the origin sets its own.
  // Credentials for proxies end at the edge (section 11.7).
  ...each(DROP, [
    'connection',
    'content-length',
    'host',
    'http2-settings',
    'keep-alive',
    'proxy-authenticate',
    'proxy-authorization',
    'proxy-connection',
    'transfer-encoding',
    'upgrade',
    'x-request-id',
    // The list is made again.
    'x-forwarded-for',
    // CGI exposes this field as HTTP_PROXY, which programs use as their outgoing proxy
    // (CVE-2016-5385).
    'proxy',
  ]),
  // The visitor's address.
  ...each(ADDRESS_CLAIM, [
    'ali-cdn-real-ip',
    'cf-connecting-ip',
    'client-ip',
    'do-connecting-ip',
    'fastly-client-ip',
    'fly-client-ip',
    'forwarded-for',
    'incap-client-ip',
    'proxy-client-ip',
    'true-client-ip',
    'x-azure-clientip',
    'x-client-ip',
    'x-cluster-client-ip',
    'x-nf-client-connection-ip',
    'x-originating-ip',
    'x-real-ip',
    'x-remote-addr',
    'x-remote-ip',
    'x-sucuri-clientip',
    'x-true-client-ip',
  ]),
  // Part of it, or another form.
  ...each(CLAIM, ['cf-connecting-ipv6', 'cf-pseudo-ipv4', 'x-azure-socketip', 'x-forwarded', 'x-real-port']),
  // Scheme, host, port and path that the visitor requested.
  ...each(CLAIM, [
    'cf-visitor',
    'cloudfront-forwarded-proto',
    'fly-forwarded-port',
    'fly-forwarded-proto',
    'fly-forwarded-ssl',
    'front-end-https',
    'x-client-port',
    'x-host',
    'x-http-destinationurl',
    'x-http-host-override',
    'x-override-url',
    'x-rewrite-url',
    'x-scheme',
    'x-script-name',
    'x-url-scheme',
  ]),
  // The visitor's identity: client certificates (RFC 9440) and users that a proxy has
  // authenticated.
  ...each(CLAIM, [
    'cf-access-authenticated-user-email',
    'client-cert',
    'client-cert-chain',
    'remote-email',
    'remote-groups',
    'remote-name',
    'remote-user',
    'x-client-cert',
    'x-goog-authenticated-user-email',
    'x-goog-authenticated-user-id',
    'x-remote-group',
    'x-remote-user',
    'x-webauth-user',
  ]),
  // Internal fields of frameworks and servers: Next.js (CVE-2025-29927), Rack (CVE-2025-61780).
  ...each(CLAIM, [
    'x-accel-mapping',
    'x-invoke-error',
    'x-invoke-output',
    'x-invoke-path',
    'x-invoke-query',
    'x-invoke-status',
    'x-matched-path',
    'x-now-route-matches',
    'x-sendfile-type',
    'x-vercel-forwarded-for',
    'x-vercel-proxied-for',
  ]),
  // Next.js sends it from the browser.
  ['x-middleware-prefetch', PASS],
  ['x-forwarded-proto', FORWARDED_PROTO],
  ['x-forwarded-host', FORWARDED_HOST],
  ['forwarded', FORWARDED],
  ['via', VIA],
  ['cdn-loop', LOOP],
  ['accept-encoding', ENCODING],
  ['expect', EXPECT],
  ['max-forwards', MAX_FORWARDS],
]);

function each(action: number, names: readonly string[]): [string, number][] {
  return names.map((name) => [name, action]);
}

/** Prefixes of claims. */
const CLAIMS = new RegExp(
  `^(?:${[
    'ssl-client-', // ingress-nginx
    'wl-proxy-', // WebLogic
    'x-amzn-oidc-', // load balancers of AWS
    'x-appengine-',
    'x-arr-', // IIS
    'x-auth-request-', // oauth2-proxy
    'x-envoy-',
    'x-forwarded-',
    'x-middleware-', // Next.js
    'x-ms-client-principal', // Azure
    'x-original-', // IIS, Symfony, ingress-nginx
    'x-ssl-client-',
    'x-vercel-ip-',
  ].join('|')})`,
);
const UNUSUAL = /[^a-z0-9-]/;

const actionOf = (name: string): number => ACTIONS.get(name) ?? (CLAIMS.test(name) ? CLAIM : PASS);

/**
 * The action for a name that is not in the table.
 *
 * CGI, WSGI and PHP map all characters except letters and digits to underscores. There a name such
 * as x_forwarded_for equals x-forwarded-for. Such a name is dropped if only the edge may set its
 * equivalent.
 */
function unlistedAction(name: string): number {
  const cached = unlisted.get(name);
  if (cached !== undefined) return cached;
  const action = classifyUnlisted(name);
  if (name.length > MAX_UNLISTED_LENGTH) return action;
  unlisted.set(name, action);
  return action;
}

/**
 * Actions of recently used names, because applications repeat the same names. The size is limited,
 * because visitors choose the names.
 */
const unlisted = new RecentMap<number>(1024);
const MAX_UNLISTED_LENGTH = 64;

function classifyUnlisted(name: string): number {
  if (UNUSUAL.test(name)) return actionOf(name.replace(/[^a-z0-9]/g, '-')) === PASS ? PASS : DROP;
  return CLAIMS.test(name) ? CLAIM : PASS;
}

const join = (list: string, value: string): string => (list === '' ? value : `${list}, ${value}`);

/** The last request of a connection, and the fields that were made of it. */
interface RequestTrace {
  readonly client: Client;
  readonly version: string;
  readonly rules: RequestRules;
  readonly headers: FieldList;
  readonly authority: string;
  readonly acceptEncoding: string;
  readonly isShared: boolean;
  readonly fields: FieldList;
}

/** By port: clients have different ones. A power of two. */
const TRACES = 64;
const traces: (RequestTrace | undefined)[] = new Array(TRACES).fill(undefined);
/** Characters of the fields that a trace holds. */
const MAX_TRACE_LENGTH = 8192;

/**
 * Builds all fields except Host, X-Request-Id and the framing fields. `acceptEncoding`: the codings
 * that the origin may use; empty for none. `isShared`: the response may also be sent to other
 * visitors.
 *
 * Returns a refusal if the expectation cannot be met (417), or if the request has already passed
 * this service (508, RFC 8586 section 2).
 *
 * A client repeats its fields, so those of its connection's last request are kept. A request with
 * the same fields gets the same list.
 */
export function requestFields(
  exchange: Exchange,
  rules: RequestRules,
  acceptEncoding: string,
  isShared = false,
): FieldList | RequestRefusal {
  const { client, headers, authority, version } = exchange;
  // Max-Forwards depends on the method.
  if (exchange.method === 'OPTIONS') return buildRequestFields(exchange, rules, acceptEncoding, isShared);
  const slot = client.port & (TRACES - 1);
  const trace = traces[slot];
  if (
    trace !== undefined &&
    trace.client === client &&
    trace.version === version &&
    trace.rules === rules &&
    trace.isShared === isShared &&
    trace.acceptEncoding === acceptEncoding &&
    trace.authority === authority &&
    hasSameFields(trace.headers, headers)
  ) {
    markRecurring(trace.fields);
    return trace.fields;
  }
  const fields = buildRequestFields(exchange, rules, acceptEncoding, isShared);
  if (typeof fields === 'number' || lengthOf(headers) > MAX_TRACE_LENGTH) return fields;
  traces[slot] = { client, version, rules, headers, authority, acceptEncoding, isShared, fields };
  return fields;
}

function lengthOf(headers: FieldList): number {
  let length = 0;
  for (const text of headers) length += text.length;
  return length;
}

function buildRequestFields(
  exchange: Exchange,
  rules: RequestRules,
  acceptEncoding: string,
  isShared: boolean,
): string[] | RequestRefusal {
  const { headers, client, scheme } = exchange;
  const authority = normalAuthority(exchange, rules);
  const isTrusted = rules.trusts(client.address);
  const acceptsClaims = isTrusted && !isShared;
  const chain = isTrusted ? statedBy(headers, rules.trusts) : null;
  const fields: string[] = [];
  let forwarded = chain === null ? '' : chain.map((address) => `for=${nodeOf(address)}`).join(', ');
  let proto: string = isShared ? visitedSiteOf(exchange, rules).scheme : scheme;
  let host = authority;
  let via = '';
  let loop = '';
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i];
    const value = headers[i + 1];
    switch (ACTIONS.get(name) ?? unlistedAction(name)) {
      case PASS:
        fields.push(name, value);
        break;
      case CLAIM:
        if (acceptsClaims) fields.push(name, value);
        break;
      case ADDRESS_CLAIM:
        if (acceptsClaims) fields.push(name, chain === null ? value : (chain[0] ?? client.address));
        break;
      case FORWARDED_PROTO:
        if (acceptsClaims) proto = lastMember(value);
        break;
      case FORWARDED_HOST:
        if (acceptsClaims) host = value;
        break;
      case FORWARDED:
        if (acceptsClaims && chain === null) forwarded = join(forwarded, value);
        break;
      case VIA:
        via = join(via, value);
        break;
      case LOOP:
        loop = join(loop, value);
        break;
      case MAX_FORWARDS:
        fields.push(name, decrementForwards(exchange.method, value));
        break;
      case EXPECT:
        return 417;
    }
  }
  if (loop !== '' && includesIdentifier(loop, rules.name)) return 508;
  if (acceptEncoding !== '') fields.push('accept-encoding', acceptEncoding);
  // RFC 9440. Those of a trusted proxy's visitors are claims of the proxy.
  if (!isTrusted && client.certificate) fields.push('client-cert', client.certificate);
  fields.push(
    'x-forwarded-for',
    chain === null ? client.address : join(chain.join(', '), client.address),
    'x-forwarded-proto',
    proto,
    'x-forwarded-host',
    host,
    'forwarded',
    join(forwarded, forwardedElement(client.address, authority, scheme)),
    'via',
    join(via, exchange.version === '2' ? `2 ${rules.name}` : `${exchange.version} ${rules.name}`),
    'cdn-loop',
    join(loop, rules.name),
  );
  return fields;
}

/**
 * Filters the trailers for an origin. The origin may merge them into the header fields (RFC 9110
 * section 6.5.1), so claims and fields that only the edge may set are removed.
 */
export function requestTrailers(fields: FieldList): FieldList {
  if (fields.length === 0) return fields;
  return fields.filter((_, i) => {
    const name = fields[i & ~1];
    return (ACTIONS.get(name) ?? unlistedAction(name)) === PASS;
  });
}

/** The inputs of the last element, and the element. */
let lastAddress = '';
let lastAuthority = '';
let lastScheme = '';
let lastElement = '';

/**
 * An element of Forwarded (RFC 7239 section 4). An IPv6 address needs brackets, and brackets and
 * colons need quotes (sections 4 and 6).
 *
 * The requests of a page have the same element, so the last one is kept. A new one costs 0.25 µs,
 * partly because its line then has to be checked again (edge/origin/request-head.ts).
 */
function forwardedElement(address: string, authority: string, scheme: string): string {
  if (address === lastAddress && authority === lastAuthority && scheme === lastScheme) return lastElement;
  const host = /^[a-z0-9.-]+$/.test(authority) ? authority : `"${authority}"`;
  lastAddress = address;
  lastAuthority = authority;
  lastScheme = scheme;
  lastElement = `for=${nodeOf(address)};host=${host};proto=${scheme}`;
  return lastElement;
}

const nodeOf = (address: string): string => (address.includes(':') ? `"[${address}]"` : address);

/**
 * RFC 9110 section 7.6.2: decremented for OPTIONS only, since TRACE is never forwarded. At zero the
 * request ends here (`hasNoForwardsLeft`).
 */
function decrementForwards(method: string, value: string): string {
  return method === 'OPTIONS' && /^\d{1,9}$/.test(value) && Number(value) > 0 ? String(Number(value) - 1) : value;
}

/** Whether a CDN-Loop contains an identifier (RFC 8586 section 2), ignoring parameters and case. */
function includesIdentifier(loop: string, id: string): boolean {
  // A quoted parameter value may contain commas.
  const members = loop.replace(/"(?:[^"\\]|\\.)*"/g, '').split(',');
  const identifier = id.toLowerCase();
  return members.some((member) => member.split(';', 1)[0].trim().toLowerCase() === identifier);
}

/** RFC 9110 section 7.6.2: an OPTIONS request that must not be forwarded. */
export function hasNoForwardsLeft(exchange: Exchange): boolean {
  if (exchange.method !== 'OPTIONS') return false;
  const { headers } = exchange;
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i] === 'max-forwards' && /^0{1,9}$/.test(headers[i + 1])) return true;
  return false;
}
