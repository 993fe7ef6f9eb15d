/**
 * The fields that an origin gets, made in one pass over those that the visitor sent.
 *
 * Who the visitor is, is for the edge to say: X-Forwarded-For, Forwarded and their kin are dropped when they come from anybody but a
 * proxy that the operator trusts, and made anew (as Caddy, Traefik and Envoy at the edge do; nginx and Cloudflare append, which leaves each
 * origin to find out how much of the list is true). From a trusted proxy the lists go on, with its address appended. Of the host and path many of these proxies pass on
 * whatever the visitor said of them, so a request whose answer may be for others, too, has nothing of that kind but what is a part of the cache's key.
 */
import { isIP } from 'node:net';
import { clientNetwork } from '../../core/address/ipv6.ts';
import { withoutDefaultPort } from '../http/exchange/authority.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';

export interface RequestRules {
  /** Pseudonym in Via (RFC 9110 section 7.6.3) and identifier in CDN-Loop (RFC 8586): a token or a host name. */
  readonly name: string;
  /** Whether an address is that of a proxy in front of the edge which tells the truth about its clients. */
  readonly trusts: (address: string) => boolean;
}

/** Why a request is not passed on, by status. */
export type RequestRefusal = 417 | 508;

/** Where a visitor is: by which scheme a trusted proxy in front says, since the connection to the edge is its own. */
export interface VisitedBy {
  readonly scheme: 'http' | 'https';
  readonly authority: string;
}

/** The host, and its port if it is not the scheme's, as the cache's key has it: whatever of it a visitor spells out, the origin gets one form. */
export function normalAuthority(exchange: Exchange, rules: Pick<RequestRules, 'trusts'>): string {
  return withoutDefaultPort(visitedBy(exchange, rules).scheme, exchange.authority);
}

export function visitedBy(exchange: Exchange, { trusts }: Pick<RequestRules, 'trusts'>): VisitedBy {
  if (!trusts(exchange.client.address)) return exchange;
  const { headers, authority } = exchange;
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i] !== 'x-forwarded-proto') continue;
    const scheme = headers[i + 1];
    return scheme === 'http' || scheme === 'https' ? { scheme, authority } : exchange;
  }
  return exchange;
}

/** The network whose share of the origin's connections a request takes: of visitors behind a trusted proxy their own, as far as it says. */
export function networkOf({ client, headers, memory }: Exchange, { trusts }: Pick<RequestRules, 'trusts'>): string {
  if (!trusts(client.address)) return memory.network;
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i] !== 'x-forwarded-for') continue;
    const last = headers[i + 1].slice(headers[i + 1].lastIndexOf(',') + 1).trim();
    return isIP(last) === 0 ? memory.network : clientNetwork(last);
  }
  return memory.network;
}

const PASS = 1;
const DROP = 2;
/** Says who or where the visitor is: passed on for trusted proxies only. */
const CLAIM = 3;
const FORWARDED_FOR = 4;
const FORWARDED_PROTO = 5;
const FORWARDED_HOST = 6;
const FORWARDED = 7;
const VIA = 8;
const LOOP = 9;
const ENCODING = 10;
const EXPECT = 11;
const MAX_FORWARDS = 12;

const ACTIONS: ReadonlyMap<string, number> = new Map<string, number>([
  // What browsers send. Not to be found here costs a look at each character, no more.
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
    // Only ever `trailers`: the client of the origin says the rest (RFC 9110 section 10.1.4).
    'te',
    'upgrade-insecure-requests',
    'user-agent',
    'x-requested-with',
  ]),
  // Of a connection (RFC 9110 section 7.6.1): the client of the origin says its own. Credentials for proxies end here (section 11.7).
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
    // Read by CGI as HTTP_PROXY, which programs take for their own outgoing proxy (CVE-2016-5385).
    'proxy',
  ]),
  // The visitor's address.
  ...each(CLAIM, [
    'ali-cdn-real-ip',
    'cf-connecting-ip',
    'cf-connecting-ipv6',
    'cf-pseudo-ipv4',
    'client-ip',
    'do-connecting-ip',
    'fastly-client-ip',
    'fly-client-ip',
    'forwarded-for',
    'incap-client-ip',
    'proxy-client-ip',
    'true-client-ip',
    'x-azure-clientip',
    'x-azure-socketip',
    'x-client-ip',
    'x-cluster-client-ip',
    'x-forwarded',
    'x-nf-client-connection-ip',
    'x-originating-ip',
    'x-real-ip',
    'x-real-port',
    'x-remote-addr',
    'x-remote-ip',
    'x-sucuri-clientip',
    'x-true-client-ip',
  ]),
  // Scheme, host, port and path that the visitor asked for.
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
  // Who the visitor is: client certificates (RFC 9440) and users that a proxy has authenticated.
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
  // What parts of a framework or a server tell each other: Next.js (CVE-2025-29927), Rack (CVE-2025-61780).
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
  // Next.js in the browser sends it.
  ['x-middleware-prefetch', PASS],
  ['x-forwarded-for', FORWARDED_FOR],
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

/** Families of fields that are claims, whatever follows. */
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
 * Of a name that is not in the table. Servers that know only letters, digits and underscores (CGI, WSGI, PHP) take a name such as x_forwarded_for for another one: it is dropped when
 * that one is the edge's to say.
 */
