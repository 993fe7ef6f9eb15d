/** Settings of the edge: listeners, threads, log, names, cache and compression. */
import { prefixes } from './address-kinds.ts';
import { anyHostNames, bytes, choice, flag, GB, integer, KB, type Kind, listenList, MB, text } from './kinds.ts';
import type { ListenAddress } from './listen.ts';
import { live, memoryShare, optional, reloadable, type Setting, setting, threadsFor } from './setting.ts';

const anyText = text('a name of letters, digits, dots and dashes, such as "waypost" or "edge.example.net"');

/** Valid both as an HTTP token and as a host name: used in Via, CDN-Loop and Cache-Status. */
const pseudonym: Kind<string> = {
  ...anyText,
  fromToml: (value) => asName(anyText.fromToml(value)),
  fromText: (value) => asName(anyText.fromText(value)),
};

const aHostName = text('a host name, such as "www.example.com"');

/** As in the extension of TLS (RFC 6066 section 3), in lower case. */
const serverName: Kind<string> = {
  ...aHostName,
  fromToml: (value) => asHost(aHostName.fromToml(value)),
  fromText: (value) => asHost(aHostName.fromText(value)),
};

/** Settings of the proxy: its name, trusted proxies, and cache control by clients. */
export const PROXY_SETTINGS = {
  name: live(
    setting(
      pseudonym,
      'waypost',
      'Name of the edge in Via, CDN-Loop and Cache-Status. A request with this name in CDN-Loop is rejected as a loop, so each service in a chain of proxies needs its own name.',
    ),
  ),
  trusted_proxies: live(
    setting(
      prefixes,
      [],
      'Addresses of load balancers or proxies in front of the edge or of the API. The visitor is the rightmost address in their X-Forwarded-For, or without it in their Forwarded, that is not one of them. Their forwarding fields (X-Forwarded-For, Forwarded, X-Real-IP …) are forwarded to the origin together with their address; the fields of all other clients are removed. X-Forwarded-Proto, or the proto of Forwarded, also sets the scheme of the URL in the cache and prevents the redirect to HTTPS. A forwarded host or path reaches the origin only with requests that bypass the cache.',
    ),
  ),
  proxy_protocol: live(
    setting(
      prefixes,
      [],
      'Addresses of load balancers whose connections to the edge begin with a header of the PROXY protocol (version 1 or 2), over TLS and without. The header states the client: limits, rules, logs and origins see its address. A connection from one of these addresses without such a header is closed.',
    ),
  ),
  cache_may_insist: live(
    setting(
      flag,
      false,
      'Whether a client can bypass a fresh cached response with "Cache-Control: no-cache", as browsers do when a page is reloaded. Anybody can then send every request to an origin.',
    ),
  ),
  cache_peers: setting(
    flag,
    true,
    'In a cluster: whether a cache miss is first requested from the node that owns the URL, so that all nodes together request it from the origin once. The nodes connect to the first address of edge.https_listen. Without effect on a single node, or where that address cannot be reached by others.',
  ),
  cache_peer_timeout: live(
    setting(
      integer(10, 600_000, 'milliseconds'),
      2000,
      'How long a node waits for a sign that the owner of a URL works on a request, in milliseconds. After that it requests the response from the origin itself.',
    ),
  ),
  cache_wait: live(
    setting(
      integer(0, 600_000, 'milliseconds'),
      5000,
      'How long a request waits for a response that another request is already fetching from the origin, in milliseconds. After that it fetches the response itself.',
    ),
  ),
} as const;

/** Settings of the response cache of the edge. */
export const CACHE_SETTINGS = {
  cache_memory: {
    ...setting(
      bytes(1 * MB, 1024 * GB),
      256 * MB,
      'Memory for cached responses and their index, for all threads together. Responses that do not fit are read from disk.',
    ),
    standard: () => memoryShare(1 / 8, 1 * MB, 256 * MB),
    standardText: 'an eighth of the memory, at most 256MB',
    example: '"256MB"',
  },
  cache_memory_object: setting(
    bytes(1 * KB, 64 * MB),
    1 * MB,
    'Maximum size of a response that is cached in memory; larger responses are cached on disk only. It is also limited to an eighth of the memory of a thread.',
  ),
  cache_disk: setting(
    bytes(0, 16 * 1024 * GB),
    1 * GB,
    'Disk space for cached responses, in the folder "cache" of the data folder; 0 disables it. It survives restarts. Each GB needs 16 MB of memory for its index.',
  ),
  cache_object: setting(
    bytes(1 * KB, 64 * GB),
    128 * MB,
    'Maximum size of a cached response; larger responses are not cached. It is also limited to a quarter of the disk space.',
  ),
} as const;

const compress = setting(
  flag,
  true,
  'Whether the edge compresses responses of origins (brotli, gzip, and zstd if Node.js supports it) for clients that accept it. An origin prevents this with "Cache-Control: no-transform".',
);

