/**
 * Routes every request of a thread.
 *
 *     without TLS
 *       a target URI with https, from an untrusted client ─► 421
 *       ACME challenge ─► response
 *       a trusted proxy reports https ─► as with TLS, without the certificate check
 *       admin host ─► redirect to https
 *       site ─► redirect to https, or the site while it has no certificate
 *       any other host ─► 404
 *     with TLS
 *       the server name of connections between nodes ─► the cache, if the signature is valid
 *       a host that the connection's certificate does not cover ─► 421
 *       admin host ─► admin API
 *       site whose TLS policy the connection does not meet ─► 421
 *       site ─► proxy
 *       any other host ─► 404
 */

import type { SiteTlsPolicy } from '../../core/site/protection/compile.ts';
import { portOf, siteHost } from '../http/exchange/authority.ts';
import type { Exchange, Handler } from '../http/exchange/exchange.ts';
import { requestId } from '../origin/origin.ts';
import { PEER_SERVER_NAME } from '../peers/identity.ts';
import { visitedSiteOf } from '../proxy/visitor.ts';
import { answerError, type ErrorPage } from '../sites/error-page.ts';
import type { ServeSite, Site, SiteLookup } from '../sites/site.ts';
import type { Destination } from './counters.ts';
import type { Observer } from './observer.ts';
import { MISDIRECTED, NO_CERTIFICATE, NO_SUCH_SITE, OTHER_TLS, OVERLOADED } from './pages.ts';

/** Seconds. Browsers must not cache the redirect for long, because the site may leave the proxy. */
const MAX_AGE = 300;

export interface GatewayOptions {
  readonly siteOf: SiteLookup;
  /** Whether the certificate of a connection with `serverName` also covers `host`. */
  isShared(serverName: string, host: string): boolean;
  readonly proxy: ServeSite;
  /** Host names of the admin API. */
  readonly adminHosts: ReadonlySet<string>;
  /** Forwards a request to the admin API. */
  readonly admin: Handler;
  /**
   * The content of `/.well-known/acme-challenge/<token>` on a host (RFC 8555 section 8.3).
   * Undefined: the request is not an ACME challenge of this service.
   */
  challenge(host: string, token: string): string | undefined;
  /** Answers requests from peers; null: the cache is not shared. */
  readonly peers: { handle(exchange: Exchange): void | Promise<void> } | null;
  /** Whether the process is overloaded; null: the load is not monitored. */
  readonly load: { readonly refusesConnections: boolean; readonly refusesRequests: boolean } | null;
  /** Ports of the listeners without TLS. */
  readonly httpPorts: ReadonlySet<string>;
  /** Null: HTTPS is off. */
  readonly httpsPort: number | null;
  /** Whether an address belongs to a proxy whose forwarding fields are trusted. */
  readonly trusts: (address: string) => boolean;
  readonly observer: Observer;
}

const policyOf = ({ documents }: Site): SiteTlsPolicy | null => documents?.protection?.tls ?? null;

const CHALLENGES = '/.well-known/acme-challenge/';

