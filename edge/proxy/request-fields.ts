/**
 * Builds the fields of the request to an origin, in one pass over the visitor's fields.
 *
 * The origin can trust the fields about the visitor. X-Forwarded-For, Forwarded and similar fields
 * are read only if a trusted proxy sent them, and the edge creates them. Caddy, Traefik and Envoy
 * do the same at the edge. nginx and Cloudflare append to the list, so each origin must determine
 * the trustworthy part.
 *
 * From a trusted proxy's list of addresses, the edge keeps the part that trusted proxies have
 * written, and appends the proxy's address. All fields describe the request as the first trusted
 * proxy received it: applications read one of them, or the first or last member of a list. All
 * other fields for the visitor's address get that visitor: many proxies forward the visitor's
 * claims in fields that they do not set themselves.
 *
 * Many of these proxies also forward the visitor's claims about host and path. If the response may
 * be shared with other visitors, the request therefore contains only claims that are part of the
 * cache key.
 */
import { statedAddresses } from '../../core/net/address/visitor.ts';
import { type HeaderChange, replaces } from '../../core/site/rules/index.ts';
import { originTags } from '../compress/fields.ts';
import { portOf } from '../http/exchange/authority.ts';
import type { Client, Exchange } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { hasSameFields, markRecurring } from '../http/exchange/recurring-fields.ts';
import { ADDRESS_CLAIM, actionOf, CLAIM, CONDITION, EXPECT, LOOP, MAX_FORWARDS, PASS, VIA } from './field-actions.ts';
import { normalAuthority, readStatement, type TrustRules, visitedSiteOf } from './visitor.ts';

export interface RequestRules extends TrustRules {
  /**
   * Pseudonym in Via (RFC 9110 section 7.6.3) and identifier in CDN-Loop (RFC 8586): a token or a
   * host name.
   */
  readonly name: string;
}

/** The status with which a request is refused. */
type RequestRefusal = 417 | 508;

const join = (list: string, value: string): string => (list === '' ? value : `${list}, ${value}`);

/** Inputs and result of the last `requestFields` call of a connection. */
interface RequestTrace {
  readonly client: Client;
  readonly version: string;
  readonly rules: RequestRules;
  readonly headers: FieldList;
  readonly authority: string;
  readonly acceptEncoding: string;
  readonly isShared: boolean;
  readonly sendsForwarded: boolean;
  readonly fields: FieldList;
}

/** Slots for traces, indexed by the client's port. A power of two. */
const TRACES = 64;
const traces: (RequestTrace | undefined)[] = new Array(TRACES).fill(undefined);
/** Maximum characters of the fields in a trace. */
const MAX_TRACE_LENGTH = 8192;

/**
 * Builds all fields except Host, X-Request-Id and the framing fields. `acceptEncoding`: the codings
 * that the origin may use; empty for none. `isShared`: the response may also be sent to other
 * visitors. `sendsForwarded`: Site.sendsForwarded.
 *
 * Returns a refusal if the expectation cannot be met (417), or if the request has already passed
 * this service (508, RFC 8586 section 2).
 *
 * Clients repeat their fields, so the result is cached for each connection. A request with the same
 * fields gets the same list.
 */
export function requestFields(
  exchange: Exchange,
  rules: RequestRules,
  acceptEncoding: string,
  isShared = false,
  sendsForwarded = true,
): FieldList | RequestRefusal {
  const { client, headers, authority, version } = exchange;
  // Max-Forwards depends on the method.
  if (exchange.method === 'OPTIONS')
    return buildRequestFields(exchange, rules, acceptEncoding, isShared, sendsForwarded);
  const slot = client.port & (TRACES - 1);
  const trace = traces[slot];
  if (
    trace !== undefined &&
    trace.client === client &&
    trace.version === version &&
    trace.rules === rules &&
    trace.isShared === isShared &&
    trace.sendsForwarded === sendsForwarded &&
    trace.acceptEncoding === acceptEncoding &&
    trace.authority === authority &&
    hasSameFields(trace.headers, headers)
  ) {
    markRecurring(trace.fields);
    return trace.fields;
  }
  const fields = buildRequestFields(exchange, rules, acceptEncoding, isShared, sendsForwarded);
  if (typeof fields === 'number' || lengthOf(headers) > MAX_TRACE_LENGTH) return fields;
  traces[slot] = { client, version, rules, headers, authority, acceptEncoding, isShared, sendsForwarded, fields };
  return fields;
}

function lengthOf(headers: FieldList): number {
  let length = 0;
  for (const text of headers) length += text.length;
  return length;
}

