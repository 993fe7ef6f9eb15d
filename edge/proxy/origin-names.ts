/**
 * Hides the origin. Its host name and addresses in response fields are replaced by the requested
 * host or removed, so links lead back to the edge.
 */

import { mayConnect } from '../../core/net/address/index.ts';
import { fromUrlHost, toUrlHost } from '../../core/net/address/url-host.ts';
import type { Origin } from '../origin/origin-address.ts';
import { COLON, type OriginPlace, SLASHES, USER } from '../origin/spellings.ts';

/** The scheme and authority that the visitor requested. */
export interface Visited {
  readonly scheme: string;
  readonly authority: string;
}

/**
 * An absolute or scheme-relative reference (RFC 3986 section 4.2). Browsers treat a backslash as a
 * slash.
 */
const WITH_AUTHORITY = /^(?:(https?|wss?):)?[/\\]{2}([^/\\?#]*)/i;
const STANDARD_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443', ws: '80', wss: '443' };

/**
 * Matches the text before a host (scheme, slashes, user information, bracket), and the text after
 * it.
 */
const BEFORE_HOST = new RegExp(String.raw`(?:(https?|wss?)(${COLON}))?(${SLASHES})${USER}(?:\[|%(?:25)*5b)?$`, 'i');
const BEFORE_BARE_HOST = /(?:\[|%(?:25)*5b)$/i;
const AFTER_HOST = new RegExp(
  String.raw`(?:(?:%[0-9a-z._~-]{1,20})?(?:\]|%(?:25)*5d))?(?:${COLON}[0-9]{1,5}(?![0-9]))?`,
  'iy',
);
/** Number of characters before a host that BEFORE_HOST searches. */
const MAX_BEFORE = 128;

/**
 * A percent-encoded unreserved character (RFC 3986 section 2.3), which equals the plain character.
 */
const NEEDLESSLY_ENCODED = /%(?:25)*(2d|2e|3[0-9]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi;

/**
 * Whether a text reveals the host name or an address. A name above or below the host name also
 * reveals it.
 */
export function revealsOrigin(identity: OriginPlace, text: string, visited: Visited): boolean {
  if (!identity.mayBeIn(text)) return false;
  const { address, names } = identity.spellings;
  const plain = removeNeedlessEncoding(text);
  if (address !== null && plain.search(address) >= 0) return true;
  return names.some(({ host, relatedName }) => relatedName.test(plain) && !isPublic(host, visited));
}

/** Replaces the origin's authority by the visitor's. `isUrl`: only within URLs. */
export function rewriteText(text: string, identity: OriginPlace, visited: Visited, isUrl = false): string {
  if (!identity.mayBeIn(text)) return text;
  const { address, names } = identity.spellings;
  const plain = removeNeedlessEncoding(text);
  let result = address === null ? plain : replaceHosts(plain, address, visited, isUrl);
  for (const { host, name } of names) if (!isPublic(host, visited)) result = replaceHosts(result, name, visited, isUrl);
  return result === plain ? text : result;
}

/**
 * Rewrites a reference for the visitor. The origin's host becomes the visitor's, with any port.
 *
 * An application that knows only its own port may combine the visitor's host with the origin's
 * port. Such a reference loses the port.
 */
export function rewriteReference(reference: string, identity: OriginPlace, visited: Visited): string {
  const parts = WITH_AUTHORITY.exec(reference);
  if (parts === null) return rewriteText(reference, identity, visited);
  const rest = rewriteText(reference.slice(parts[0].length), identity, visited);
  const scheme = parts[1]?.toLowerCase() ?? '';
  if (!isOriginAuthority(parts[2], scheme, identity, visited)) return rewriteText(parts[0], identity, visited) + rest;
  return `${scheme === '' ? '' : `${visitedScheme(scheme, visited)}:`}//${visited.authority}${rest}`;
}

/** Whether an authority is the origin's, or the visitor's host with the origin's port. */
function isOriginAuthority(authority: string, scheme: string, identity: OriginPlace, visited: Visited): boolean {
  const { host, port } = parseAuthority(authority);
  const visitedHost = parseAuthority(visited.authority);
  if (host === visitedHost.host) return isOriginPort(port, scheme, identity.origin, visitedHost.port);
  return isOriginHost(host, identity);
}

/**
 * An explicit port that is the origin's, not the default of its scheme, and not the visitor's port.
 */
const isOriginPort = (port: string, scheme: string, origin: Origin, visitedPort: string): boolean =>
  port !== '' && port === String(origin.port) && port !== STANDARD_PORTS[scheme] && port !== visitedPort;

/** `host`: as returned by `normalizeHost`. */
const isOriginHost = (host: string, { names, addresses }: OriginPlace): boolean =>
  names.some((name) => host === normalizeHost(name)) || addresses.some((address) => host === normalizeHost(address));

/** Whether the visitor requested this name or a name below it, so it is no secret. */
function isPublic(name: string, { authority }: Visited): boolean {
  const { host } = parseAuthority(authority);
  return host === name || host.endsWith(`.${name}`);
}

/** Rewrites the targets of a Link (RFC 8288 section 3) and its parameters. */
export function rewriteLink(value: string, identity: OriginPlace, visited: Visited): string {
  const link = value.replace(
    /<([^<>]*)>/g,
    (_, target: string) => `<${rewriteReference(target.trim(), identity, visited)}>`,
  );
  return rewriteText(link, identity, visited);
}

/** Rewrites Refresh, as browsers parse it: seconds, optionally followed by a URL. */
export function rewriteRefresh(value: string, identity: OriginPlace, visited: Visited): string {
  const refresh = value.replace(
    /^([^;,]*[;,]\s*(?:url\s*=\s*)?)(["']?)([^"']*)/i,
    (_, before: string, quote: string, url: string) => `${before}${quote}${rewriteReference(url, identity, visited)}`,
  );
  return rewriteText(refresh, identity, visited);
}

/**
 * Rewrites a cookie. The browser would reject a cookie for the origin's domain, so Domain is
 * removed: the cookie then belongs to the requested host (RFC 6265 section 5.3). URLs in the value
 * are rewritten. Undefined: the cookie still reveals the origin, as do cookies of load balancers
 * that encode an address.
 */
export function rewriteCookie(value: string, identity: OriginPlace, visited: Visited): string | undefined {
  if (containsPublicAddress(value)) return undefined;
  const cookie = /;\s*domain/i.test(value) ? removeOriginDomain(value, identity, visited) : value;
  if (!identity.mayBeIn(cookie)) return cookie;
  const result = rewriteText(cookie, identity, visited, true);
  return revealsOrigin(identity, result, visited) ? undefined : result;
}

const removeOriginDomain = (value: string, identity: OriginPlace, visited: Visited): string =>
  value.replace(/;\s*domain\s*=\s*([^;]*)/gi, (attribute, domain: string) => {
    const host = normalizeHost(domain.trim().replace(/^\./, ''));
    return isOriginHost(host, identity) && !isPublic(host, visited) ? '' : attribute;
  });

/**
 * Removes the list members (RFC 9110 section 5.6.1) that reveal the origin. Undefined: all of them
 * do.
 */
export function removeRevealingMembers(value: string, identity: OriginPlace, visited: Visited): string | undefined {
  if (!revealsOrigin(identity, value, visited)) return value;
  const members = splitList(value).filter((member) => !revealsOrigin(identity, member, visited));
  return members.length === 0 ? undefined : members.join(', ');
}

/** Splits an authority into its host, normalized, and its port. */
function parseAuthority(authority: string): { host: string; port: string } {
  const parts = /^(?:[^@]*@)?(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority);
  if (parts === null) return { host: '', port: '' };
  return { host: normalizeHost(parts[1]), port: parts[2] ?? '' };
}

/** Normalizes a host by the rules of URLs, so that different spellings of an address are equal. */
function normalizeHost(text: string): string {
  try {
    return fromUrlHost(new URL(`http://${toUrlHost(text.toLowerCase())}/`).hostname).replace(/\.$/, '');
  } catch {
    return text.toLowerCase();
  }
}

const visitedScheme = (scheme: string, visited: Visited): string =>
  scheme === 'ws' || scheme === 'wss' ? visited.scheme.replace('http', 'ws') : visited.scheme;

const removeNeedlessEncoding = (text: string): string =>
  text.includes('%')
    ? text.replace(NEEDLESSLY_ENCODED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;

/**
 * Replaces each host together with its scheme, user information, brackets and port. The time is
 * linear in the length of the text.
 */
function replaceHosts(text: string, hosts: RegExp, visited: Visited, isUrl: boolean): string {
  let result = '';
  let end = 0;
  for (const { 0: host, index } of text.matchAll(hosts)) {
    if (index < end) continue;
    const preceding = text.slice(Math.max(end, index - MAX_BEFORE), index);
    const before = BEFORE_HOST.exec(preceding);
    if (isUrl && before === null) continue;
    const begin = index - (before ?? BEFORE_BARE_HOST.exec(preceding) ?? [''])[0].length;
    AFTER_HOST.lastIndex = index + host.length;
    const after = AFTER_HOST.exec(text)?.[0] ?? '';
    result += text.slice(end, begin) + visitorAuthority(before, visited);
    end = index + host.length + after.length;
  }
  return end === 0 ? text : result + text.slice(end);
}

/** The visitor's authority with scheme and slashes, in the same encoding as the replaced text. */
function visitorAuthority(before: RegExpExecArray | null, visited: Visited): string {
  if (before === null) return visited.authority;
  const [, scheme, colon = ':', slashes] = before;
  const start = scheme === undefined ? '' : `${visitedScheme(scheme.toLowerCase(), visited)}${colon}`;
  return `${start}${slashes}${visited.authority.replace(':', colon)}`;
}

/**
 * Splits a list at the commas outside of quoted strings and comments (RFC 9110 sections 5.6.4 and
 * 5.6.5).
 */
function splitList(list: string): string[] {
  const members: string[] = [];
  let from = 0;
  let depth = 0;
  let isQuoted = false;
  for (let i = 0; i < list.length; i++) {
    const character = list[i];
    if (character === '\\') i++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === '(') depth++;
    else if (character === ')') depth = Math.max(0, depth - 1);
    else if (character === ',' && depth === 0) {
      members.push(list.slice(from, i).trim());
      from = i + 1;
    }
  }
  members.push(list.slice(from).trim());
  return members.filter((member) => member !== '');
}

/**
 * The value of a cookie from F5 BIG-IP: an IPv4 address as a little-endian number, or an IPv4 or
 * IPv6 address in hexadecimal.
 */
const BIG_IP_COOKIE =
  /^[^=;]*=\s*"?(?:([0-9]{8,10})\.[0-9]{1,5}\.0000|vi([0-9a-f]{32})\.[0-9]{1,5}|rd[0-9]{1,5}o([0-9a-f]{32})o[0-9]{1,5})(?![0-9a-z])/i;

/**
 * The machine behind a load balancer may have an address that the edge never connects to, so any
 * public address counts. A private address is unreachable and reveals nothing useful.
 */
function containsPublicAddress(cookie: string): boolean {
  const match = BIG_IP_COOKIE.exec(cookie);
  if (match === null) return false;
  const [, number, ...hex] = match;
  const bytes = Buffer.from(hex[0] ?? hex[1] ?? '00000000', 'hex');
  if (number !== undefined) bytes.writeUInt32LE(Number(number) % 2 ** 32);
  const isMapped = bytes.length === 16 && bytes.subarray(0, 12).toString('hex') === `${'0'.repeat(20)}ffff`;
  return mayConnect(isMapped ? bytes.subarray(12) : bytes).public;
}