export function createGateway(options: GatewayOptions): Handler {
  const { siteOf, isShared, proxy, adminHosts, admin, challenge, httpPorts, httpsPort, load, peers, observer } =
    options;

  const refuse = (exchange: Exchange, destination: Destination, page: ErrorPage): void => {
    const id = requestId();
    observer.recordAnswer(exchange, destination, page.status, answerError(exchange, page, id), id);
  };

  /** Refuses a request for a site. When overloaded, the site's own error page is not used. */
  const refuseOf = (site: Site, exchange: Exchange, destination: Destination, page: ErrorPage): void => {
    observer.recordSite(exchange, site);
    const id = requestId();
    const own = page === OVERLOADED ? null : site.documents?.errorPages;
    const bytes = answerError(exchange, page, id, own);
    observer.recordSiteAnswer(exchange, destination, page.status, bytes, site, id);
  };

  const refuseOverloaded = (exchange: Exchange, site: Site | undefined): void => {
    if (site === undefined) refuse(exchange, 'unknown', OVERLOADED);
    else refuseOf(site, exchange, 'site', OVERLOADED);
  };

  const serveSite = (exchange: Exchange, site: Site): void | Promise<void> => {
    observer.recordSite(exchange, site);
    return proxy(exchange, site);
  };

  const redirectToHttps = (exchange: Exchange, port: number, site: Site | undefined): void => {
    if (site !== undefined) observer.recordSite(exchange, site);
    redirect(exchange, secureLocation(exchange, httpPorts, port));
    observer.recordSiteAnswer(exchange, 'redirect', 308, 0, site);
  };

  const answerChallenge = (exchange: Exchange, host: string): boolean => {
    const content = challenge(host, exchange.path.slice(CHALLENGES.length));
    if (content === undefined) return false;
    const body = Buffer.from(content, 'latin1');
    exchange.respond(200, ['content-type', 'application/octet-stream', 'content-length', String(body.length)]);
    exchange.end(body);
    observer.recordAnswer(exchange, 'challenge', 200, body.length);
    return true;
  };

  const serveUnencrypted = (exchange: Exchange, host: string): void | Promise<void> => {
    // RFC 9110 section 7.4: only a trusted proxy can have terminated the TLS that the target
    // requires.
    if (exchange.targetScheme === 'https' && !options.trusts(exchange.client.address))
      return refuse(exchange, 'misdirected', MISDIRECTED);
    if (exchange.path.startsWith(CHALLENGES) && answerChallenge(exchange, host)) return;
    // A redirect would cause a loop: the proxy that terminates TLS would send the redirected
    // request here again.
    if (visitedSiteOf(exchange, options).scheme === 'https') return serveHost(exchange, host);
    const isAdmin = adminHosts.has(host);
    const site = isAdmin ? undefined : siteOf(host);
    if (httpsPort !== null && (isAdmin || site?.hasCertificate)) return redirectToHttps(exchange, httpsPort, site);
    if (site === undefined) return refuse(exchange, 'unknown', NO_SUCH_SITE);
    if (policyOf(site)?.clients?.isRequired) return refuseOf(site, exchange, 'site', NO_CERTIFICATE);
    return serveSite(exchange, site);
  };

  const serveHost = (exchange: Exchange, host: string): void | Promise<void> => {
    if (adminHosts.has(host)) return admin(exchange);
    const site = siteOf(host);
    if (site === undefined) return refuse(exchange, 'unknown', NO_SUCH_SITE);
    const policy = policyOf(site);
    if (policy !== null && policy.fingerprint !== exchange.client.tlsPolicy) {
      // A proxy has terminated the visitor's TLS, so this node cannot verify a client certificate.
      if (!exchange.client.isEncrypted && policy.clients?.isRequired)
        return refuseOf(site, exchange, 'site', NO_CERTIFICATE);
      if (exchange.client.isEncrypted) return refuseOf(site, exchange, 'misdirected', OTHER_TLS);
    }
    return serveSite(exchange, site);
  };

  const isRefused = ({ client }: Exchange): boolean =>
    load !== null && (load.refusesRequests || (client.isSurplus === true && load.refusesConnections));

  return (exchange) => {
    observer.recordStart(exchange);
    const host = siteHost(exchange.authority);
    const { isEncrypted, serverName } = exchange.client;
    if (serverName === PEER_SERVER_NAME && peers !== null)
      return isRefused(exchange) ? refuse(exchange, 'unknown', OVERLOADED) : peers.handle(exchange);
    // The admin API stays reachable, and certificates are still issued.
    if (isRefused(exchange) && !adminHosts.has(host) && !exchange.path.startsWith(CHALLENGES))
      return refuseOverloaded(exchange, siteOf(host));
    if (!isEncrypted) return serveUnencrypted(exchange, host);
    if (host !== serverName && !isShared(serverName, host)) return refuse(exchange, 'misdirected', MISDIRECTED);
    return serveHost(exchange, host);
  };
}

/**
 * The https URL of a request. The port of a listener without TLS becomes `httpsPort`. An authority
 * without a port means port 80 for the client, whatever the listener's port is, so the URL has the
 * default port 443.
 */
function secureLocation(exchange: Exchange, httpPorts: ReadonlySet<string>, httpsPort: number): string {
  const { authority, path } = exchange;
  const isOwnPort = httpPorts.has(portOf(authority)) && httpsPort !== 443;
  const port = isOwnPort ? `:${httpsPort}` : '';
  return `https://${siteHost(authority)}${port}${path.startsWith('/') ? path : '/'}`;
}

/** Status 308 keeps the method (RFC 9110 section 15.4.9). */
function redirect(exchange: Exchange, location: string): void {
  exchange.respond(308, [
    'location',
    location,
    'content-length',
    '0',
    'cache-control',
    `max-age=${MAX_AGE}`,
    'server',
    'waypost',
  ]);
  exchange.end();
}
