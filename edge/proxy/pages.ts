/** The pages of what goes wrong between a visitor and an origin: one for each fault, with the status that RFC 9110 gives it. */
import type { OriginFault, VisitorFault } from '../origin/origin.ts';
import type { ErrorPage } from './error-page.ts';

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

const NO_ANSWER = 'The site does not answer';
const TOO_SLOW = 'The site takes too long to answer';

/** By what `fetch` rejects with; a visitor who has gone gets none. */
export const FAULT_PAGES: Readonly<Record<Exclude<OriginFault, VisitorFault>, ErrorPage>> = {
  forbidden: page(
    502,
    'origin_forbidden',
    'The site is not set up right',
    'The server behind this site is one that may not be connected to.',
    'The origin has no public address: it is private, reserved, or belongs to this service. Set one that can be reached from the Internet.',
  ),
  unresolved: page(
    502,
    'origin_unresolved',
    NO_ANSWER,
    `The server behind this site can not be found at the moment. ${TRY_AGAIN}`,
    "The origin's host name has no address now: check its A and AAAA records.",
  ),
  refused: page(
    502,
    'origin_refused',
    NO_ANSWER,
    `The server behind this site takes no connections at the moment. ${TRY_AGAIN}`,
    "The origin refused the connection: check that it runs, that the proxy's port is the right one, and that no firewall keeps this service out.",
  ),
  'connect-timeout': page(
    504,
    'origin_connect_timeout',
    NO_ANSWER,
    `The server behind this site can not be reached at the moment. ${TRY_AGAIN}`,
    'No connection to the origin came about in time: check that it is up and that no firewall drops the connections of this service.',
  ),
  tls: page(
    502,
    'origin_tls',
    'No safe connection to the site',
    'The server behind this site could not show that it is the right one.',
    "The TLS handshake with the origin failed: check that its certificate is valid, not expired, and made for the origin's host name, or set the protocol to http.",
  ),
  reset: page(
    502,
    'origin_reset',
    NO_ANSWER,
    `The server behind this site broke the connection off. ${TRY_AGAIN}`,
    'The origin closed the connection before it had answered: its own log may say why.',
  ),
  malformed: page(
    502,
    'origin_malformed',
    'The site gave a wrong answer',
    'The server behind this site sent something that is no proper answer.',
    'What the origin sent is not well-formed HTTP/1.1: check that port and protocol are the right ones, and the length and fields of its response.',
  ),
  'header-timeout': page(
    504,
    'origin_timeout',
    TOO_SLOW,
    `The server behind this site has not answered in time. ${TRY_AGAIN}`,
    'The origin took the request and sent no response in time: look for what is slow there.',
  ),
  'idle-timeout': page(
    504,
    'origin_timeout',
    TOO_SLOW,
    `The server behind this site stopped in the middle of its answer. ${TRY_AGAIN}`,
    'The origin began its response and then sent nothing for too long: look for what is slow there.',
  ),
  busy: page(
    503,
    'origin_busy',
    'The site has too much to do',
    `Too many visitors wait for the server behind this site. ${TRY_AGAIN}`,
    'More requests wait for the origin than it answers: give it more room, or let more of its responses be cached.',
    ['retry-after', '5'],
  ),
};

/** RFC 9110 section 15.5.9. */
export const SLOW_BODY = page(
  408,
  'request_timeout',
  'The upload is too slow',
  'What was sent came too slowly to be passed on. Please try again over a better connection.',
  'The body of the request came slower than edge.origin_body_rate allows.',
);

export const LOOP = page(
  508,
  'loop_detected',
  'The site leads back to itself',
  'This request has come through here before and would go round for ever.',
  'The origin is a name whose traffic comes through this service again: set the origin to the server itself.',
);

export const METHOD_NOT_ALLOWED = page(
  405,
  'method_not_allowed',
  'This method is not allowed',
  'What was asked for can not be done through this service.',
  'TRACE and CONNECT are not passed on to origins.',
  ['allow', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
);

export const NO_SUCH_PROTOCOL = page(
  501,
  'protocol_unknown',
  'This protocol is not known here',
  'The only protocol that can be asked for within HTTP is WebSocket.',
  'Extended CONNECT is passed on for websocket only.',
);

/** RFC 6455 section 4.2.2. */
export const NO_WEBSOCKET_KEY = page(
  400,
  'websocket_key',
  'This is no WebSocket',
  'The request asks for a WebSocket without the key that opens one.',
  'Sec-WebSocket-Key must be one line with the base64 of 16 bytes (RFC 6455 section 4.1): let a WebSocket library open the connection.',
);

export const NO_GRPC = page(
  501,
  'grpc_unsupported',
  'gRPC is not supported here',
  'This service does not pass gRPC on to origins.',
  'Use gRPC-Web, which is passed on, or set "proxied": false for this name, so that clients connect to the origin itself.',
);

export const EXPECTATION_FAILED = page(
  417,
  'expectation_failed',
  'This can not be expected here',
  'The request expects something that is not known here.',
  'The only expectation that is known is 100-continue.',
);

/** RFC 9111 section 5.2.1.7. */
export const NOT_CACHED = page(
  504,
  'not_cached',
  'No copy is kept here',
  'Only a kept copy was asked for, and there is none.',
  'The request said only-if-cached.',
);
