/**
 * Error pages for failures between a visitor and an origin, with the status that RFC 9110 defines.
 */
import type { OriginFault, VisitorFault } from '../origin/origin.ts';
import type { ErrorPage } from '../sites/error-page.ts';

const TRY_AGAIN = 'Please try again in a minute.';

function page(
  status: number,
  code: string,
  title: string,
  visitor: string,
  owner: string,
  headers?: readonly string[],
): ErrorPage {
  return { status, code, title, visitor, owner, headers };
}

const NO_ANSWER = 'The site does not respond';
const TOO_SLOW = 'The site takes too long to respond';

/** Pages by the fault of `fetch`. Faults that the visitor has caused are not included. */
export type FaultPages = Readonly<Record<Exclude<OriginFault, VisitorFault>, ErrorPage>>;

export const FAULT_PAGES: FaultPages = {
  forbidden: page(
    502,
    'origin_forbidden',
    'The site is misconfigured',
    'The server behind this site has an address that this service does not connect to.',
    'The origin has no public address: it is private, reserved, or belongs to this service. Set an address that is reachable from the Internet.',
  ),
  unresolved: page(
    502,
    'origin_unresolved',
    NO_ANSWER,
    `The server behind this site cannot be found at the moment. ${TRY_AGAIN}`,
    'The host name of the origin has no address: check its A and AAAA records.',
  ),
  refused: page(
    502,
    'origin_refused',
    NO_ANSWER,
    `The server behind this site does not accept connections at the moment. ${TRY_AGAIN}`,
    'The origin refused the connection: check that it runs, that the port of the proxy is correct, and that no firewall blocks this service.',
  ),
  unreachable: page(
    502,
    'origin_unreachable',
    NO_ANSWER,
    `The server behind this site cannot be reached at the moment. ${TRY_AGAIN}`,
    'There is no route to the address of the origin: check the address, its network, and that this service has IPv6 if the origin has IPv6 only.',
  ),
  'connect-timeout': page(
    504,
    'origin_connect_timeout',
    NO_ANSWER,
    `The server behind this site cannot be reached at the moment. ${TRY_AGAIN}`,
    'The connection to the origin timed out: check that it runs and that no firewall drops the connections of this service.',
  ),
  tls: page(
    502,
    'origin_tls',
    'No secure connection to the site',
    'The identity of the server behind this site could not be verified.',
    'The TLS handshake with the origin failed: check that its certificate is valid, not expired, and issued for the host name of the origin, or set the protocol to http.',
  ),
  reset: page(
    502,
    'origin_reset',
    NO_ANSWER,
    `The server behind this site closed the connection. ${TRY_AGAIN}`,
    'The origin closed the connection before it responded: check the log of the origin.',
  ),
  malformed: page(
    502,
    'origin_malformed',
    'The site sent an invalid response',
    'The server behind this site sent an invalid response.',
    'The response of the origin is not well-formed HTTP/1.1: check the port, the protocol, and the length and fields of the response.',
  ),
  'header-timeout': page(
    504,
    'origin_timeout',
    TOO_SLOW,
    `The server behind this site did not respond in time. ${TRY_AGAIN}`,
    'The origin accepted the request but sent no response in time: check the origin for slow requests.',
  ),
  'idle-timeout': page(
    504,
    'origin_timeout',
    TOO_SLOW,
    `The server behind this site stopped in the middle of its response. ${TRY_AGAIN}`,
    'The origin started its response and then sent nothing for too long: check the origin for slow requests.',
  ),
  down: page(
    503,
    'origins_down',
    'The site is not available',
    `No server behind this site is available at the moment. ${TRY_AGAIN}`,
    'All origins of the pool are down: the state of each is on the page "Origins" of the dashboard.',
    ['retry-after', '10'],
  ),
  busy: page(
    503,
    'origin_busy',
    'The site is overloaded',
    `Too many requests are waiting for the server behind this site. ${TRY_AGAIN}`,
    'Requests arrive faster than the origin responds: increase its capacity, or let more of its responses be cached.',
    ['retry-after', '5'],
  ),
};

/** RFC 9110 section 15.5.9. */
export const SLOW_BODY = page(
  408,
  'request_timeout',
  'The upload is too slow',
  'The upload was too slow to be forwarded. Please try again over a faster connection.',
  'The request body arrived more slowly than edge.origin_body_rate allows.',
);

/** RFC 9110 section 15.5.14. */
export const UPLOAD_TOO_LARGE = page(
  413,
  'upload_too_large',
  'The upload is too large',
  'This site does not accept uploads of this size.',
  'The request body is larger than uploads.max_size of the protection, or than a rule with limit_upload allows.',
);

export const LOOP = page(
  508,
  'loop_detected',
  'The site forwards to itself',
  'This request has passed through this service before and would loop forever.',
  'The origin is a host name that is proxied by this service: set the origin to the address of the server.',
);

export const METHOD_NOT_ALLOWED = page(
  405,
  'method_not_allowed',
  'This method is not allowed',
  'This service does not forward requests with this method.',
  'TRACE and CONNECT are not forwarded to origins.',
  ['allow', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
);

export const NO_SUCH_PROTOCOL = page(
  501,
  'protocol_unknown',
  'This protocol is not supported',
  'WebSocket is the only protocol that is supported within HTTP/2.',
  'Extended CONNECT is forwarded for websocket only.',
);

/** RFC 6455 section 4.2.2. */
export const NO_WEBSOCKET_KEY = page(
  400,
  'websocket_key',
  'Invalid WebSocket request',
  'The WebSocket request has no valid key.',
  'Sec-WebSocket-Key must be one line with the base64 of 16 bytes (RFC 6455 section 4.1): use a WebSocket library to open the connection.',
);

export const NO_GRPC = page(
  501,
  'grpc_unsupported',
  'gRPC is not supported here',
  'gRPC needs HTTP/2 from the client to the server behind this site.',
  'Set the version of the origin to 2 or h2c, use gRPC-Web, which any version forwards, or set "proxied": false for this name.',
);

export const EXPECTATION_FAILED = page(
  417,
  'expectation_failed',
  'This expectation is not supported',
  'The request has an unknown expectation.',
  'The only supported value of the Expect field is 100-continue.',
);

/** RFC 9111 section 5.2.1.7. */
export const NOT_CACHED = page(
  504,
  'not_cached',
  'Not in the cache',
  'The request accepts only a cached response, and the cache has none.',
  'The request has Cache-Control: only-if-cached.',
);
