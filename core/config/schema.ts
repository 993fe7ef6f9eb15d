/**
 * Every setting, once: its key in TOML, its kind, its default and its documentation. The type Config, the names in the environment,
 * the validation and config/waypost.toml all follow from this table.
 */
import { availableParallelism, hostname } from 'node:os';
import { ACME_SETTINGS } from './acme-settings.ts';
import { exemptions, resolvers } from './address-kinds.ts';
import { CACHE_SETTINGS } from './cache-settings.ts';
import { ETCD_SETTINGS, LAG_SETTINGS, PEER_SETTINGS } from './cluster-settings.ts';
import { COMPRESS_SETTINGS } from './compress-settings.ts';
import { EDGE_LIMITS } from './edge-limits.ts';
import { ADMIN_HOST_SETTINGS, EDGE_SETTINGS } from './edge-settings.ts';
import {
  bytes,
  choice,
  flag,
  hexadecimal,
  hostNames,
  integer,
  ipv4List,
  ipv6List,
  type Kind,
  listen,
  listenList,
  mailbox,
  optionalListenList,
  shortText,
  text,
} from './kinds.ts';
import { availableMemory } from './memory.ts';
import { ORIGIN_SETTINGS } from './origin-settings.ts';
import { PACKAGE_SETTINGS } from './package-settings.ts';
import { PROXY_SETTINGS } from './proxy-settings.ts';
import { notifyTargets, prefixes } from './transfer-kinds.ts';

export interface Setting<T> {
  readonly kind: Kind<T>;
  /** Called when neither the file nor the environment has the setting. */
  standard(): T;
  /** The default in words, when it depends on the machine or on other settings; the example then stands in for it. */
  readonly standardText?: string;
  readonly example?: string;
  readonly doc: string;
  /** Never shown, not in faults either. */
  readonly secret: boolean;
}

export interface Section<S> {
  readonly doc: string;
  readonly settings: S;
}

function setting<T>(kind: Kind<T>, standard: T, doc: string): Setting<T> {
  return { kind, standard: () => standard, doc, secret: false };
}

function computed<T>(kind: Kind<T>, standard: () => T, standardText: string, example: string, doc: string): Setting<T> {
  return { kind, standard, standardText, example, doc, secret: false };
}

function optional<T>(kind: Kind<T>, standardText: string, example: string, doc: string): Setting<T | undefined> {
  return { kind, standard: () => undefined, standardText, example, doc, secret: false };
}

function section<S>(doc: string, settings: S): Section<S> {
  return { doc, settings };
}

const MB = 1024 ** 2;
const GB = 1024 ** 3;
/** SOA timers and TTLs are 32 bits, the top one unused (RFC 2181 section 8). */
const seconds = integer(0, 2 ** 31 - 1, 'seconds');
const milliseconds = integer(100, 3_600_000, 'milliseconds');

/** Half of the memory that this process may use, which in a container is less than the machine's. */
function standardIndexMemory(): number {
  return Math.max(MB, Math.min(4 * GB, Math.floor(availableMemory() / 2)));
}

