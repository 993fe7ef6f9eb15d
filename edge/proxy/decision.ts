/**
 * Forward authentication: another server decides whether a request may pass, as Authelia, authentik
 * and oauth2-proxy do for nginx (auth_request), Traefik (ForwardAuth) and Caddy (forward_auth).
 *
 *     GET of the URL, with the visitor's fields ─► 2xx: passes, with fields of the decision
 *                                                 else: the visitor receives this response
 *
 * The decision comes before the cache. The body of the request stays at the edge.
 */
import type { FieldList } from '../http/exchange/field-list.ts';
import { type OriginBody, OriginError, type OriginResponse } from '../origin/origin.ts';
import type { Decider } from '../policy/authentication/decider.ts';
import type { Admission } from '../policy/authentication/verdict.ts';
import type { ErrorPage } from '../sites/error-page.ts';
import { FAULT_PAGES, type FaultPages } from './pages.ts';
import type { Passage } from './passage.ts';
import { type TrustRules, visitedSiteOf, visitorAddress } from './visitor.ts';

/** Milliseconds from the request to the head of the response. */
const DECISION_MS = 15_000;
/** Bytes of a positive decision that are read, so that its connection can be used again. */
const MAX_DISCARDED = 65_536;

/**
 * Fields that describe the body, conditions and the WebSocket handshake of the visitor's request,
 * or that the edge sets for the decider.
 */
const NOT_FOR_DECIDER =
  /^(?:content-.*|range|if-.*|te|max-forwards|sec-websocket-.*|x-original-.*|x-forwarded-(?:method|uri)|x-real-ip)$/;
/** Fields of a decision that the visitor does not receive. */
const NOT_FOR_VISITOR =
  /^(?:connection|keep-alive|proxy-.*|transfer-encoding|upgrade|server|alt-svc|cache-tag|x-request-id|strict-transport-security)$/;

/** Null: the request does not pass, and has been answered. */
export async function decide(passage: Passage, decider: Decider, rules: TrustRules): Promise<Admission | null> {
  const headers = fieldsForDecider(passage, rules);
  if (headers === undefined) return null;
  const { exchange } = passage;
  let response: OriginResponse;
  try {
    response = await passage.ask(decider.origin, decider.authority, decider.path, headers, DECISION_MS);
  } catch (error) {
    const isLate = error instanceof OriginError && error.fault === 'aborted' && !passage.hasLeft;
    passage.respondFailure(isLate ? new OriginError('header-timeout', 'the decision took too long') : error, PAGES);
    return null;
  }
  const { status, body } = response;
  if (status < 200 || status > 299) {
    await passage.respond(status, fieldsForVisitor(passage, response.headers, rules), body);
    return null;
  }
  void discard(body);
  if (!exchange.isEnded) return admissionOf(response.headers, decider);
  passage.abandon();
  return null;
}

/** Undefined: the request is not forwarded, and has been answered. */
function fieldsForDecider(passage: Passage, rules: TrustRules): FieldList | undefined {
  const { exchange } = passage;
  const forwarded = passage.fieldsForOrigin('');
  if (forwarded === undefined) return undefined;
  const fields: string[] = [];
  let host = exchange.authority;
  for (let i = 0; i < forwarded.length; i += 2) {
    const name = forwarded[i];
    if (name === 'x-forwarded-host') host = forwarded[i + 1];
    if (!NOT_FOR_DECIDER.test(name)) fields.push(name, forwarded[i + 1]);
  }
  // An extended CONNECT (RFC 8441) is the GET of a WebSocket.
  const method = exchange.protocol === '' ? exchange.method : 'GET';
  const path = exchange.path.startsWith('/') ? exchange.path : '/';
  fields.push(
    ...['x-forwarded-method', method, 'x-forwarded-uri', path],
    ...['x-original-method', method, 'x-original-url', `${visitedSiteOf(exchange, rules).scheme}://${host}${path}`],
    ...['x-real-ip', visitorAddress(exchange, rules)],
  );
  return fields;
}

/** Redirects and cookies of the decider are for its own host, so nothing in them is replaced. */
function fieldsForVisitor({ site, exchange }: Passage, headers: FieldList, rules: TrustRules): FieldList {
  const fields: string[] = [];
  let isLimited = false;
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i] === 'cache-control') isLimited = true;
    if (!NOT_FOR_VISITOR.test(headers[i])) fields.push(headers[i], headers[i + 1]);
  }
  if (!isLimited) fields.push('cache-control', 'no-store');
  fields.push('server', 'waypost');
  if (site.hsts !== '' && visitedSiteOf(exchange, rules).scheme === 'https')
    fields.push('strict-transport-security', site.hsts);
  return site.changes === undefined ? fields : site.changes.changeResponse(fields);
}

function admissionOf(headers: FieldList, { names }: Decider): Admission {
  const values = new Map<string, string>();
  const cookies: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const [name, value] = [headers[i], headers[i + 1]];
    if (name === 'set-cookie') cookies.push(value);
    else if (names.includes(name)) values.set(name, values.has(name) ? `${values.get(name)}, ${value}` : value);
  }
  return { identity: names.map((name) => [name, values.get(name) ?? null] as const), cookies };
}

async function discard(body: OriginBody): Promise<void> {
  try {
    let bytes = 0;
    for (let part = await body.read(); part !== null; part = await body.read()) {
      bytes += part.length;
      if (bytes > MAX_DISCARDED) return body.cancel();
    }
  } catch {
    // The client of origins has closed the connection.
  }
}

const page = (status: number, owner: string, more: Partial<ErrorPage> = {}): ErrorPage => ({
  status,
  code: 'auth_unavailable',
  title: 'Sign-in is not available',
  visitor: 'The server that decides who may see this page does not answer. Please try again in a minute.',
  owner: `A rule of this domain asks another server about each request. ${owner}`,
  ...more,
});

const LATE = page(504, 'It did not answer in time: check that it runs and that no firewall blocks this service.');

/** Requests never pass without a decision. */
const PAGES: FaultPages = {
  ...FAULT_PAGES,
  forbidden: page(502, 'Its address is not public: set a URL that is reachable from the Internet.'),
  unresolved: page(502, 'Its host name has no address: check the URL of the rule.'),
  refused: page(502, 'It refused the connection: check that it runs, and the port of the URL.'),
  unreachable: page(502, 'There is no route to its address: check the URL of the rule, and the network.'),
  tls: page(502, 'Its certificate could not be verified: check its names and dates.'),
  reset: page(502, 'It closed the connection before it answered: check its log.'),
  malformed: page(502, 'Its response is not well-formed HTTP/1.1: check the URL of the rule.'),
  'connect-timeout': LATE,
  'header-timeout': LATE,
  'idle-timeout': LATE,
  busy: page(503, 'Too many requests wait for it: increase its capacity.', { headers: ['retry-after', '5'] }),
};
