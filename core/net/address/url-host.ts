/** Hosts in a URL or before a port, where an IPv6 address is in brackets (RFC 3986 3.2.2). */
import { isIPv6 } from 'node:net';

/** `host`: a name or an address. */
export const toUrlHost = (host: string): string => (isIPv6(host) ? `[${host}]` : host);

/** The name or the address alone. */
export const fromUrlHost = (host: string): string =>
  host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
