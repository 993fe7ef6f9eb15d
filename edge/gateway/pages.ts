/** Error pages for requests that belong to no site. */
import type { ErrorPage } from '../sites/error-page.ts';

export const NO_SUCH_SITE: ErrorPage = {
  status: 404,
  code: 'no_such_site',
  title: 'This site does not exist here',
  visitor: 'The address points to this service, which has no site of that name.',
  owner:
    'Enable the proxy of the domain, and check that this name has an A, AAAA, CNAME or ALIAS record without "proxied": false.',
};

/** RFC 9110 section 15.5.20: the client may retry over a separate connection. */
export const MISDIRECTED: ErrorPage = {
  status: 421,
  code: 'misdirected_request',
  title: 'This connection is for another site',
  visitor: 'The browser requested this site over a connection to another site. Please reload the page.',
  owner: 'The certificate of this connection does not cover the requested host.',
};

/**
 * RFC 9110 section 15.5.20: the connection was opened for another site, or before the site's TLS
 * settings changed, so its handshake does not meet the site's requirements.
 */
export const OTHER_TLS: ErrorPage = {
  ...MISDIRECTED,
  owner: 'The site requires another version of TLS or a certificate of its visitors; a new connection negotiates it.',
};

export const NO_CERTIFICATE: ErrorPage = {
  status: 403,
  code: 'client_certificate_required',
  title: 'This site requires a certificate',
  visitor: 'Please use https:// and a browser that has a certificate for this site.',
  owner:
    'The protection of the domain requires client certificates, which only a TLS connection to this service shows.',
};

export const OVERLOADED: ErrorPage = {
  status: 503,
  code: 'overloaded',
  title: 'This server is busy',
  visitor: 'Please try again in half a minute.',
  owner: 'The node has too little memory or too few descriptors left; other nodes may serve this site.',
  headers: ['retry-after', '30'],
};

export const NO_TUNNELS: ErrorPage = {
  status: 501,
  code: 'protocol_unknown',
  title: 'This protocol is not supported',
  visitor: 'This address serves plain HTTP requests only.',
  owner: 'The admin API does not support WebSocket.',
};

export const ADMIN_UNAVAILABLE: ErrorPage = {
  status: 502,
  code: 'admin_unavailable',
  title: 'The admin API does not respond',
  visitor: 'Please try again in a minute.',
  owner: 'The edge cannot reach the admin API on this node: check the log of the service.',
};

export const ADMIN_BUSY: ErrorPage = {
  status: 503,
  code: 'busy',
  title: 'The admin API is busy',
  visitor: 'Please try again in a few seconds.',
  owner: 'Too many requests of your network to the admin API are waiting on this node.',
  headers: ['retry-after', '5'],
};

export const ADMIN_TOO_SLOW: ErrorPage = {
  status: 408,
  code: 'too_slow',
  title: 'The upload is too slow',
  visitor: 'The upload was too slow while other requests were waiting. Please try again later.',
  owner: 'While all connections to the admin API are in use, a request must send 64 KB a second.',
};

export const TOO_MANY_STREAMS: ErrorPage = {
  status: 503,
  code: 'too_many_streams',
  title: 'There are too many live pages at the moment',
  visitor: 'The page works, but does not follow changes. Please reload it later.',
  owner: 'Many clients receive events of the admin API over this node; other requests are served.',
};
