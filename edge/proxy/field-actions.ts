/** The action for each request field: forward, drop, or accept only from a trusted proxy. */
import { RecentMap } from '../../core/base/recent-map.ts';

export const PASS = 1;
const DROP = 2;
/** A claim about the visitor. Forwarded only from trusted proxies. */
export const CLAIM = 3;
/** A claim about the visitor's address. X-Forwarded-For and Forwarded take precedence. */
export const ADDRESS_CLAIM = 4;
export const VIA = 5;
export const LOOP = 6;
const ENCODING = 7;
export const EXPECT = 8;
export const MAX_FORWARDS = 9;
/** A condition with entity tags, some of which the edge may have changed. */
export const CONDITION = 10;

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
    'if-modified-since',
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
    // The edge builds these itself.
    'forwarded',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-port',
    'x-forwarded-proto',
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
  // Part of the visitor's address, or another form of it.
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
  // Next.js sends this field from the browser.
  ['x-middleware-prefetch', PASS],
  ...each(CONDITION, ['if-match', 'if-none-match', 'if-range']),
  ['via', VIA],
  ['cdn-loop', LOOP],
  ['accept-encoding', ENCODING],
  ['expect', EXPECT],
  ['max-forwards', MAX_FORWARDS],
]);

function each(action: number, names: readonly string[]): [string, number][] {
  return names.map((name) => [name, action]);
}

/** Prefixes of names of claims. */
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

/** The action for a field of a visitor. */
export const actionOf = (name: string): number => ACTIONS.get(name) ?? unlistedAction(name);

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
  if (!UNUSUAL.test(name)) return CLAIMS.test(name) ? CLAIM : PASS;
  const usual = name.replace(/[^a-z0-9]/g, '-');
  return (ACTIONS.get(usual) ?? (CLAIMS.test(usual) ? CLAIM : PASS)) === PASS ? PASS : DROP;
}
