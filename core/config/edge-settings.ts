/** Where the edge listens, with how many threads, and what it writes down; the host names under which it passes on to the admin API. */
import { availableParallelism } from 'node:os';
import { choice, hostNames, integer, type Kind, listenList, text } from './kinds.ts';
import type { ListenAddress } from './listen.ts';
import type { Setting } from './schema.ts';

/** A list that may be empty: `[]` in TOML; in the environment, where nothing counts as not set, a word. */
function orNone<T>(kind: Kind<readonly T[]>, word: string): Kind<readonly T[]> {
  return {
    ...kind,
    expected: `${kind.expected}; "${word}" for none`,
    fromToml: (value) => ((Array.isArray(value) && value.length === 0) || value === word ? [] : kind.fromToml(value)),
    fromText: (value) => (value.trim() === word ? [] : kind.fromText(value)),
  };
}

const place = (port: number): readonly ListenAddress[] => [{ address: '127.0.0.1', port, family: 4 }];

const setting = <T>(kind: Kind<T>, standard: T, doc: string): Setting<T> => ({
  kind,
  standard: () => standard,
  doc,
  secret: false,
});

const file = (example: string, doc: string): Setting<string | undefined> => ({
  ...setting<string | undefined>(text('the path of a file') as Kind<string | undefined>, undefined, doc),
  standardText: 'none',
  example,
});

export const EDGE_SETTINGS = {
  http_listen: setting(
    orNone(listenList, 'off'),
    place(8080),
    'Where it listens for plain HTTP: addresses with ports, port 80 as a rule. Visitors are sent to HTTPS as soon as there is a certificate.',
  ),
  https_listen: setting(
    orNone(listenList, 'off'),
    place(8443),
    'Where it listens for HTTPS, HTTP/2 and HTTP/1.1: addresses with ports, port 443 as a rule.',
  ),
  workers: {
    ...setting(
      integer(1, 256),
      1,
      'Threads of the edge. Each has a socket of its own for every address (SO_REUSEPORT).',
    ),
    standard: () => Math.min(256, availableParallelism()),
    standardText: 'the number of cores',
    example: '4',
  },
  tls: setting(
    choice('auto', 'node'),
    'auto',
    'What carries HTTP/2 over TLS: "node" (node:tls), or "auto" for what is fastest here.',
  ),
  access_log: setting(
    integer(0, 1_000_000_000),
    0,
    'Access log: one request in so many is written to standard output as a line of JSON, with its client, host, path and status, but neither the query nor any header field; 1 is every request as far as the reader keeps up, 0 is off.',
  ),
} as const;

export const ADMIN_HOST_SETTINGS = {
  hostname: setting(
    orNone(hostNames, 'none'),
    [],
    'Host names under which the edge passes requests on to the admin API, and to DNS over HTTPS if dns.doh is on; over HTTPS alone. Their certificate is that of the domain in this service, when its proxy is on, else admin.hostname_certificate.',
  ),
  hostname_certificate: file(
    '"/etc/waypost/admin.crt"',
    'File with the certificate of these host names and those between it and the root, in PEM form. It goes before one of this service. Read at start and on SIGHUP.',
  ),
  hostname_key: file('"/etc/waypost/admin.key"', 'File with the private key of that certificate, in PEM form.'),
} as const;
