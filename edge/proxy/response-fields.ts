/** The fields that a visitor gets, made in one pass over those of the origin. */
import type { FieldList } from '../http/exchange/field-list.ts';
import type { Origin } from '../origin/origin-address.ts';
import { OriginPlace } from '../origin/place.ts';
import type { Site } from '../sites/site.ts';
import {
  membersWithout,
  replaced,
  replacedCookie,
  replacedLink,
  replacedReference,
  replacedRefresh,
  revealsOrigin,
  type Visited,
} from './origin-names.ts';

/** What becomes of a field. Below DROP: it passes as it is when it does not hold the origin. */
const UNKNOWN = 1; // removed, or rewritten where it is a URL
const TEXT = 2; // the origin is replaced by the site
const MEMBERS = 3; // the members that hold the origin are removed
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
    // Of a connection (RFC 9110 section 7.6.1), and what a proxy asks of its own clients (section 11.7).
    'connection',
    'keep-alive',
    'proxy-connection',
    'proxy-authenticate',
    'proxy-authentication-info',
    'transfer-encoding',
    'upgrade',
    // What serves behind the edge, and by which means.
    'server',
    'x-powered-by',
    'x-aspnet-version',
    'x-aspnetmvc-version',
    // Would lead visitors past the edge (RFC 7838).
    'alt-svc',
    // For the edge only: names of groups to purge.
    'cache-tag',
    'x-request-id',
  ]),
  // Their grammar has no place for a host, and each response would pay for the search.
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
  // A client misunderstands the response without them, or they hold URLs of the site.
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

const places = new WeakMap<Origin, OriginPlace>();

/** Of an origin whose addresses are not known here. */
function placeOf(origin: Origin): OriginPlace {
  let place = places.get(origin);
  if (place === undefined) {
    place = new OriginPlace(origin);
    places.set(origin, place);
  }
  return place;
}

let lastName = '';
let lastVia = '';

/** A proxy has one name: the text is made once. */
function viaOf(name: string): string {
  if (name !== lastName) {
    lastName = name;
    lastVia = `1.1 ${name}`;
  }
  return lastVia;
}

/**
 * `headers`: an origin's. `name`: the pseudonym in Via (RFC 9110 section 7.6.3); origins speak HTTP/1.1.
 * `place`: as `OriginResponse` has it; none for what was stored, which is clean of the addresses.
 */
export function responseFields(
  headers: FieldList,
  site: Site,
  visited: Visited,
  name: string,
  place = placeOf(site.origin),
): string[] {
  const isSecure = visited.scheme === 'https';
  const fields: string[] = [];
  let via = '';
  let hsts = site.hstsMaxAge === null ? '' : `max-age=${site.hstsMaxAge}`;
  for (let i = 0; i < headers.length; i += 2) {
    const field = headers[i];
    const value = headers[i + 1];
    const action = ACTIONS.get(field) ?? UNKNOWN;
    if (action === PASS || isClean(action, field, value, place)) {
      fields.push(field, value);
      continue;
    }
    if (action === DROP) continue;
    const clean = withoutOrigin(action, field, value, place, visited);
    if (clean === undefined) continue;
    if (action === VIA) via = via === '' ? clean : `${via}, ${clean}`;
    else if (action !== HSTS) fields.push(field, clean);
    else if (hsts === '') hsts = clean;
  }
  const own = viaOf(name);
  fields.push('server', 'waypost', 'via', via === '' ? own : `${via}, ${own}`);
  // RFC 6797 section 7.2: never without TLS. The setting of the site goes before what the origin says.
  if (hsts !== '' && isSecure) fields.push('strict-transport-security', hsts);
  return fields;
}

/** Trailers that a visitor gets: no fields that a head has only after a change, and none that reveal the origin. */
export function responseTrailers(
  fields: FieldList,
  { origin }: Site,
  visited: Visited,
  place = placeOf(origin),
): FieldList {
  return fields.filter((_, i) => {
    const field = fields[i & ~1];
    if ((ACTIONS.get(field) ?? UNKNOWN) >= DROP) return false;
    return !revealsOrigin(place, fields[i | 1], visited) && !revealsOrigin(place, field, visited);
  });
}

