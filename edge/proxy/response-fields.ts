/** The fields that a visitor gets, made in one pass over those of the origin. */
import type { FieldList } from '../exchange/exchange.ts';
import type { Origin } from '../origin/origin.ts';
import type { Site } from '../sites/site.ts';
import { mentions, rewritten, rewrittenCookie, rewrittenLink, rewrittenRefresh, type Visited } from './origin-names.ts';

const PASS = 1;
const DROP = 2;
const REFERENCE = 3;
const LINK = 4;
const REFRESH = 5;
const COOKIE = 6;
const VIA = 7;
const HSTS = 8;

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
  ['location', REFERENCE],
  ['content-location', REFERENCE],
  ['link', LINK],
  ['refresh', REFRESH],
  ['set-cookie', COOKIE],
  ['via', VIA],
  ['strict-transport-security', HSTS],
]);

function each(action: number, names: readonly string[]): [string, number][] {
  return names.map((name) => [name, action]);
}

/** `headers`: an origin's. `name`: the pseudonym in Via (RFC 9110 section 7.6.3); origins speak HTTP/1.1. */
export function responseFields(headers: FieldList, site: Site, visited: Visited, name: string): string[] {
  const { origin } = site;
  const isSecure = visited.scheme === 'https';
  const fields: string[] = [];
  let via = '';
  let hsts = site.hstsMaxAge === null ? '' : `max-age=${site.hstsMaxAge}`;
  for (let i = 0; i < headers.length; i += 2) {
    const field = headers[i];
    const value = headers[i + 1];
    const action = ACTIONS.get(field) ?? PASS;
    if (action === DROP) continue;
    const told = withoutOrigin(action, field, value, origin, visited);
    if (told === undefined) continue;
    if (action === VIA) via = via === '' ? told : `${via}, ${told}`;
    else if (action !== HSTS) fields.push(field, told);
    else if (hsts === '') hsts = told;
  }
  fields.push('server', 'waypost', 'via', via === '' ? `1.1 ${name}` : `${via}, 1.1 ${name}`);
  // RFC 6797 section 7.2: never without TLS. The setting of the site goes before what the origin says.
  if (hsts !== '' && isSecure) fields.push('strict-transport-security', hsts);
  return fields;
}

/** Trailers that a visitor gets: none of the fields above that are dropped or written anew in a head, nor of those that name the origin. */
export function responseTrailers(fields: FieldList, { origin }: Site): FieldList {
  if (fields.length === 0) return fields;
  return fields.filter((_, i) => !ACTIONS.has(fields[i & ~1]) && !mentions(fields[i | 1], origin.host));
}

/** The fields of a response that is kept: it may outlive the place of its origin, which nobody could take out of it later. */
export function fieldsWithoutOrigin(headers: FieldList, { origin }: Site, visited: Visited): string[] {
  const fields: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const told = withoutOrigin(ACTIONS.get(headers[i]) ?? PASS, headers[i], headers[i + 1], origin, visited);
    if (told !== undefined) fields.push(headers[i], told);
  }
  return fields;
}

/** A value that does not tell where the origin is; undefined: the field says nothing else. */
function withoutOrigin(
  action: number,
  field: string,
  value: string,
  origin: Origin,
  visited: Visited,
): string | undefined {
  switch (action) {
    case PASS:
      // Fields of an application's own that say which machine answered. Those of standards are left: a policy that names a host means it.
      return field.startsWith('x-') && mentions(value, origin.host) ? undefined : value;
    case REFERENCE:
      return rewritten(value, origin, visited);
    case LINK:
      return rewrittenLink(value, origin, visited);
    case REFRESH:
      return rewrittenRefresh(value, origin, visited);
    case COOKIE:
      return rewrittenCookie(value, origin);
    case VIA:
      // Hosts behind a gateway need not be told: they may be put under one pseudonym.
      return mentions(value, origin.host) ? undefined : value;
    default:
      return value;
  }
}
