/** Redirects from http to https. Status 308 keeps the method (RFC 9110 section 15.4.9). */

import { portOf, siteHost } from '../http/exchange/authority.ts';
import type { Exchange } from '../http/exchange/exchange.ts';

/** Seconds. Browsers must not cache the redirect for long, because the site may leave the proxy. */
const MAX_AGE = 300;

/**
 * The https URL of a request. The port of a listener without TLS becomes `httpsPort`. A client that
 * named no port used port 80, whatever port the listener has, and continues on port 443.
 */
export function secureLocation(exchange: Exchange, httpPorts: ReadonlySet<string>, httpsPort: number): string {
  const { authority, path } = exchange;
  const isOwnPort = httpPorts.has(portOf(authority)) && httpsPort !== 443;
  const port = isOwnPort ? `:${httpsPort}` : '';
  return `https://${siteHost(authority)}${port}${path.startsWith('/') ? path : '/'}`;
}

export function redirect(exchange: Exchange, location: string): void {
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
