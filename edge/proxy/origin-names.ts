/** What names the origin in the fields of its responses becomes what the visitor asked for: links lead back here, and nobody learns where the origin is. */
import { isIP } from 'node:net';
import type { Origin } from '../origin/origin.ts';

/** Where the visitor is. */
export interface Visited {
  readonly scheme: string;
  readonly authority: string;
}

/** An absolute or scheme-relative reference (RFC 3986 section 4.2); browsers read a backslash as a slash. */
const WITH_AUTHORITY = /^(?:(https?|wss?):)?[/\\]{2}([^/\\?#]*)/i;
const STANDARD_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443', ws: '80', wss: '443' };

/** The host alone of an authority, as an origin's is written: without user information, brackets, port and last dot. */
function hostOf(authority: string): { host: string; port: string } {
  const parts = /^(?:[^@]*@)?(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority);
  if (parts === null) return { host: '', port: '' };
  return { host: plainHost(parts[1]), port: parts[2] ?? '' };
}

/** By the rules of URLs, so that another spelling of an address is the same one. */
function plainHost(text: string): string {
  const host = text.toLowerCase();
  try {
    return new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  } catch {
    return host;
  }
}

/**
 * A reference as the visitor may have it. The origin's host becomes the visitor's, whatever the port; the visitor's own host with the port
 * of the origin, which an application puts there that knows only its own end, loses the port.
 */
export function rewritten(reference: string, origin: Origin, visited: Visited): string {
  const parts = WITH_AUTHORITY.exec(reference);
  if (parts === null) return reference;
  const { host, port } = hostOf(parts[2]);
  const visitedHost = hostOf(visited.authority);
  const scheme = parts[1]?.toLowerCase() ?? '';
  const isVisited = host === visitedHost.host;
  if (isVisited ? !isOriginPort(port, scheme, origin, visitedHost.port) : host !== plainHost(origin.host))
    return reference;
  const isSocket = scheme === 'ws' || scheme === 'wss';
  const to = isSocket ? visited.scheme.replace('http', 'ws') : visited.scheme;
  return `${scheme === '' ? '' : `${to}:`}//${visited.authority}${reference.slice(parts[0].length)}`;
}

/** A port that was said, is the origin's, is not that of its scheme, and not where the visitor is. */
const isOriginPort = (port: string, scheme: string, origin: Origin, visitedPort: string): boolean =>
  port !== '' && port === String(origin.port) && port !== STANDARD_PORTS[scheme] && port !== visitedPort;

/** The targets of a Link (RFC 8288 section 3). */
export const rewrittenLink = (value: string, origin: Origin, visited: Visited): string =>
  value.replace(/<([^<>]*)>/g, (_, target: string) => `<${rewritten(target.trim(), origin, visited)}>`);

/** Refresh, as browsers read it: seconds, and perhaps a URL. */
export const rewrittenRefresh = (value: string, origin: Origin, visited: Visited): string =>
  value.replace(
    /^([^;,]*[;,]\s*(?:url\s*=\s*)?)(["']?)([^"']*)/i,
    (_, before: string, quote: string, url: string) => `${before}${quote}${rewritten(url, origin, visited)}`,
  );

/** A cookie for the origin's host would be refused by the visitor: without Domain it is for the host that was asked (RFC 6265 section 5.3). */
export function rewrittenCookie(value: string, origin: Origin): string {
  if (!/;\s*domain/i.test(value)) return value;
  return value.replace(/;\s*domain\s*=\s*([^;]*)/i, (attribute, domain: string) =>
    plainHost(domain.trim().replace(/^\./, '')) === plainHost(origin.host) ? '' : attribute,
  );
}

/** Whether a value tells the origin's host, as a whole and not as a part of another name. */
export function mentions(value: string, host: string): boolean {
  if (value.length < host.length) return false;
  const lower = value.toLowerCase();
  for (let at = lower.indexOf(host); at >= 0; at = lower.indexOf(host, at + 1))
    if (!isOfName(lower, at - 1, host) && !isOfName(lower, at + host.length, host)) return true;
  return false;
}

/** A name that goes on past a dot is another one, but below or above this one, and tells as much. An address does not go on past a hyphen: `cache-192.0.2.1`. */
function isOfName(text: string, at: number, host: string): boolean {
  const code = text.charCodeAt(at); // NaN past either end
  if (code === 0x2d) return isIP(host) === 0;
  return (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a);
}
