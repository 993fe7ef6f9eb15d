/** What a visitor reads who has come to no site. */
import type { ErrorPage } from '../proxy/error-page.ts';

export const NO_SUCH_SITE: ErrorPage = {
  status: 404,
  code: 'no_such_site',
  title: 'There is no site of this name here',
  visitor: 'The address leads to this service, which knows no site of that name.',
  owner:
    'Turn the proxy of the domain on, and see that this name has an A, AAAA, CNAME or ALIAS record that is not set to "proxied": false.',
};

/** RFC 9110 section 15.5.20: the client may try again over a connection of its own. */
export const MISDIRECTED: ErrorPage = {
  status: 421,
  code: 'misdirected_request',
  title: 'This connection is for another site',
  visitor: 'The browser asked for this site over a connection to another one. Loading the page again helps.',
  owner: 'The certificate that this connection began with is not for the host that was asked for.',
};

export const NO_TUNNELS: ErrorPage = {
  status: 501,
  code: 'protocol_unknown',
  title: 'This protocol is not known here',
  visitor: 'This address serves plain requests only.',
  owner: 'The admin API speaks no WebSocket.',
};

export const ADMIN_UNAVAILABLE: ErrorPage = {
  status: 502,
  code: 'admin_unavailable',
  title: 'The admin API does not answer',
  visitor: 'Please try again in a minute.',
  owner: 'The edge reaches no admin API on this node: see the log of the service.',
};