export const schema = {
  data_dir: setting(
    text('the path of a folder'),
    './data',
    'Folder of the database. A relative path starts at the working directory.',
  ),
  node_name: computed(
    text('a name without control characters'),
    hostname,
    'the host name of the machine',
    '"ns1"',
    'What this node is called in answers about its state.',
  ),
  nameservers: setting(
    hostNames,
    ['ns1.waypost.test', 'ns2.waypost.test'],
    'Host names of the nameservers, as they stand in the NS records of every zone; the first is the SOA MNAME.',
  ),
  rate_limit: setting(
    integer(0, 1_000_000_000),
    1200,
    'Requests in 5 minutes that each token may make to the API, and dynamic updates (RFC 2136) in 5 minutes that each TSIG key may send: two buckets of this size, which fill up again all the time. 0 is no limit for either. What asks for no token is limited by admin.login_rate_limit and dns.doh_rate_limit.',
  ),
  soa: section('The SOA record of every zone (RFC 1035 3.3.13). Its serial is kept by the service.', {
    hostmaster: optional(
      mailbox,
      'hostmaster at the domain of the first nameserver',
      '"hostmaster@waypost.test"',
      'Mailbox of who answers for the zones (RNAME).',
    ),
    refresh: setting(seconds, 3600, 'How often a secondary looks for changes, in seconds.'),
    retry: setting(seconds, 600, 'How long a secondary waits after a failed look, in seconds.'),
    expire: setting(seconds, 1_209_600, 'How long a secondary answers without having reached us, in seconds.'),
    minimum: setting(seconds, 300, 'How long a negative answer may be kept, in seconds (RFC 2308 section 4).'),
    ttl: setting(seconds, 3600, 'TTL of the SOA record itself, in seconds.'),
    ns_ttl: setting(seconds, 86_400, 'TTL of the NS records of the apex, in seconds.'),
  }),
  cluster: section('The nodes as visitors reach them.', {
    ipv4: setting(
      ipv4List,
      ['127.0.0.1'],
      'IPv4 addresses of the edge, anycast as a rule: what the names of a domain answer while its proxy is on.',
    ),
    ipv6: setting(ipv6List, ['::1'], 'IPv6 addresses of the edge.'),
    ...LAG_SETTINGS,
  }),
  edge: section('The reverse proxy, and the check of the origins that customers give it.', {
    ...EDGE_SETTINGS,
    resolvers: setting(
      resolvers,
      [],
      'Resolvers that are asked for the host names of origins; empty for those of the system.',
    ),
    allow_private_origins: setting(
      exemptions,
      false,
      'For test rigs: origins that are taken though their addresses are private, loopback or reserved. "true" takes every address, which lets customers reach the network of this machine.',
    ),
    ...EDGE_LIMITS,
    ...ORIGIN_SETTINGS,
    ...COMPRESS_SETTINGS,
    ...CACHE_SETTINGS,
    ...PROXY_SETTINGS,
  }),
  acme: section('Certificates by themselves (ACME, RFC 8555), for domains whose proxy is on.', ACME_SETTINGS),
  dns: section('The nameserver.', {
    listen: setting(
      listenList,
      [{ address: '127.0.0.1', port: 5300, family: 4 }],
      'Where it listens, UDP and TCP: addresses with ports, "[v6]:port", or "*:53" for any IPv4 and IPv6 address.',
    ),
    workers: computed(
      integer(1, 256),
      () => Math.min(256, availableParallelism()),
      'the number of cores',
      '4',
      'UDP threads. Each has a socket of its own (SO_REUSEPORT).',
    ),
    udp_payload: setting(
      integer(512, 4096, 'bytes'),
      1232,
      'Largest UDP answer in bytes, also announced by EDNS. 1232 fits every path without fragments.',
    ),
    index_memory: computed(
      bytes(MB, 4 * GB),
      standardIndexMemory,
      'half of the memory, at most 4GB',
      '"2GB"',
      'Memory for answers that are ready to send, shared by all workers. What does not fit is read from the database.',
    ),
    transport: setting(
      choice('auto', 'batch', 'portable'),
      'auto',
      'How packets are moved: "batch" (recvmmsg, Linux), "portable" (node:dgram), or "auto" for the best that works.',
    ),
    tcp_idle_timeout: setting(
      milliseconds,
      10_000,
      'A TCP connection without a query for so many milliseconds is closed (RFC 7766 6.2.3).',
    ),
    tcp_query_timeout: setting(
      milliseconds,
      5000,
      'A TCP query must have arrived whole so many milliseconds after its first byte.',
    ),
    tcp_max_connections: setting(integer(1, 1_000_000), 1024, 'TCP and TLS connections at one time, in all.'),
    tcp_max_per_address: setting(
      integer(1, 1_000_000),
      32,
      'TCP and TLS connections at one time from one client address (IPv6: from one /64).',
    ),
    tls_listen: setting(
      optionalListenList,
      [],
      'Where it listens for DNS over TLS (RFC 7858): addresses with ports, port 853 as a rule; empty for none. Needs dns.tls_certificate and dns.tls_key.',
    ),
    tls_certificate: optional(
      text('the path of a file'),
      'none',
      '"/etc/waypost/dns.crt"',
      'File with the certificate of DNS over TLS and those between it and the root, in PEM form. Read again when it or the key changes, and on SIGHUP.',
    ),
    tls_key: optional(
      text('the path of a file'),
      'none',
      '"/etc/waypost/dns.key"',
      'File with the private key of that certificate, in PEM form.',
    ),
    rrl_rate: setting(
      integer(0, 100_000),
      200,
      'Response rate limiting over UDP: how many responses of one kind (about one name, or of NXDOMAIN one zone, or errors) one client network gets in a second, so that nobody is flooded with our answers in the name of a forged address; 0 is no limit. Clients with our DNS cookie are not limited.',
    ),
    rrl_slip: setting(
      integer(0, 100),
      2,
      'Of the responses over the limit, every so manieth is sent truncated, so that a real client asks again over TCP; 1 is all of them, 0 none. The others are not sent.',
    ),
    rrl_allow: setting(
      exemptions,
      ['127.0.0.0/8', '::1/128'],
      'Clients that are not limited: a list of address prefixes, "false" for none, "true" for all. Loopback addresses can\'t be forged from outside.',
    ),
    rrl_ipv4_prefix: setting(integer(8, 32, 'bits'), 24, 'Bits of an IPv4 address that make one client network.'),
    rrl_ipv6_prefix: setting(integer(16, 64, 'bits'), 56, 'Bits of an IPv6 address that make one client network.'),
    deferred_udp_rate: setting(
      integer(0, 100_000),
      100,
      'Dynamic updates, zone transfers and other signed messages over UDP: how many one client network (/24, /56) may send in a second, less updates whose signature is good; beyond that, or with 1,000 of all networks, the answer is truncated (that to an update is SERVFAIL, too) and the client comes over TCP. 0 is no limit for a network. Clients in rrl_allow, and those with our DNS cookie, have none.',
    ),
    query_log: setting(
      integer(0, 1_000_000_000),
      0,
      'Query log: one query in so many, chosen at random, is written to the log with its client; 1 is every query as far as the log keeps up, 0 is off.',
    ),
    cookies: setting(
      choice('on', 'off', 'require'),
      'on',
      'DNS cookies (RFC 7873): a client that shows the one we gave it is not limited. With "require", clients that send a cookie over UDP are answered only when it is ours, and told ours otherwise (BADCOOKIE); those that send none are answered.',
    ),
    cookie_secret: {
      ...optional(
        hexadecimal(16),
        'one that follows from secrets.key_file',
        '"0123456789abcdef0123456789abcdef"',
        'Secret that DNS cookies are made with. All nodes that share an address need the same one (RFC 9018).',
      ),
      secret: true,
    },
    cookie_secret_previous: {
      ...optional(
        hexadecimal(16),
        'none',
        '"0123456789abcdef0123456789abcdef"',
        'Secret whose cookies are taken, but not made any more. To change the secret: add the new one here on all nodes, then swap the two, and an hour later remove the old one (RFC 9018 section 5).',
      ),
      secret: true,
    },
    nsid: setting(shortText(128), '', 'What this node is called when a query asks by NSID (RFC 5001).'),
    version: setting(
      shortText(255),
      '',
      'What version.bind and version.server (class CHAOS, type TXT) answer. Empty: they are refused.',
    ),
    identity: setting(
      shortText(255),
      '',
      'What id.server and hostname.bind (class CHAOS, type TXT; RFC 4892) answer. Empty: they are refused.',
    ),
    doh: setting(
      flag,
      false,
      "DNS over HTTPS (RFC 8484) at /dns-query of the admin API's address, without a token. That address speaks plain HTTP and is private as a rule: put TLS and HTTP/2 in front of this path alone.",
    ),
    doh_rate_limit: setting(
      integer(0, 1_000_000_000),
      60_000,
      'DNS queries over HTTPS in a minute from one client network; 0 is no limit. Behind a proxy all clients have its address.',
    ),
  }),
  transfer: section('Zone transfers to secondaries (AXFR, IXFR, NOTIFY).', {
    allow: setting(
      prefixes,
      [],
      'Addresses that may transfer every zone without a key. Others sign with a TSIG key (see "waypost tsig").',
    ),
    notify: setting(
      notifyTargets,
      [],
      'Secondaries that are told of every change of every zone: addresses, with a port if it is not 53 and, behind a space, the name of the TSIG key that signs.',
    ),
    max_concurrent: setting(
      integer(1, 10_000),
      8,
      'Whole zones that are sent at one time; more requests wait in line.',
    ),
    history: setting(
      integer(0, 1_000_000),
      1000,
      'Changes of one zone that are kept in memory for those who transfer it, so that they get what differs (IXFR); 0 keeps none.',
    ),
    history_bytes: setting(bytes(64 * 1024, GB), MB, 'Most memory for such changes of one zone.'),
    history_total: setting(bytes(64 * 1024, 64 * GB), 128 * MB, 'Most memory for such changes of all zones.'),
  }),
  alias: section('ALIAS records: the addresses of their targets.', {
    resolvers: setting(
      resolvers,
      [],
      'Recursive resolvers that are asked for targets outside of our own zones; empty for those of the system.',
    ),
    stale_max: setting(
      integer(0, 2_592_000, 'seconds'),
      86_400,
      'How long the last good addresses of a target are answered while newer ones can not be had, in seconds; SERVFAIL then.',
    ),
    allow_private_targets: setting(
      exemptions,
      false,
      'For test rigs: addresses of targets that are answered though they are private, loopback or reserved. "true" takes every address, which lets customers lead visitors into networks of their own.',
    ),
  }),
  admin: section('The admin API.', {
    listen: setting(
      listen,
      { address: '127.0.0.1', port: 8300, family: 4 },
      'Where it listens. It speaks plain HTTP: keep it on a loopback address, or behind something that adds TLS.',
    ),
    ...ADMIN_HOST_SETTINGS,
    password: {
      ...optional(
        text('a password, not empty and without control characters'),
        'a random one, shown once',
        '"correct horse battery staple"',
        'Password of the account "admin", used only when an empty data folder is set up. Prefer the environment to the file.',
      ),
      secret: true,
    },
    transport: setting(
      choice('auto', 'uws', 'node'),
      'auto',
      'HTTP server: "uws" (uWebSockets.js, where it loads), "node" (node:http), or "auto" for the best that works.',
    ),
    max_connections: setting(integer(1, 1_000_000), 4096, 'Connections at one time, in all.'),
    max_connections_per_address: setting(
      integer(1, 1_000_000),
      1024,
      'Connections at one time from one client address (IPv6: from one /64).',
    ),
    max_body: setting(bytes(1024, GB), 64 * MB, 'Largest body of a request. Master files are the largest.'),
    metrics: setting(
      choice('loopback', 'token', 'off'),
      'loopback',
      'Who may read /metrics without a token: "loopback" for requests from this machine that no proxy has passed on, "token" for nobody; with "off" there is none. Tokens are an administrator\'s.',
    ),
    login_rate_limit: setting(
      integer(0, 1_000_000_000),
      10,
      'Token exchanges in a minute for each login and client address; 0 is no limit.',
    ),
  }),
  packages: section(
    'Mini-app packages of developers: what is taken, how it is audited, and who publishes it.',
    PACKAGE_SETTINGS,
  ),
  audit: section('Who changed what.', {
    days: setting(integer(0, 36_500, 'days'), 400, 'How long audit entries are kept, in days; 0 is for ever.'),
  }),
  journal: section('The commit log.', {
    history: setting(integer(1, 1_000_000_000), 10_000, 'Entries kept for followers to catch up from.'),
  }),
  etcd: section('Several nodes in sync: where etcd is, which keeps the order of all writes.', ETCD_SETTINGS),
  peer: section('How nodes of a cluster talk to each other.', PEER_SETTINGS),
  store: section('The database.', {
    map_size: setting(
      bytes(MB, 1024 * GB),
      GB,
      'Address space mapped at start. It grows on its own; the file takes only what is used.',
    ),
  }),
  secrets: section('Encryption of what is stored and must be read again, such as private keys.', {
    key_file: optional(
      text('the path of a file'),
      'secret.key in the data folder',
      '"/etc/waypost/secret.key"',
      'File with the key, 32 bytes as base64 or hexadecimal text; a second line may hold the key before it, until all that it encrypted is encrypted anew, which a start does in the background and the log tells. Made when missing. A relative path starts at the working directory.',
    ),
  }),
  log: section('The log, on standard error.', {
    level: setting(choice('debug', 'info', 'warn', 'error'), 'info', 'The least severe messages that are written.'),
    format: setting(choice('text', 'json'), 'text', '"text" for people, "json" for one JSON object a line.'),
  }),
  plans: section('Domains that an account of each plan may have; 0 is no limit.', {
    free: setting(integer(0, 1_000_000_000), 10, 'Domains of the plan "free".'),
    pro: setting(integer(0, 1_000_000_000), 100, 'Domains of the plan "pro".'),
    unlimited: setting(integer(0, 1_000_000_000), 0, 'Domains of the plan "unlimited".'),
  }),
};

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;
type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
type Values<S> = {
  readonly [K in keyof S & string as Camel<K>]: S[K] extends Setting<infer T>
    ? DeepReadonly<T>
    : S[K] extends Section<infer Inner>
      ? Values<Inner>
      : never;
};

