/**
 * Hides where an origin is. Its host name and its addresses, in the fields of its responses,
 * become the host that the visitor requested, or are removed: links lead back to the edge.
 */

import { mayConnect } from '../../core/address/index.ts';
import { fromUrlHost, toUrlHost } from '../../core/address/url-host.ts';
import type { Origin } from '../origin/origin-address.ts';
import type { OriginPlace } from '../origin/place.ts';
import { COLON, SLASHES, USER } from '../origin/spellings.ts';

/** Where the visitor is. */
export interface Visited {
  readonly scheme: string;
  readonly authority: string;
}

/** An absolute or scheme-relative reference (RFC 3986 section 4.2); browsers read a backslash as a slash. */
const WITH_AUTHORITY = /^(?:(https?|wss?):)?[/\\]{2}([^/\\?#]*)/i;
const STANDARD_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443', ws: '80', wss: '443' };

/** What comes before a host that was found, and after it. */
const BEFORE_HOST = new RegExp(String.raw`(?:(https?|wss?)(${COLON}))?(${SLASHES})${USER}(?:\[|%(?:25)*5b)?$`, 'i');
const BEFORE_BARE_HOST = /(?:\[|%(?:25)*5b)$/i;
const AFTER_HOST = new RegExp(
  String.raw`(?:(?:%[0-9a-z._~-]{1,20})?(?:\]|%(?:25)*5d))?(?:${COLON}[0-9]{1,5}(?![0-9]))?`,
  'iy',
);
/** Characters before a host that BEFORE_HOST looks at. */
const BEFORE = 128;

/** An unreserved character (RFC 3986 section 2.3) whose encoding means the same as the character. */
const NEEDLESSLY_ENCODED = /%(?:25)*(2d|2e|3[0-9]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi;

/** Whether a text reveals the host name or an address. A name above or below the host name does, too. */
export function revealsOrigin(place: OriginPlace, text: string, visited: Visited): boolean {
  if (!place.mayBeIn(text)) return false;
  const { address, relatedName } = place.spellings;
  const plain = withoutNeedlessEncoding(text);
  if (address !== null && plain.search(address) >= 0) return true;
  return relatedName?.test(plain) === true && !isNamePublic(place, visited);
}

/** The text with the visitor's authority in place of the origin's; other names stay. `isUrl`: in URLs only. */
export function replaced(text: string, place: OriginPlace, visited: Visited, isUrl = false): string {
  if (!place.mayBeIn(text)) return text;
  const { address, name } = place.spellings;
  const plain = withoutNeedlessEncoding(text);
  let result = address === null ? plain : replaceHosts(plain, address, visited, isUrl);
  if (name !== null && !isNamePublic(place, visited)) result = replaceHosts(result, name, visited, isUrl);
  return result === plain ? text : result;
}

/**
 * A reference as the visitor may have it. The origin's host becomes the visitor's, whatever the port; the visitor's own host with the port
 * of the origin, which an application puts there that knows only its own end, loses the port.
 */
export function replacedReference(reference: string, place: OriginPlace, visited: Visited): string {
  const parts = WITH_AUTHORITY.exec(reference);
  if (parts === null) return replaced(reference, place, visited);
  const rest = replaced(reference.slice(parts[0].length), place, visited);
  const scheme = parts[1]?.toLowerCase() ?? '';
  if (!isOriginAuthority(parts[2], scheme, place, visited)) return replaced(parts[0], place, visited) + rest;
  return `${scheme === '' ? '' : `${visitedScheme(scheme, visited)}:`}//${visited.authority}${rest}`;
}

/** Whether an authority is the origin's, or the visitor's host with the origin's port. */
function isOriginAuthority(authority: string, scheme: string, place: OriginPlace, visited: Visited): boolean {
  const { host, port } = readAuthority(authority);
  const visitedHost = readAuthority(visited.authority);
  if (host === visitedHost.host) return isOriginPort(port, scheme, place.origin, visitedHost.port);
  return isOriginHost(host, place);
}

/** A port that was said, is the origin's, is not that of its scheme, and not where the visitor is. */
const isOriginPort = (port: string, scheme: string, origin: Origin, visitedPort: string): boolean =>
  port !== '' && port === String(origin.port) && port !== STANDARD_PORTS[scheme] && port !== visitedPort;

/** `host`: as `plainHost` returns it. */
const isOriginHost = (host: string, { origin, addresses }: OriginPlace): boolean =>
  host === plainHost(origin.host) || addresses.some((address) => host === plainHost(address));

/** A visitor of the host itself, or of a name below it, knows the name. */
function isNamePublic({ origin }: OriginPlace, { authority }: Visited): boolean {
  const { host } = readAuthority(authority);
  return host === origin.host || host.endsWith(`.${origin.host}`);
}

/** The targets of a Link (RFC 8288 section 3), and its parameters. */
export function replacedLink(value: string, place: OriginPlace, visited: Visited): string {
  const link = value.replace(
    /<([^<>]*)>/g,
    (_, target: string) => `<${replacedReference(target.trim(), place, visited)}>`,
  );
  return replaced(link, place, visited);
}

/** Refresh, as browsers read it: seconds, and perhaps a URL. */
export function replacedRefresh(value: string, place: OriginPlace, visited: Visited): string {
  const refresh = value.replace(
    /^([^;,]*[;,]\s*(?:url\s*=\s*)?)(["']?)([^"']*)/i,
    (_, before: string, quote: string, url: string) => `${before}${quote}${replacedReference(url, place, visited)}`,
  );
  return replaced(refresh, place, visited);
}

/**
 * A cookie for the origin's host would be refused by the visitor: without Domain it is for the host that was requested (RFC 6265 section
 * 5.3). URLs in the value become the site's. Undefined: it holds an address in another form, as cookies of load balancers do.
 */
export function replacedCookie(value: string, place: OriginPlace, visited: Visited): string | undefined {
  if (holdsPublicAddress(value)) return undefined;
  const isForOrigin = /;\s*domain/i.test(value) && !isNamePublic(place, visited);
  const cookie = isForOrigin ? withoutOriginDomain(value, place) : value;
  if (!place.mayBeIn(cookie)) return cookie;
  const result = replaced(cookie, place, visited, true);
  return revealsOrigin(place, result, visited) ? undefined : result;
}

const withoutOriginDomain = (value: string, place: OriginPlace): string =>
  value.replace(/;\s*domain\s*=\s*([^;]*)/gi, (attribute, domain: string) =>
    isOriginHost(plainHost(domain.trim().replace(/^\./, '')), place) ? '' : attribute,
  );

/** The members of a list (RFC 9110 section 5.6.1) that do not reveal the origin; undefined: all do. */
export function membersWithout(value: string, place: OriginPlace, visited: Visited): string | undefined {
  if (!revealsOrigin(place, value, visited)) return value;
  const members = membersOf(value).filter((member) => !revealsOrigin(place, member, visited));
  return members.length === 0 ? undefined : members.join(', ');
}

/** The host alone of an authority, as an origin's is written: without user information, brackets, port and last dot. */
function readAuthority(authority: string): { host: string; port: string } {
  const parts = /^(?:[^@]*@)?(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority);
  if (parts === null) return { host: '', port: '' };
  return { host: plainHost(parts[1]), port: parts[2] ?? '' };
}

/** By the rules of URLs, so that another spelling of an address is the same one. */
function plainHost(text: string): string {
  try {
    return fromUrlHost(new URL(`http://${toUrlHost(text.toLowerCase())}/`).hostname).replace(/\.$/, '');
  } catch {
    return text.toLowerCase();
  }
}

const visitedScheme = (scheme: string, visited: Visited): string =>
  scheme === 'ws' || scheme === 'wss' ? visited.scheme.replace('http', 'ws') : visited.scheme;

const withoutNeedlessEncoding = (text: string): string =>
  text.includes('%')
    ? text.replace(NEEDLESSLY_ENCODED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;

/** Each host with the scheme, user information, brackets and port around it. Linear in the text. */
function replaceHosts(text: string, hosts: RegExp, visited: Visited, isUrl: boolean): string {
  let result = '';
  let end = 0;
  for (const { 0: host, index } of text.matchAll(hosts)) {
    if (index < end) continue;
    const near = text.slice(Math.max(end, index - BEFORE), index);
    const before = BEFORE_HOST.exec(near);
    if (isUrl && before === null) continue;
    const begin = index - (before ?? BEFORE_BARE_HOST.exec(near) ?? [''])[0].length;
    AFTER_HOST.lastIndex = index + host.length;
    const after = AFTER_HOST.exec(text)?.[0] ?? '';
    result += text.slice(end, begin) + authorityAfter(before, visited);
    end = index + host.length + after.length;
  }
  return end === 0 ? text : result + text.slice(end);
}

/** The visitor's authority behind scheme and slashes, encoded as these are. */
function authorityAfter(before: RegExpExecArray | null, visited: Visited): string {
  if (before === null) return visited.authority;
  const [, scheme, colon = ':', slashes] = before;
  const start = scheme === undefined ? '' : `${visitedScheme(scheme.toLowerCase(), visited)}${colon}`;
  return `${start}${slashes}${visited.authority.replace(':', colon)}`;
}

/** Split at the commas outside of quoted strings and comments (RFC 9110 sections 5.6.4 and 5.6.5). */
function membersOf(list: string): string[] {
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

/** The value that F5 BIG-IP gives its cookies: an IPv4 address as a little-endian number, or either kind in hexadecimal. */
const BIG_IP =
  /^[^=;]*=\s*"?(?:([0-9]{8,10})\.[0-9]{1,5}\.0000|vi([0-9a-f]{32})\.[0-9]{1,5}|rd[0-9]{1,5}o([0-9a-f]{32})o[0-9]{1,5})(?![0-9a-z])/i;

/** The machine behind a load balancer need not be one that the edge connects to. One with a private address cannot be reached. */
function holdsPublicAddress(cookie: string): boolean {
  const found = BIG_IP.exec(cookie);
  if (found === null) return false;
  const [, number, ...hex] = found;
  const bytes = Buffer.from(hex[0] ?? hex[1] ?? '00000000', 'hex');
  if (number !== undefined) bytes.writeUInt32LE(Number(number) % 2 ** 32);
  const isMapped = bytes.length === 16 && bytes.subarray(0, 12).toString('hex') === `${'0'.repeat(20)}ffff`;
  return mayConnect(isMapped ? bytes.subarray(12) : bytes).public;
}