function unlistedAction(name: string): number {
  const known = unlisted.get(name);
  if (known !== undefined) return known;
  const action = judgedAction(name);
  if (name.length > LONGEST_UNLISTED) return action;
  if (unlisted.size >= MOST_UNLISTED) unlisted.clear();
  unlisted.set(name, action);
  return action;
}

/** Of names that came lately: applications send the same ones again and again. Visitors choose them, so there are bounds. */
const unlisted = new Map<string, number>();
const MOST_UNLISTED = 1024;
const LONGEST_UNLISTED = 64;

function judgedAction(name: string): number {
  if (UNUSUAL.test(name)) return actionOf(name.replace(/[^a-z0-9]/g, '-')) === PASS ? PASS : DROP;
  return CLAIMS.test(name) ? CLAIM : PASS;
}

const join = (list: string, value: string): string => (list === '' ? value : `${list}, ${value}`);

/**
 * All but Host and what frames the message. `acceptEncoding`: the codings that the origin is asked for; empty for none. A refusal: what it
 * asks for cannot be (417), or it has been here before (508, RFC 8586 section 2). `isForAll`: the answer may be for others, too.
 */
export function requestFields(
  exchange: Exchange,
  rules: RequestRules,
  id: string,
  acceptEncoding: string,
  isForAll = false,
): string[] | RequestRefusal {
  const { headers, client, scheme } = exchange;
  const authority = normalAuthority(exchange, rules);
  const isTrusted = rules.trusts(client.address);
  const isBelieved = isTrusted && !isForAll;
  const fields: string[] = [];
  let forwardedFor = '';
  let forwarded = '';
  let proto: string = isForAll ? visitedBy(exchange, rules).scheme : scheme;
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
        if (isBelieved) fields.push(name, value);
        break;
      case FORWARDED_FOR:
        if (isTrusted) forwardedFor = join(forwardedFor, value);
        break;
      case FORWARDED_PROTO:
        if (isBelieved) proto = value;
        break;
      case FORWARDED_HOST:
        if (isBelieved) host = value;
        break;
      case FORWARDED:
        if (isBelieved) forwarded = join(forwarded, value);
        break;
      case VIA:
        via = join(via, value);
        break;
      case LOOP:
        loop = join(loop, value);
        break;
      case MAX_FORWARDS:
        fields.push(name, decremented(exchange.method, value));
        break;
      case EXPECT:
        return 417;
    }
  }
  if (loop !== '' && names(loop, rules.name)) return 508;
  if (acceptEncoding !== '') fields.push('accept-encoding', acceptEncoding);
  fields.push(
    'x-forwarded-for',
    join(forwardedFor, client.address),
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
    'x-request-id',
    id,
  );
  return fields;
}

/**
 * Trailers that an origin gets: it may take them for fields of the head (RFC 9110 section 6.5.1), so nothing passes that is the edge's to say there, nor who the visitor claims
 * to be.
 */
export function requestTrailers(fields: FieldList): FieldList {
  if (fields.length === 0) return fields;
  return fields.filter((_, i) => {
    const name = fields[i & ~1];
    return (ACTIONS.get(name) ?? unlistedAction(name)) === PASS;
  });
}

/** What the last element was made of, and the element. */
let lastAddress = '';
let lastAuthority = '';
let lastScheme = '';
let lastElement = '';

/**
 * RFC 7239 section 4. An IPv6 address stands in brackets, and those, as a colon, in quotes (sections 4 and 6). The requests of a page all say the same, so the last element is kept:
 * one that is made anew costs 0.25 µs, also since its line is not found without a look at each character (edge/origin/field-line.ts).
 */
function forwardedElement(address: string, authority: string, scheme: string): string {
  if (address === lastAddress && authority === lastAuthority && scheme === lastScheme) return lastElement;
  const node = address.includes(':') ? `"[${address}]"` : address;
  const host = /^[a-z0-9.-]+$/.test(authority) ? authority : `"${authority}"`;
  lastAddress = address;
  lastAuthority = authority;
  lastScheme = scheme;
  lastElement = `for=${node};host=${host};proto=${scheme}`;
  return lastElement;
}

/** RFC 9110 section 7.6.2: counts for OPTIONS, and for TRACE, which goes nowhere. At zero the request ends here: `mayGoNoFurther`. */
function decremented(method: string, value: string): string {
  return method === 'OPTIONS' && /^\d{1,9}$/.test(value) && Number(value) > 0 ? String(Number(value) - 1) : value;
}

/** Whether a CDN-Loop has an identifier (RFC 8586 section 2), parameters aside; host names are the same in either case. */
function names(loop: string, id: string): boolean {
  // What a quoted parameter says is none of the list.
  const members = loop.replace(/"(?:[^"\\]|\\.)*"/g, '').split(',');
  const wanted = id.toLowerCase();
  return members.some((member) => member.split(';', 1)[0].trim().toLowerCase() === wanted);
}

/** RFC 9110 section 7.6.2: an OPTIONS that may go no further. */
export function mayGoNoFurther(exchange: Exchange): boolean {
  if (exchange.method !== 'OPTIONS') return false;
  const { headers } = exchange;
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i] === 'max-forwards' && /^0{1,9}$/.test(headers[i + 1])) return true;
  return false;
}