/** What a checked configuration holds. Keys are those of the schema in camel case: `dns.udp_payload` is `dns.udpPayload`. */
export type Config = Values<typeof schema>;

/** A setting with its place: `path` as in TOML (`['dns', 'listen']`), `key` joined by dots, `env` in the environment. */
export interface PlacedSetting {
  readonly key: string;
  readonly path: readonly string[];
  readonly env: string;
  readonly setting: Setting<unknown>;
}

function place(path: readonly string[], one: Setting<unknown>): PlacedSetting {
  return { key: path.join('.'), path, env: `WAYPOST_${path.join('_').toUpperCase()}`, setting: one };
}

/** All settings in the order of the schema. */
export const settings: readonly PlacedSetting[] = Object.entries(schema).flatMap(([name, entry]) =>
  'settings' in entry
    ? Object.entries<Setting<unknown>>(entry.settings).map(([inner, one]) => place([name, inner], one))
    : [place([name], entry)],
);

/** Section name to its documentation. */
export const sections: ReadonlyMap<string, string> = new Map(
  Object.entries(schema).flatMap(([name, entry]) => ('settings' in entry ? [[name, entry.doc]] : [])),
);

/** Variables that begin as settings do but are read by the command line, the tests and the loader of the file. */
export const OTHER_VARIABLES: readonly string[] = [
  'WAYPOST_CONFIG',
  'WAYPOST_URL',
  'WAYPOST_TOKEN',
  'WAYPOST_REQUIRE_PEERS',
];
