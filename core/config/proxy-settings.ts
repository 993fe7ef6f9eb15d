/** Settings of what the edge says of itself and of its visitors to origins, and of what visitors may ask of the cache. */
import { flag, integer, type Kind, text } from './kinds.ts';
import type { Setting } from './schema.ts';
import { prefixes } from './transfer-kinds.ts';

const anyText = text('a name of letters, digits, dots and dashes, such as "waypost" or "edge.example.net"');
const asName = (value: string | undefined): string | undefined =>
  value !== undefined && /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,62}[A-Za-z0-9])?$/.test(value) ? value : undefined;

/** A token of HTTP and a host name at once: it stands in Via, CDN-Loop and Cache-Status. */
const pseudonym: Kind<string> = {
  ...anyText,
  fromToml: (value) => asName(anyText.fromToml(value)),
  fromText: (value) => asName(anyText.fromText(value)),
};

const setting = <T>(kind: Kind<T>, standard: T, doc: string): Setting<T> => ({
  kind,
  standard: () => standard,
  doc,
  secret: false,
});

export const PROXY_SETTINGS = {
  name: setting(
    pseudonym,
    'waypost',
    'What the edge calls itself in Via, CDN-Loop and Cache-Status. A request that says in CDN-Loop that it has been here is a loop, so services that stand behind each other need names of their own.',
  ),
  trusted_proxies: setting(
    prefixes,
    [],
    'Addresses of load balancers or proxies in front of the edge: what they say of their clients (X-Forwarded-For, Forwarded, X-Real-IP …) is passed on with their own address; from all others it is dropped. X-Forwarded-Proto is the scheme of the URL for the cache, too, and whoever came to them by https is not sent there again; a host or path that they say reaches the origin only with what goes past the cache.',
  ),
  cache_may_insist: setting(
    flag,
    false,
    'Whether a visitor may ask for newer than what is fresh ("Cache-Control: no-cache", as browsers send when a page is reloaded). Then anybody can send each request through to an origin.',
  ),
  cache_wait: setting(
    integer(0, 600_000, 'milliseconds'),
    5000,
    'A visitor waits so long for what another one has asked the origin for already, and then asks as well.',
  ),
} as const;
