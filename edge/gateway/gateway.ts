/**
 * What every request of a thread comes to.
 *
 *     without TLS   421 for a target of https from anybody but a trusted proxy in front ─► challenge of ACME ─► admin host: redirect ─► site: redirect, or the site while it has no certificate ─► 404
 *                   where a trusted proxy in front says that the visitor came to it by https: admin host ─► site ─► 404
 *     with TLS      421 when the connection's certificate is not for the host ─► admin host ─► site ─► 404
 */

import { siteHost } from '../http/exchange/authority.ts';
import type { Exchange, Handler } from '../http/exchange/exchange.ts';
import { answerError, type ErrorPage } from '../proxy/error-page.ts';
import type { Proxy as ServeSite } from '../proxy/proxy.ts';
import { visitedBy } from '../proxy/request-fields.ts';
import { requestId } from '../proxy/request-id.ts';
import type { SiteLookup } from '../sites/site.ts';
import type { Destination } from './counters.ts';
import type { Observer } from './observer.ts';
import { MISDIRECTED, NO_SUCH_SITE } from './pages.ts';
import { redirect, secureLocation } from './redirect.ts';

export interface GatewayOptions {
  readonly siteOf: SiteLookup;
  /** Whether the certificate of a connection that began with `serverName` is for `host`, too. */
  isShared(serverName: string, host: string): boolean;
  readonly proxy: ServeSite;
  /** Host names of the admin API. */
  readonly adminHosts: ReadonlySet<string>;
  /** Passes a request on to the admin API. */
  readonly admin: Handler;
  /** What is at `/.well-known/acme-challenge/<token>` of a host (RFC 8555 section 8.3); undefined: nothing of ours. */
  challenge(host: string, token: string): string | undefined;
  /** Of the plain listeners. */
  readonly httpPorts: ReadonlySet<string>;
  /** Null: HTTPS is off. */
  readonly httpsPort: number | null;
  /** Whether an address is that of a proxy in front of the edge which tells the truth about its clients. */
  readonly trusts: (address: string) => boolean;
  readonly observer: Observer;
}

const CHALLENGES = '/.well-known/acme-challenge/';

export function createGateway(options: GatewayOptions): Handler {
  const { siteOf, isShared, proxy, adminHosts, admin, challenge, httpPorts, httpsPort, observer } = options;

  const refuse = (exchange: Exchange, destination: Destination, page: ErrorPage): void => {
    const id = requestId();
    observer.answered(exchange, destination, page.status, answerError(exchange, page, id), id);
  };

  const toSecure = (exchange: Exchange, port: number): void => {
    redirect(exchange, secureLocation(exchange, httpPorts, port));
    observer.answered(exchange, 'redirect', 308, 0);
  };

  const answersChallenge = (exchange: Exchange, host: string): boolean => {
    const content = challenge(host, exchange.path.slice(CHALLENGES.length));
    if (content === undefined) return false;
    const body = Buffer.from(content, 'latin1');
    exchange.respond(200, ['content-type', 'application/octet-stream', 'content-length', String(body.length)]);
    exchange.end(body);
    observer.answered(exchange, 'challenge', 200, body.length);
    return true;
  };

  const clear = (exchange: Exchange, host: string): void | Promise<void> => {
    // RFC 9110 section 7.4: only a trusted proxy can have ended the TLS that the target asks for.
    if (exchange.targetScheme === 'https' && !options.trusts(exchange.client.address))
      return refuse(exchange, 'misdirected', MISDIRECTED);
    if (exchange.path.startsWith(CHALLENGES) && answersChallenge(exchange, host)) return;
    // Who ends TLS in front sends them here again, and so for ever.
    if (visitedBy(exchange, options).scheme === 'https') return serve(exchange, host);
    const isAdmin = adminHosts.has(host);
    const site = isAdmin ? undefined : siteOf(host);
    if (httpsPort !== null && (isAdmin || site?.hasCertificate)) return toSecure(exchange, httpsPort);
    if (site === undefined) return refuse(exchange, 'unknown', NO_SUCH_SITE);
    return proxy(exchange, site);
  };

  const serve = (exchange: Exchange, host: string): void | Promise<void> => {
    if (adminHosts.has(host)) return admin(exchange);
    const site = siteOf(host);
    if (site === undefined) return refuse(exchange, 'unknown', NO_SUCH_SITE);
    return proxy(exchange, site);
  };

  return (exchange) => {
    observer.begun(exchange);
    const host = siteHost(exchange.authority);
    const { isEncrypted, serverName } = exchange.client;
    if (!isEncrypted) return clear(exchange, host);
    if (host !== serverName && !isShared(serverName, host)) return refuse(exchange, 'misdirected', MISDIRECTED);
    return serve(exchange, host);
  };
}