/** The fields of a response that is stored: they are clean of the origin, which may have moved when they are served. */
export function fieldsWithoutOrigin(
  headers: FieldList,
  { origin }: Site,
  visited: Visited,
  place = placeOf(origin),
): string[] {
  const fields: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const field = headers[i];
    const value = headers[i + 1];
    const action = ACTIONS.get(field) ?? UNKNOWN;
    const clean = isClean(action, field, value, place) ? value : withoutOrigin(action, field, value, place, visited);
    if (clean !== undefined) fields.push(field, clean);
  }
  return fields;
}

/**
 * Whether a field passes as it is: so do nearly all, which this finds out at the least cost. Each
 * response has an ETag. One without dots and colons is not searched: it
 * may hold an address as a bare number, but no server is known to write it so.
 */
function isClean(action: number, field: string, value: string, place: OriginPlace): boolean {
  if (action >= DROP) return action === PASS;
  if (action === DATE) return isHttpDate(value);
  if (action === CONTENT_TYPE && value.length < SHORTEST_WITH_URL) return true;
  if (action === ETAG && !mayHoldHost(value)) return true;
  return !place.mayBeIn(value) && (action !== UNKNOWN || !field.includes('.'));
}

/** A value that does not reveal the origin; undefined: the field is removed. */
function withoutOrigin(
  action: number,
  field: string,
  value: string,
  place: OriginPlace,
  visited: Visited,
): string | undefined {
  switch (action) {
    case UNKNOWN:
      return unknown(field, value, place, visited);
    case TEXT:
      return replaced(value, place, visited);
    case CONTENT_TYPE:
      // A boundary is found in the body too, which passes as it is.
      return /^multipart\//i.test(value) ? value : replaced(value, place, visited);
    case MEMBERS:
    case VIA:
      // RFC 9110 section 7.6.3: hosts behind a gateway may be left out of Via.
      return membersWithout(value, place, visited);
    case REFERENCE:
      return replacedReference(value, place, visited);
    case LINK:
      return replacedLink(value, place, visited);
    case REFRESH:
      return replacedRefresh(value, place, visited);
    case COOKIE:
      return replacedCookie(value, place, visited);
    case DATE:
    case ETAG:
    case HSTS:
      return revealsOrigin(place, value, visited) ? undefined : value;
    default:
      return value;
  }
}

/** Cheaper than a search. */
const mayHoldHost = (value: string): boolean => value.includes('.') || value.includes(':') || value.includes('%');

/** Characters of a media type that has a parameter with a URL, at least. */
const SHORTEST_WITH_URL = 32;

/** IMF-fixdate (RFC 9110 section 5.6.7) has one length, and these two characters in their places. */
const isHttpDate = (value: string): boolean =>
  value.length === 29 && value.charCodeAt(3) === 0x2c && value.charCodeAt(28) === 0x54;

/** Fields by which servers say which machine has answered: of no use to a visitor, as a URL neither. */
const OF_A_MACHINE = /backend|upstream|origin|server|served|host|node|proxy|via|forward|real-ip|instance|machine/;
const URL_ALONE = /^(?:[a-z][a-z0-9+.-]*:)?[/\\]{2}[^\s,;"<>]*$/i;

/** A field of an application's own. A URL leads somewhere, and has to lead to the site. */
function unknown(field: string, value: string, place: OriginPlace, visited: Visited): string | undefined {
  if (revealsOrigin(place, field, visited)) return undefined;
  if (!revealsOrigin(place, value, visited)) return value;
  if (OF_A_MACHINE.test(field) || !URL_ALONE.test(value)) return undefined;
  const reference = replacedReference(value, place, visited);
  return revealsOrigin(place, reference, visited) ? undefined : reference;
}
