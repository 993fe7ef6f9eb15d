/** Settings of the edge: listeners, threads, log, and the host names of the admin API. */
import { availableParallelism } from 'node:os';
import { anyHostNames, choice, integer, type Kind, listenList, text } from './kinds.ts';
import type { ListenAddress } from './listen.ts';
import { type Setting, setting } from './setting.ts';

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
    standard: () => Math.min(256, availableParallelism()),
    standardText: 'the number of cores',
    example: '4',
  },
  tls: setting(
    choice('auto', 'node'),
    'auto',
    'TLS implementation for HTTP/2: "node" (node:tls), or "auto" for the fastest that works.',
  ),
  access_log: setting(
    integer(0, 1_000_000_000),
    0,
    'Access log: writes one in this many requests to standard output as a line of JSON, with client, host, path and status, but without the query string and header fields. 1 logs every request as long as the reader keeps up; 0 disables it.',
  ),
  country_file: file(
    '"/var/lib/GeoIP/GeoLite2-Country.mmdb"',
    'File in the format of MaxMind (.mmdb) with the countries of addresses, for rules that match countries. It is read again when it has changed. Without it no country is known.',
  ),
} as const;

export const ADMIN_HOST_SETTINGS = {
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
} as const;
