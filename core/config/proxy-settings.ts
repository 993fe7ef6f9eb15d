/** Settings of the proxy: its name, trusted proxies, and cache control by clients. */
import { flag, integer, type Kind, text } from './kinds.ts';
import { setting } from './setting.ts';
import { prefixes } from './transfer-kinds.ts';

const anyText = text('a name of letters, digits, dots and dashes, such as "waypost" or "edge.example.net"');
const asName = (value: string | undefined): string | undefined =>
  value !== undefined && /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,62}[A-Za-z0-9])?$/.test(value) ? value : undefined;

/** Valid both as an HTTP token and as a host name: used in Via, CDN-Loop and Cache-Status. */
const pseudonym: Kind<string> = {
  ...anyText,
  fromToml: (value) => asName(anyText.fromToml(value)),
  fromText: (value) => asName(anyText.fromText(value)),
};

export const PROXY_SETTINGS = {
  name: setting(
    pseudonym,
    'waypost',
    'Name of the edge in Via, CDN-Loop and Cache-Status. A request with this name in CDN-Loop is rejected as a loop, so each service in a chain of proxies needs its own name.',
  ),
  trusted_proxies: setting(
    prefixes,
    [],
    'Addresses of load balancers or proxies in front of the edge or of the API. The visitor is the rightmost address in their X-Forwarded-For that is not one of them. Their forwarding fields (X-Forwarded-For, Forwarded, X-Real-IP …) are forwarded to the origin together with their address; the fields of all other clients are removed. X-Forwarded-Proto also sets the scheme of the URL in the cache and prevents the redirect to HTTPS. A forwarded host or path reaches the origin only with requests that bypass the cache.',
  ),
  cache_may_insist: setting(
    flag,
    false,
    'Whether a client can bypass a fresh cached response with "Cache-Control: no-cache", as browsers do when a page is reloaded. Anybody can then send every request to an origin.',
  ),
  cache_peers: setting(
    flag,
    true,
    'In a cluster: whether a cache miss is first requested from the node that owns the URL, so that all nodes together request it from the origin once. The nodes connect to the first address of edge.https_listen. Without effect on a single node, or where that address cannot be reached by others.',
  ),
  cache_peer_timeout: setting(
    integer(10, 600_000, 'milliseconds'),
    2000,
    'How long a node waits for a sign that the owner of a URL works on a request, in milliseconds. After that it requests the response from the origin itself.',
  ),
  cache_wait: setting(
    integer(0, 600_000, 'milliseconds'),
    5000,
    'How long a request waits for a response that another request is already fetching from the origin, in milliseconds. After that it fetches the response itself.',
  ),
} as const;
