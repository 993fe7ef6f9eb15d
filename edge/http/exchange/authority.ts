/**
 * Host and port of a request (RFC 9110 section 7.2, RFC 3986 section 3.2), and its path: what both
 * versions of HTTP hold them to.
 */
import { isIPv6 } from 'node:net';

/**
 * Longer than any name with its port: 253 bytes (RFC 1035 section 2.3.4), a dot, a colon and five
 * digits.
 */
const LONGEST = 260;

/**
 * A registered name or an IPv4 address: RFC 3986 section 3.2.2. Group 1: the host; group 2: the
 * port.
 */
const NAME = /^((?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})+)(?::(\d{0,5}))?$/;
const LITERAL = /^\[([0-9A-Fa-f:.]+)\](?::(\d{0,5}))?$/;

/**
 * In lower case, without a colon that no port follows (RFC 3986 section 6.2.3); empty when it is
 * none: an empty host, user information, a port above 65,535, an IPv6 literal that is no address.
 * IPvFuture and zone ids name nothing that could be reached, and are none.
 */
export function authorityOf(text: string): string {
  if (text.length === 0 || text.length > LONGEST) return '';
  const literal = text.charCodeAt(0) === 0x5b;
  const parts = (literal ? LITERAL : NAME).exec(text);
  if (parts === null || (literal && !isIPv6(parts[1]))) return '';
  const lower = text.toLowerCase();
  const port = parts[2];
  if (port === undefined) return lower;
  if (port === '') return lower.slice(0, -1);
  return Number(port) <= 65_535 ? lower : '';
}

/** The last input of `withoutDefaultPort`, and its result: requests mostly repeat it. */
let lastScheme = '';
let lastWithPort = '';
let lastWithoutPort = '';

/** RFC 9110 section 4.2.3: the port that a scheme has by itself is left out. */
export function withoutDefaultPort(scheme: 'http' | 'https', authority: string): string {
  if (authority === lastWithPort && scheme === lastScheme) return lastWithoutPort;
  lastWithoutPort = cutDefaultPort(scheme, authority);
  lastWithPort = authority;
  lastScheme = scheme;
  return lastWithoutPort;
}

function cutDefaultPort(scheme: 'http' | 'https', authority: string): string {
  const port = scheme === 'https' ? ':443' : ':80';
  return authority.endsWith(port) ? authority.slice(0, -port.length) : authority;
}

/**
 * The host of an authority that is well-formed: without the port. An IPv6 address keeps its
 * brackets, a name its last dot.
 */
export function hostOf(authority: string): string {
  if (authority === lastHostAuthority) return lastHost;
  const hasPort = authority.includes(':') && !authority.endsWith(']');
  lastHost = hasPort ? authority.slice(0, authority.lastIndexOf(':')) : authority;
  lastHostAuthority = authority;
  return lastHost;
}

let lastHostAuthority = '';
let lastHost = '';

let lastSite = '';
let lastSiteHost = '';

/** The host as sites are looked up by: without the port and the last dot. */
export function siteHost(authority: string): string {
  if (authority === lastSite) return lastSiteHost;
  const host = hostOf(authority);
  lastSiteHost = host.endsWith('.') ? host.slice(0, -1) : host;
  lastSite = authority;
  return lastSiteHost;
}

/** The port that an authority names. Empty: that of its scheme. */
export function portOf(authority: string): string {
  const colon = authority.lastIndexOf(':');
  return colon < 0 || authority.endsWith(']') ? '' : authority.slice(colon + 1);
}

let lastText = '';
let lastAuthority = '';

/** `authorityOf`; a client asks for the same one repeatedly. */
export function knownAuthority(text: string): string {
  if (text !== lastText) {
    lastAuthority = authorityOf(text);
    lastText = text;
  }
  return lastAuthority;
}

/**
 * Visible ASCII without "#", which never leaves a client (RFC 9110 section 7.1). Wider than RFC
 * 3986: browsers send `|`, `^`, `"` and braces as they are. An asterisk stands for the server, and
 * only OPTIONS asks for that.
 */
const PATH = /^\/[\x21\x22\x24-\x7e]*$/;

/** Whether it may be the path, with its query, of a request with this method. */
export const isPath = (path: string, method: string): boolean =>
  PATH.test(path) || (path === '*' && method === 'OPTIONS');