function buildRequestFields(
  exchange: Exchange,
  rules: RequestRules,
  acceptEncoding: string,
  isShared: boolean,
  sendsForwarded: boolean,
): string[] | RequestRefusal {
  const { headers, client } = exchange;
  const { scheme } = visitedSiteOf(exchange, rules);
  const authority = normalAuthority(exchange, rules);
  const isTrusted = rules.trusts(client.address);
  const acceptsClaims = isTrusted && !isShared;
  const statement = isTrusted ? readStatement(headers, rules.trusts) : null;
  const chain = statement?.chain ?? NO_CHAIN;
  const visitor = chain.length === 0 ? client.address : chain[0];
  const host = acceptsClaims ? statement?.host || authority : authority;
  const fields: string[] = [];
  let via = '';
  let loop = '';
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i];
    const value = headers[i + 1];
    switch (actionOf(name)) {
      case PASS:
        fields.push(name, value);
        break;
      case CLAIM:
        if (acceptsClaims) fields.push(name, value);
        break;
      case ADDRESS_CLAIM:
        if (acceptsClaims) fields.push(name, statement?.chain === null ? value : visitor);
        else if (isTrusted && name === 'x-real-ip')
          // A shared response must not depend on a value that the visitor may have chosen.
          fields.push(name, statement?.chain === null ? (statedAddresses([value], NONE)[0] ?? visitor) : visitor);
        break;
      case VIA:
        via = join(via, value);
        break;
      case LOOP:
        loop = join(loop, value);
        break;
      case CONDITION:
        fields.push(name, originTags(value, name === 'if-match'));
        break;
      case MAX_FORWARDS:
        fields.push(name, decrementForwards(exchange.method, value));
        break;
      case EXPECT:
        return 417;
    }
  }
  if (loop !== '' && includesIdentifier(loop, rules.name)) return 508;
  if (acceptEncoding !== '') fields.push('accept-encoding', acceptEncoding);
  // RFC 9440. The certificate of a trusted proxy is not the visitor's.
  if (!isTrusted && client.certificate) fields.push('client-cert', client.certificate);
  fields.push(
    'x-forwarded-for',
    join(chain.join(', '), client.address),
    'x-forwarded-proto',
    scheme,
    'x-forwarded-host',
    host,
    'x-forwarded-port',
    (acceptsClaims && statement?.port) || portOf(host) || (scheme === 'https' ? '443' : '80'),
  );
  if (sendsForwarded) fields.push('forwarded', forwardedOf(visitor, host, scheme, chain, client.address));
  fields.push(
    'via',
    join(via, exchange.version === '2' ? `2 ${rules.name}` : `${exchange.version} ${rules.name}`),
    'cdn-loop',
    join(loop, rules.name),
  );
  return fields;
}

/**
 * Filters the trailers for an origin. The origin may merge them into the header fields (RFC 9110
 * section 6.5.1), so claims, and fields that only the edge or rules may set, are removed.
 */
export function requestTrailers(fields: FieldList, changes: readonly HeaderChange[]): FieldList {
  if (fields.length === 0) return fields;
  return fields.filter((_, i) => {
    const name = fields[i & ~1];
    return actionOf(name) === PASS && !changes.some((change) => replaces(change, name));
  });
}

const NO_CHAIN: readonly string[] = [];
const NONE = (): boolean => false;

/**
 * The visitor's element has host and scheme. Those of proxies have only their address: some
 * applications read the scheme of the last element.
 */
function forwardedOf(visitor: string, host: string, scheme: string, chain: readonly string[], address: string): string {
  let list = forwardedElement(visitor, host, scheme);
  for (let i = 1; i < chain.length; i++) list += `, for=${nodeOf(chain[i])}`;
  return chain.length === 0 ? list : `${list}, for=${nodeOf(address)}`;
}

/** Inputs and result of the last `forwardedElement` call. */
let lastAddress = '';
let lastAuthority = '';
let lastScheme = '';
let lastElement = '';

/**
 * An element of Forwarded (RFC 7239 section 4). An IPv6 address needs brackets, and brackets and
 * colons need quotes (sections 4 and 6).
 *
 * Consecutive requests often have the same element, so the last element is cached. A new element
 * costs 0.25 µs, partly because its line is checked again (edge/origin/request-head.ts).
 */
function forwardedElement(address: string, authority: string, scheme: string): string {
  if (address === lastAddress && authority === lastAuthority && scheme === lastScheme) return lastElement;
  const host = /^[a-z0-9.-]+$/.test(authority) ? authority : `"${authority}"`;
  lastAddress = address;
  lastAuthority = authority;
  lastScheme = scheme;
  lastElement = `for=${nodeOf(address)};host=${host};proto=${scheme}`;
  return lastElement;
}

const nodeOf = (address: string): string => (address.includes(':') ? `"[${address}]"` : address);

/**
 * RFC 9110 section 7.6.2: decremented for OPTIONS only, since TRACE is never forwarded. At zero the
 * request ends here (`hasNoForwardsLeft`).
 */
function decrementForwards(method: string, value: string): string {
  return method === 'OPTIONS' && /^\d{1,9}$/.test(value) && Number(value) > 0 ? String(Number(value) - 1) : value;
}

/** Whether a CDN-Loop contains an identifier (RFC 8586 section 2), ignoring parameters and case. */
function includesIdentifier(loop: string, id: string): boolean {
  // A quoted parameter value may contain commas.
  const members = loop.replace(/"(?:[^"\\]|\\.)*"/g, '').split(',');
  const identifier = id.toLowerCase();
  return members.some((member) => member.split(';', 1)[0].trim().toLowerCase() === identifier);
}

/** RFC 9110 section 7.6.2: an OPTIONS request that must not be forwarded. */
export function hasNoForwardsLeft(exchange: Exchange): boolean {
  if (exchange.method !== 'OPTIONS') return false;
  const { headers } = exchange;
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i] === 'max-forwards' && /^0{1,9}$/.test(headers[i + 1])) return true;
  return false;
}
