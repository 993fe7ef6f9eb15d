/** Builds the fields of the response to a visitor, in one pass over the origin's fields. */
import type { FieldList } from '../http/exchange/field-list.ts';
import type { Origin } from '../origin/origin-address.ts';
import { OriginPlace } from '../origin/spellings.ts';
import type { Site } from '../sites/site.ts';
import {
  removeRevealingMembers,
  revealsOrigin,
  rewriteCookie,
  rewriteLink,
  rewriteReference,
  rewriteRefresh,
  rewriteText,
  type Visited,
} from './origin-names.ts';

/** Actions for fields. Below DROP, a field passes unchanged if it does not reveal the origin. */
const UNKNOWN = 1; // rewrites a URL, removes any other value
const TEXT = 2; // replaces the origin by the requested host
const MEMBERS = 3; // removes the list members that reveal the origin
const DATE = 4;
const CONTENT_TYPE = 5;
const ETAG = 6;
const DROP = 7;
const PASS = 8;
const REFERENCE = 9;
const LINK = 10;
const REFRESH = 11;
const COOKIE = 12;
const VIA = 13;
const HSTS = 14;

const ACTIONS: ReadonlyMap<string, number> = new Map<string, number>([
  ...each(DROP, [
    // Fields of the connection (RFC 9110 section 7.6.1), and requests of a proxy to its own clients
    // (section 11.7).
    'connection',
    'keep-alive',
    'proxy-connection',
    'proxy-authenticate',
    'proxy-authentication-info',
    'transfer-encoding',
    'upgrade',
    // Software behind the edge.
    'server',
    'x-powered-by',
    'x-aspnet-version',
    'x-aspnetmvc-version',
    // Alternative services of the origin would bypass the edge (RFC 7838).
    'alt-svc',
    // Tags for purges of the edge's cache.
    'cache-tag',
    'x-request-id',
  ]),
  // These fields cannot contain a host by their grammar, so they are not searched.
  ...each(PASS, [
    'accept-ranges',
    'access-control-allow-credentials',
    'access-control-max-age',
    'age',
    'allow',
    'cache-control',
    'cdn-cache-control',
    'content-encoding',
    'content-language',
    'content-length',
    'content-range',
    'pragma',
    'referrer-policy',
    'retry-after',
    'sec-websocket-accept',
    'vary',
    'x-content-type-options',
    'x-xss-protection',
  ]),
  ...each(DATE, ['date', 'last-modified', 'expires']),
  // Clients need these fields to interpret the response, or the fields contain URLs of the site.
  ...each(TEXT, [
    'accept',
    'accept-ch',
    'accept-patch',
    'accept-post',
    'access-control-allow-headers',
    'access-control-allow-methods',
    'access-control-allow-origin',
    'access-control-expose-headers',
    'authentication-info',
    'clear-site-data',
    'content-disposition',
    'content-security-policy',
    'content-security-policy-report-only',
    'cross-origin-embedder-policy',
    'cross-origin-embedder-policy-report-only',
    'cross-origin-opener-policy',
    'cross-origin-opener-policy-report-only',
    'cross-origin-resource-policy',
    'dav',
    'expect-ct',
    'feature-policy',
    'nel',
    'no-vary-search',
    'origin-agent-cluster',
    'p3p',
    'permissions-policy',
    'report-to',
    'reporting-endpoints',
    'sec-websocket-extensions',
    'sec-websocket-protocol',
    'service-worker-allowed',
    'speculation-rules',
    'supports-loading-mode',
    'timing-allow-origin',
    'trailer',
    'www-authenticate',
    'x-content-security-policy',
    'x-frame-options',
    'x-robots-tag',
    'x-ua-compatible',
    'x-webkit-csp',
  ]),
  ...each(MEMBERS, ['cache-status', 'forwarded', 'proxy-status', 'server-timing', 'warning']),
  ['etag', ETAG],
  ['content-type', CONTENT_TYPE],
  ...each(REFERENCE, ['location', 'content-location', 'sourcemap', 'x-sourcemap']),
  ['link', LINK],
  ['refresh', REFRESH],
  ['set-cookie', COOKIE],
  ['via', VIA],
  ['strict-transport-security', HSTS],
]);

function each(action: number, names: readonly string[]): [string, number][] {
  return names.map((name) => [name, action]);
}

const identities = new WeakMap<Origin, OriginPlace>();

/** The identity of an origin without its addresses, which the resolver has for a response only. */
function identityOf(origin: Origin): OriginPlace {
  let identity = identities.get(origin);
  if (identity === undefined) {
    identity = new OriginPlace(origin);
    identities.set(origin, identity);
  }
  return identity;
}

let lastName = '';
let lastVia = '';

/** Cached, because a proxy has only one name. */
function viaOf(name: string): string {
  if (name !== lastName) {
    lastName = name;
    lastVia = `1.1 ${name}`;
  }
  return lastVia;
}

/**
 * `headers`: fields of the origin. `name`: the pseudonym in Via (RFC 9110 section 7.6.3); origins
 * use HTTP/1.1. `identity`: from `OriginResponse`; omitted for a stored response, which contains no
 * addresses.
 */
