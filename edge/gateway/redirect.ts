/** From http to https (RFC 9110 section 15.4.9: 308 keeps the method). */

import { portOf, siteHost } from '../http/exchange/authority.ts';
import type { Exchange } from '../http/exchange/exchange.ts';

/** Seconds: a browser that remembers it for ever could not come back when the site is taken out of the proxy. */
const REMEMBERED = 300;

/**
 * Where a request is sent. `ports`: that of each plain listener leads to `httpsPort`. Who named no port came by 80, whatever the listener has, and goes to 443.
 */
export function secureLocation(exchange: Exchange, httpPorts: ReadonlySet<string>, httpsPort: number): string {
  const { authority, path } = exchange;
  const isOurs = httpPorts.has(portOf(authority)) && httpsPort !== 443;
  const port = isOurs ? `:${httpsPort}` : '';
  return `https://${siteHost(authority)}${port}${path.startsWith('/') ? path : '/'}`;
}

export function redirect(exchange: Exchange, location: string): void {
  exchange.respond(308, [
    'location',
    location,
    'content-length',
    '0',
    'cache-control',
    `max-age=${REMEMBERED}`,
    'server',
    'waypost',
  ]);
  exchange.end();
}