/** A shorter response fits one packet anyway, and compression doubles the CPU of the request. */
const minBytes = setting(
  bytes(1, 64 * MB),
  1 * KB,
  'Minimum size of a response to compress, if its size is known in advance.',
);

const concurrency = setting(
  integer(0, 100_000),
  128,
  'Maximum number of responses that each thread compresses as a stream at the same time: long responses and those of slow origins. Further responses are sent uncompressed. Each takes about 1 MB of memory.',
);

const cachedMaxBytes = setting(
  bytes(0, 256 * MB),
  8 * MB,
  'Maximum size of a cached response that is compressed again at a higher level, to be stored in that form.',
);

/** Settings of compression at the edge. Counts apply to each thread. */
export const COMPRESS_SETTINGS = reloadable({
  compress,
  compress_min_bytes: minBytes,
  compress_concurrency: concurrency,
  compress_cached_max_bytes: cachedMaxBytes,
} as const);

/**
 * A list that may be empty: `[]` in TOML; a word in the environment, where an empty value is unset.
 */
function orNone<T>(kind: Kind<readonly T[]>, word: string): Kind<readonly T[]> {
  return {
    ...kind,
    expected: `${kind.expected}; "${word}" for none`,
    fromToml: (value) => ((Array.isArray(value) && value.length === 0) || value === word ? [] : kind.fromToml(value)),
    fromText: (value) => (value.trim() === word ? [] : kind.fromText(value)),
  };
}

const onLoopback = (port: number): readonly ListenAddress[] => [{ address: '127.0.0.1', port, family: 4 }];

const file = (example: string, doc: string): Setting<string | undefined> => ({
  ...setting<string | undefined>(text('the path of a file') as Kind<string | undefined>, undefined, doc),
  standardText: 'none',
  example,
});

export const EDGE_SETTINGS = {
  http_listen: setting(
    orNone(listenList, 'off'),
    onLoopback(8080),
    'Addresses and ports to listen on for plain HTTP, usually port 80. Requests are redirected to HTTPS as soon as the site has a certificate.',
  ),
  https_listen: setting(
    orNone(listenList, 'off'),
    onLoopback(8443),
    'Addresses and ports to listen on for HTTPS (HTTP/2 and HTTP/1.1), usually port 443.',
  ),
  workers: {
    ...setting(integer(1, 256), 1, 'Number of edge threads. Each has its own socket for every address (SO_REUSEPORT).'),
    standard: () => threadsFor(256 * MB),
    standardText: 'the number of cores, at most one for each 256MB of memory',
    example: '4',
  },
  tls: setting(
    choice('auto', 'node'),
    'auto',
    'TLS implementation for HTTP/2: "node" (node:tls), or "auto" for the fastest that works.',
  ),
  access_log: live(
    setting(
      integer(0, 1_000_000_000),
      0,
      'Access log: writes one in this many requests to standard output as a line of JSON, with client, host, path and status, but without the query string and header fields. 1 logs every request as long as the reader keeps up; 0 disables it.',
    ),
  ),
  default_certificate: live(
    file(
      '"/etc/waypost/default.crt"',
      'File with the certificate chain, in PEM form, for TLS clients that send no server name, or one that has no certificate. Without it, and without edge.default_server_name, their handshake fails. Its names are visible to everybody who connects. Loaded at start and on SIGHUP.',
    ),
  ),
  default_key: live(file('"/etc/waypost/default.key"', 'File with the private key of that certificate, in PEM form.')),
  default_server_name: live(
    optional(
      serverName,
      'none',
      '"www.example.com"',
      'In place of files: the host name of a site, or of admin.hostname, whose certificate these clients get.',
    ),
  ),
  country_file: file(
    '"/var/lib/GeoIP/GeoLite2-Country.mmdb"',
    'File in the format of MaxMind (.mmdb) with the countries of addresses, for rules that match countries. It is read again when it has changed. Without it no country is known.',
  ),
} as const;

export const ADMIN_HOST_SETTINGS = reloadable({
  hostname: setting(
    orNone(anyHostNames, 'none'),
    [],
    'Host names whose HTTPS requests the edge forwards to the admin API, and to DNS over HTTPS if dns.doh is on. Passkeys of the dashboard work at these names. The API itself refuses other names than these and "localhost", except addresses. They need admin.hostname_certificate, or a domain in this service whose proxy is on and whose certificate covers them.',
  ),
  hostname_certificate: file(
    '"/etc/waypost/admin.crt"',
    'File with the certificate chain for these host names, in PEM form. It takes precedence over a certificate of this service. Loaded at start and on SIGHUP.',
  ),
  hostname_key: file('"/etc/waypost/admin.key"', 'File with the private key of that certificate, in PEM form.'),
} as const);

const asHost = (value: string | undefined): string | undefined =>
  value !== undefined && /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/i.test(value)
    ? value.toLowerCase()
    : undefined;

const asName = (value: string | undefined): string | undefined =>
  value !== undefined && /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,62}[A-Za-z0-9])?$/.test(value) ? value : undefined;