export function responseFields(
  headers: FieldList,
  site: Site,
  visited: Visited,
  name: string,
  identity = identityOf(site.origin),
): string[] {
  const isSecure = visited.scheme === 'https';
  const fields: string[] = [];
  let via = '';
  let hsts = site.hsts;
  for (let i = 0; i < headers.length; i += 2) {
    const field = headers[i];
    const value = headers[i + 1];
    const action = ACTIONS.get(field) ?? UNKNOWN;
    if (action === PASS || isClean(action, field, value, identity)) {
      fields.push(field, value);
      continue;
    }
    if (action === DROP) continue;
    const clean = rewriteField(action, field, value, identity, visited);
    if (clean === undefined) continue;
    if (action === VIA) via = via === '' ? clean : `${via}, ${clean}`;
    else if (action !== HSTS) fields.push(field, clean);
    else if (hsts === '') hsts = clean;
  }
  const ownVia = viaOf(name);
  fields.push('server', 'waypost', 'via', via === '' ? ownVia : `${via}, ${ownVia}`);
  // RFC 6797 section 7.2: only over TLS. The setting of the site overrides the field of the origin.
  if (hsts !== '' && isSecure) fields.push('strict-transport-security', hsts);
  return site.changes === undefined ? fields : site.changes.changeResponse(fields);
}

/**
 * Filters the trailers for a visitor. Fields that would need rewriting and fields that reveal the
 * origin are removed.
 */
export function responseTrailers(
  fields: FieldList,
  { origin }: Site,
  visited: Visited,
  identity = identityOf(origin),
): FieldList {
  return fields.filter((_, i) => {
    const field = fields[i & ~1];
    if ((ACTIONS.get(field) ?? UNKNOWN) >= DROP) return false;
    return !revealsOrigin(identity, fields[i | 1], visited) && !revealsOrigin(identity, field, visited);
  });
}

/**
 * The fields of a response for the cache. They do not reveal the origin, whose address may have
 * changed when the response is served.
 */
export function fieldsWithoutOrigin(
  headers: FieldList,
  { origin }: Site,
  visited: Visited,
  identity = identityOf(origin),
): string[] {
  const fields: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const field = headers[i];
    const value = headers[i + 1];
    const action = ACTIONS.get(field) ?? UNKNOWN;
    const clean = isClean(action, field, value, identity)
      ? value
      : rewriteField(action, field, value, identity, visited);
    if (clean !== undefined) fields.push(field, clean);
  }
  return fields;
}

/**
 * Whether a field passes unchanged. Nearly all fields do, so this check must be fast.
 *
 * Every response has an ETag. An ETag without dots and colons is not searched: it could contain an
 * address as a plain number, but no known server writes that.
 */
function isClean(action: number, field: string, value: string, identity: OriginPlace): boolean {
  if (action >= DROP) return action === PASS;
  if (action === DATE) return isHttpDate(value);
  if (action === CONTENT_TYPE && value.length < SHORTEST_WITH_URL) return true;
  if (action === ETAG && !mayContainHost(value)) return true;
  return !identity.mayBeIn(value) && (action !== UNKNOWN || !field.includes('.'));
}

/** Rewrites a value so that it does not reveal the origin. Undefined: the field is removed. */
function rewriteField(
  action: number,
  field: string,
  value: string,
  identity: OriginPlace,
  visited: Visited,
): string | undefined {
  switch (action) {
    case UNKNOWN:
      return rewriteUnknown(field, value, identity, visited);
    case TEXT:
      return rewriteText(value, identity, visited);
    case CONTENT_TYPE:
      // A multipart boundary must stay equal to the boundary in the body, which is not changed.
      return /^multipart\//i.test(value) ? value : rewriteText(value, identity, visited);
    case MEMBERS:
    case VIA:
      // RFC 9110 section 7.6.3: a gateway may omit the hosts behind it from Via.
      return removeRevealingMembers(value, identity, visited);
    case REFERENCE:
      return rewriteReference(value, identity, visited);
    case LINK:
      return rewriteLink(value, identity, visited);
    case REFRESH:
      return rewriteRefresh(value, identity, visited);
    case COOKIE:
      return rewriteCookie(value, identity, visited);
    case DATE:
    case ETAG:
    case HSTS:
      return revealsOrigin(identity, value, visited) ? undefined : value;
    default:
      return value;
  }
}

/** Fast check before a search for addresses and names. */
const mayContainHost = (value: string): boolean => value.includes('.') || value.includes(':') || value.includes('%');

/** Minimum length of a media type that has a parameter with a URL. */
const SHORTEST_WITH_URL = 32;

/**
 * An IMF-fixdate (RFC 9110 section 5.6.7) has a fixed length, and these characters at these
 * positions.
 */
const isHttpDate = (value: string): boolean =>
  value.length === 29 && value.charCodeAt(3) === 0x2c && value.charCodeAt(28) === 0x54;

/**
 * Names of fields that identify the responding machine. They are useless to a visitor, even as a
 * URL.
 */
const NAMES_MACHINE = /backend|upstream|origin|server|served|host|node|proxy|via|forward|real-ip|instance|machine/;
const URL_ALONE = /^(?:[a-z][a-z0-9+.-]*:)?[/\\]{2}[^\s,;"<>]*$/i;

/** Rewrites a field that is not in the table. A value that is a URL must lead to the site. */
function rewriteUnknown(field: string, value: string, identity: OriginPlace, visited: Visited): string | undefined {
  if (revealsOrigin(identity, field, visited)) return undefined;
  if (!revealsOrigin(identity, value, visited)) return value;
  if (NAMES_MACHINE.test(field) || !URL_ALONE.test(value)) return undefined;
  const reference = rewriteReference(value, identity, visited);
  return revealsOrigin(identity, reference, visited) ? undefined : reference;
}
