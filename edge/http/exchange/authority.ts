/**
 * Validates and splits the authority of a request (RFC 9110 section 7.2, RFC 3986 section 3.2), and
 * validates its path. Common to all versions of HTTP.
 */

import { METHODS } from 'node:http';
import { isIPv6 } from 'node:net';

/**
 * Registered methods from the list of Node.js. SOURCE belongs to Icecast. CONNECT has its own rules
 * in each version.
 */
const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS.filter((name) => name !== 'SOURCE' && name !== 'CONNECT'));

/**
 * The maximum length of a name with its port: 253 bytes (RFC 1035 section 2.3.4), a dot, a colon
 * and five digits.
 */
const MAX_LENGTH = 260;

/**
 * A registered name or an IPv4 address: RFC 3986 section 3.2.2. Group 1: the host; group 2: the
 * port.
 */
const NAME = /^((?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})+)(?::(\d{0,5}))?$/;
const LITERAL = /^\[([0-9A-Fa-f:.]+)\](?::(\d{0,5}))?$/;

/**
 * Returns the authority in lower case, without a colon that no port follows (RFC 3986 section
 * 6.2.3). Empty: invalid, such as an empty host, user information, a port above 65,535 or an
 * invalid IPv6 literal. IPvFuture and zone identifiers are invalid too: they are not reachable.
 */
export function authorityOf(text: string): string {
  if (text.length === 0 || text.length > MAX_LENGTH) return '';
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

/** RFC 9110 section 4.2.3: removes the default port of the scheme. */
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
 * The host of a valid authority, without the port. An IPv6 address keeps its brackets, a name its
 * trailing dot.
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

/** The host for looking up a site: without the port and the trailing dot. */
export function siteHost(authority: string): string {
  if (authority === lastSite) return lastSiteHost;
  const host = hostOf(authority);
  lastSiteHost = host.endsWith('.') ? host.slice(0, -1) : host;
  lastSite = authority;
  return lastSiteHost;
}

/** The port of an authority. Empty: the default port of its scheme. */
export function portOf(authority: string): string {
  const colon = authority.lastIndexOf(':');
  return colon < 0 || authority.endsWith(']') ? '' : authority.slice(colon + 1);
}

let lastText = '';
let lastAuthority = '';

/** `authorityOf` with a cache of one entry: clients repeat the same authority. */
export function knownAuthority(text: string): string {
  if (text !== lastText) {
    lastAuthority = authorityOf(text);
    lastText = text;
  }
  return lastAuthority;
}

/**
 * Visible ASCII without "#", which clients never send (RFC 9110 section 7.1). More permissive than
 * RFC 3986: browsers send `|`, `^`, `"` and braces unencoded. "*" addresses the server, and only
 * OPTIONS may use it.
 */
const PATH = /^\/[\x21\x22\x24-\x7e]*$/;

/** Whether a path, with its query, is valid for this method. */
export const isPath = (path: string, method: string): boolean =>
  PATH.test(path) || (path === '*' && method === 'OPTIONS');

/** RFC 9110 section 9.1: methods are case-sensitive. An unknown method gets 501. */
export const isKnownMethod = (method: string): boolean => KNOWN_METHODS.has(method);

/**
 * Rules for the method and the scheme of a request, common to all versions of HTTP. Returns the
 * scheme of a target URI if the connection may carry it; empty: 421 (RFC 9110 sections 7.4 and
 * 15.5.20). TLS carries only `https`. Without TLS, `https` is allowed: a proxy in front may have
 * terminated TLS. The gateway decides whether that proxy is trusted.
 */
export function carriedScheme(scheme: string, isEncrypted: boolean): 'http' | 'https' | '' {
  // RFC 3986 section 3.1: schemes are case-insensitive.
  if (scheme === 'https' || scheme.toLowerCase() === 'https') return 'https';
  return !isEncrypted && scheme.toLowerCase() === 'http' ? 'http' : '';
}
