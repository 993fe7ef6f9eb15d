/**
 * The table of all settings: key in TOML, kind, default and documentation. The type Config, the
 * environment variables, the validation and config/waypost.toml are all derived from it.
 */
import { hostname } from 'node:os';
import { ACME_SETTINGS } from './acme-settings.ts';
import { exemptions, notifyTargets, prefixes, resolvers, sources } from './address-kinds.ts';
import { BACKUP_SETTINGS } from './backup-settings.ts';
import { ETCD_SETTINGS, LAG_SETTINGS, PEER_SETTINGS } from './cluster-settings.ts';
import { PACKAGE_SETTINGS, QUOTA_SETTINGS, SECONDARY_SETTINGS, WEBHOOK_SETTINGS } from './customer-settings.ts';
import { EDGE_LIMITS } from './edge-limits.ts';
import {
  ADMIN_HOST_SETTINGS,
  CACHE_SETTINGS,
  COMPRESS_SETTINGS,
  EDGE_SETTINGS,
  PROXY_SETTINGS,
} from './edge-settings.ts';
import {
  bytes,
  choice,
  flag,
  GB,
  hexadecimal,
  hostNames,
  integer,
  ipv4List,
  ipv6List,
  listen,
  listenList,
  MB,
  mailbox,
  optionalListenList,
  shortText,
  text,
} from './kinds.ts';
import {
  CLOCK_SETTINGS,
  DNSTAP_SETTINGS,
  PROTECTION_SETTINGS,
  STATISTICS_SETTINGS,
  TRACES_SETTINGS,
} from './node-settings.ts';
import { ORIGIN_SETTINGS } from './origin-settings.ts';
import {
  availableMemory,
  computed,
  live,
  optional,
  type Section,
  type Setting,
  section,
  setting,
  threadsFor,
} from './setting.ts';

/** SOA timers and TTLs have 32 bits, and the top bit is unused (RFC 2181 section 8). */
const seconds = integer(0, 2 ** 31 - 1, 'seconds');
const milliseconds = integer(100, 3_600_000, 'milliseconds');

/** Half of the memory that this process may use; a container may use less than the machine has. */
function standardIndexMemory(): number {
  return Math.max(MB, Math.min(4 * GB, Math.floor(availableMemory() / 2)));
}

const schema = {
  data_dir: setting(
    text('the path of a folder'),
    './data',
    'Data folder: the database, keys and caches. A relative path starts at the working directory.',
  ),
  node_name: computed(
    text('a name without control characters'),
    hostname,
    'the host name of the machine',
    '"ns1"',
    'Name of this node in status reports, metrics and the certificates of a cluster.',
  ),
  nameservers: setting(
    hostNames,
    ['ns1.waypost.test', 'ns2.waypost.test', 'ns3.waypost.test', 'ns4.waypost.test'],
    'Host names of the nameservers, used as the NS records of every zone. The first is the SOA MNAME.',
  ),
  rate_limit: live(
    setting(
      integer(0, 1_000_000_000),
      1200,
      'Limit per 5 minutes for API requests of a token and, counted separately, for dynamic updates (RFC 2136) of a TSIG key. Both are token buckets of this size. The account of a customer has five times that for all its tokens and sessions, and for all its keys. 0 disables these limits. Requests without a token are limited by admin.login_rate_limit and dns.doh_rate_limit.',
    ),
  ),
  drain_delay: live(
    setting(
      integer(0, 300, 'seconds'),
      0,
      'Seconds for which a service that is told to stop goes on serving, with 503 from /readyz, before it refuses new connections: load balancers and probes must notice first. The unit of systemd sets 5, the image 3.',
    ),
  ),
  soa: section('The SOA record of every zone (RFC 1035 3.3.13). Waypost sets the serial.', {
    hostmaster: optional(
      mailbox,
      'hostmaster at the domain of the first nameserver',
      '"hostmaster@waypost.test"',
      'Mailbox of the person responsible for the zones (RNAME).',
    ),
    refresh: setting(seconds, 3600, 'Interval at which a secondary checks for changes, in seconds.'),
    retry: setting(seconds, 600, 'Interval at which a secondary retries a failed check, in seconds.'),
    expire: setting(
      seconds,
      1_209_600,
      'Time after which a secondary that cannot reach this server stops serving the zone, in seconds.',
    ),
    minimum: setting(seconds, 300, 'Time that resolvers may cache a negative answer, in seconds (RFC 2308 section 4).'),
    ttl: setting(seconds, 3600, 'TTL of the SOA record, in seconds.'),
    ns_ttl: setting(seconds, 86_400, 'TTL of the NS records of the apex, in seconds.'),
  }),
  cluster: section('The public addresses of the nodes, and the withdrawal of a node that lags.', {
    ipv4: setting(
      ipv4List,
      ['127.0.0.1'],
      'IPv4 addresses of the edge, usually anycast. Proxied names of a domain resolve to them. Empty: none.',
    ),
    ipv6: setting(ipv6List, ['::1'], 'IPv6 addresses of the edge, used in the same way. Empty: none.'),
    ...LAG_SETTINGS,
  }),
  clock: section('The clock of this node, by which zones are signed and serials are chosen.', CLOCK_SETTINGS),
  edge: section('The reverse proxy and its connections to origins.', {
    ...EDGE_SETTINGS,
    resolvers: live(
      setting(resolvers, [], 'Resolvers for the host names of origins. Empty: the resolvers of the system.'),
    ),
    allow_private_origins: setting(
      exemptions,
      false,
      'For test setups: private, loopback or reserved addresses that are accepted as origins. "true" accepts every address, which lets customers reach the network of this machine.',
    ),
    ...EDGE_LIMITS,
    ...ORIGIN_SETTINGS,
    ...COMPRESS_SETTINGS,
    ...CACHE_SETTINGS,
    ...PROXY_SETTINGS,
  }),
  acme: section('Automatic certificates (ACME, RFC 8555) for domains whose proxy is on.', ACME_SETTINGS),
  dns: section('The nameserver.', {
    listen: setting(
      listenList,
      [{ address: '127.0.0.1', port: 5300, family: 4 }],
      'Addresses and ports to listen on for UDP and TCP. "*:53" listens on every IPv4 and IPv6 address.',
    ),
    workers: computed(
      integer(1, 256),
      () => threadsFor(128 * MB),
      'the number of cores, at most one for each 128MB of memory',
      '4',
      'Number of UDP threads. Each has its own socket (SO_REUSEPORT).',
    ),
    udp_payload: setting(
      integer(512, 4096, 'bytes'),
      1232,
      'Maximum size of a UDP response in bytes, also announced by EDNS. 1232 avoids fragmentation on every usual path.',
    ),
    index_memory: computed(
      bytes(MB, 4 * GB),
      standardIndexMemory,
      'half of the memory, at most 4GB',
      '"2GB"',
      'Memory for compiled answers, shared by all workers. Answers that do not fit are read from the database.',
    ),
    transport: setting(
      choice('auto', 'batch', 'portable'),
      'auto',
      'How packets are sent and received: "batch" (recvmmsg, Linux), "portable" (node:dgram), or "auto" for the fastest that works.',
    ),
    tcp_idle_timeout: setting(
      milliseconds,
      10_000,
      'Idle timeout of a TCP connection, in milliseconds (RFC 7766 6.2.3).',
    ),
    tcp_query_timeout: setting(
      milliseconds,
      5000,
      'Timeout for receiving the rest of a TCP query after its first byte, in milliseconds.',
    ),
    tcp_max_connections: setting(
      integer(1, 1_000_000),
      1024,
      'Maximum number of concurrent TCP and TLS connections. When they are used up, the client that has most loses a waiting one to clients that have fewer.',
    ),
    tcp_max_per_address: setting(
      integer(1, 1_000_000),
      32,
      'Maximum number of concurrent TCP and TLS connections from one client address (IPv6: from one /64).',
    ),
    tls_listen: setting(
      optionalListenList,
      [],
      'Addresses and ports to listen on for DNS over TLS (RFC 7858), usually port 853. Empty: disabled. Needs dns.tls_certificate and dns.tls_key.',
    ),
    tls_certificate: live(
      optional(
        text('the path of a file'),
        'none',
        '"/etc/waypost/dns.crt"',
        'File with the certificate chain for DNS over TLS, in PEM form. Reloaded when it or the key changes, and on SIGHUP.',
      ),
    ),
    tls_key: live(
      optional(
        text('the path of a file'),
        'none',
        '"/etc/waypost/dns.key"',
        'File with the private key of that certificate, in PEM form.',
      ),
    ),
    proxy_protocol: setting(
      prefixes,
      [],
      'Addresses of DNS load balancers, such as dnsdist, that put a header of the PROXY protocol (version 2) before each UDP message and before the first message of a connection, over TLS before the handshake. The header states the client: limits, access lists, steering and logs see its address. Messages from these addresses without such a header are dropped.',
    ),
    rrl_rate: live(
      setting(
        integer(0, 100_000),
        200,
        'Response rate limiting over UDP: maximum responses per second of one kind to one client network. Responses about one name are a kind, as are NXDOMAIN responses of one zone, and errors. The limit prevents reflection attacks with forged source addresses. Clients with a valid DNS cookie are exempt. 0 disables the limit.',
      ),
    ),
    rrl_slip: live(
      setting(
        integer(0, 100),
        2,
        'Every n-th response over the limit is sent truncated, so that a real client retries over TCP; the others are dropped. 1 truncates all of them, 0 drops all of them.',
      ),
    ),
    rrl_allow: live(
      setting(
        exemptions,
        ['127.0.0.0/8', '::1/128'],
        'Clients that are exempt from the limit: a list of address prefixes, "false" for none, "true" for all. Loopback addresses cannot be forged from outside.',
      ),
    ),
    rrl_ipv4_prefix: live(setting(integer(8, 32, 'bits'), 24, 'Prefix length of one client network in IPv4.')),
    rrl_ipv6_prefix: live(setting(integer(16, 64, 'bits'), 56, 'Prefix length of one client network in IPv6.')),
    deferred_udp_rate: live(
      setting(
        integer(0, 100_000),
        100,
        'Maximum dynamic updates, zone transfers and other signed messages over UDP per second from one client network (/24, /56). Updates with a valid signature do not count. Over this limit, or over 1,000 per second from all networks, the response is truncated so that the client retries over TCP; an update also gets SERVFAIL. Clients in rrl_allow and clients with a valid DNS cookie are exempt. 0 disables the limit per network.',
      ),
    ),
    query_log: setting(
      integer(0, 1_000_000_000),
      0,
      'Query log: logs one in this many queries, chosen at random, with the address of the client. 1 logs every query as long as the log keeps up; 0 disables it.',
    ),
    cookies: setting(
      choice('on', 'off', 'require'),
      'on',
      'DNS cookies (RFC 7873): a client with a valid server cookie is exempt from rate limits. With "require", a UDP query with an invalid or missing server cookie gets BADCOOKIE and a new cookie; a query without any cookie is answered.',
    ),
    cookie_secret: {
      ...optional(
        hexadecimal(16),
        'derived from secrets.key_file',
        '"0123456789abcdef0123456789abcdef"',
        'Secret that signs DNS cookies. All nodes that share an address need the same secret (RFC 9018).',
      ),
      secret: true,
    },
    cookie_secret_previous: {
      ...optional(
        hexadecimal(16),
        'none',
        '"0123456789abcdef0123456789abcdef"',
        'Secret that is only used to verify DNS cookies. To change the secret: add the new secret here on all nodes, then swap the two, and remove the old secret an hour later (RFC 9018 section 5).',
      ),
      secret: true,
    },
    nsid: setting(
      shortText(128),
      '',
      'Name server identifier returned to queries with the NSID option (RFC 5001). Empty: none.',
    ),
    version: setting(
      shortText(255),
      '',
      'Answer for version.bind and version.server (class CHAOS, type TXT). Empty: such queries are refused.',
    ),
    identity: setting(
      shortText(255),
      '',
      'Answer for id.server and hostname.bind (class CHAOS, type TXT; RFC 4892). Empty: such queries are refused.',
    ),
    doh: setting(
      flag,
      false,
      "DNS over HTTPS (RFC 8484) at /dns-query of the admin API's address, without a token. That address serves plain HTTP and is usually private: put TLS and HTTP/2 in front of this path only.",
    ),
    doh_rate_limit: live(
      setting(
        integer(0, 1_000_000_000),
        60_000,
        'Maximum DNS over HTTPS queries per minute from one client network; 0 disables the limit. Behind a proxy all clients share its address.',
      ),
    ),
  }),
  transfer: section('Zone transfers to secondaries (AXFR, IXFR, NOTIFY).', {
    allow: live(
      setting(
        prefixes,
        [],
        'Addresses that may transfer every zone without a key. All other clients need a TSIG key (see "waypost tsig").',
      ),
    ),
    notify: setting(
      notifyTargets,
      [],
      'Secondaries that get a NOTIFY for every change of every zone: an address, a port if it is not 53 and, after a space, the name of the TSIG key that signs.',
    ),
    source: setting(
      sources,
      [],
      'Source addresses of NOTIFY and of requests to primaries: one of each family. Empty: those of the route.',
    ),
    max_concurrent: setting(
      integer(1, 10_000),
      16,
      'Maximum number of concurrent full zone transfers. Accounts and client networks take turns, and one of them alone has at most half. Further requests are queued.',
    ),
    history: setting(
      integer(0, 1_000_000),
      1000,
      'Number of changes per zone that are kept in memory for incremental transfers (IXFR); 0 keeps none.',
    ),
    history_bytes: setting(bytes(64 * 1024, GB), MB, 'Maximum memory for such changes of one zone.'),
    history_total: setting(bytes(64 * 1024, 64 * GB), 128 * MB, 'Maximum memory for such changes of all zones.'),
  }),
  secondary: section('Secondary zones: transfers from the primaries of customers.', SECONDARY_SETTINGS),
  alias: section('ALIAS records: how the addresses of their targets are resolved.', {
    resolvers: live(
      setting(
        resolvers,
        [],
        'Recursive resolvers for targets outside the zones of this server. Empty: the resolvers of the system.',
      ),
    ),
    stale_max: live(
      setting(
        integer(0, 2_592_000, 'seconds'),
        86_400,
        'How long the last resolved addresses of a target are served when it can no longer be resolved, in seconds. After that the answer is SERVFAIL.',
      ),
    ),
    allow_private_targets: setting(
      exemptions,
      false,
      'For test setups: private, loopback or reserved addresses that are accepted as addresses of a target. "true" accepts every address, which lets customers direct visitors into private networks.',
    ),
  }),
  domains: section('Domains.', {
    check_delegation: setting(
      flag,
      true,
      'Asks the parent zones of all domains in the background which nameservers they have, for the state of delegation in lists. A live domain is asked for once a day. The resolvers are dnssec.resolvers.',
    ),
  }),
  dnssec: section('DNSSEC: how the DS records of signed zones are looked up at their parent zones.', {
    resolvers: live(
      setting(
        resolvers,
        [],
        'Recursive resolvers that find the nameservers of parent zones. Empty: the resolvers of the system.',
      ),
    ),
    allow_private_parents: setting(
      exemptions,
      false,
      'For test setups: private, loopback or reserved addresses of nameservers of parent zones that are asked. "true" allows every address, which lets customers send queries into private networks.',
    ),
  }),
  admin: section('The admin API.', {
    listen: setting(
      listen,
      { address: '127.0.0.1', port: 8300, family: 4 },
      'Address and port to listen on. It serves plain HTTP: keep it on a loopback address, or behind a proxy that adds TLS.',
    ),
    ...ADMIN_HOST_SETTINGS,
    password: {
      ...optional(
        text('a password, not empty and without control characters'),
        'a random password, shown once',
        '"correct horse battery staple"',
        'Initial password of the account "admin", used only when an empty data folder is set up. Prefer the environment variable to the file.',
      ),
      secret: true,
    },
    transport: setting(
      choice('auto', 'uws', 'node'),
      'auto',
      'HTTP server: "uws" (uWebSockets.js), "node" (node:http), or "auto" for the fastest that works.',
    ),
    max_connections: live(
      setting(
        integer(1, 1_000_000),
        4096,
        'Maximum number of concurrent connections. Other machines can use three quarters of them.',
      ),
    ),
    max_connections_per_address: live(
      setting(
        integer(1, 1_000_000),
        1024,
        'Maximum number of concurrent connections from one client address (IPv6: from one /64).',
      ),
    ),
    max_body: setting(
      bytes(1024, GB),
      64 * MB,
      'Maximum size of a request body. The largest requests import zone files.',
    ),
    metrics: setting(
      choice('loopback', 'token', 'off'),
      'loopback',
      'Access to /metrics: "loopback" allows requests from this machine without a token, unless a proxy forwarded them; "token" always requires the token of an administrator; "off" disables the endpoint.',
    ),
    login_rate_limit: live(
      setting(
        integer(0, 1_000_000_000),
        10,
        'Maximum token exchanges and sign-ins per minute for each login and client address; 0 disables the limit.',
      ),
    ),
    session_idle: live(
      setting(
        integer(1800, 31_536_000, 'seconds'),
        28_800,
        'How long a dashboard session lasts without a request, in seconds. The last request is recorded to within 5 minutes.',
      ),
    ),
    session_lifetime: live(
      setting(
        integer(1800, 31_536_000, 'seconds'),
        604_800,
        'How long a dashboard session lasts after the sign-in, in seconds. Then the password is required again.',
      ),
    ),
  }),
  packages: section('Mini-app packages: limits, audit and publication.', PACKAGE_SETTINGS),
  webhooks: section('Webhooks: events that are sent to URLs of customers.', WEBHOOK_SETTINGS),
  audit: section('The audit log.', {
    days: live(
      setting(integer(0, 36_500, 'days'), 400, 'How long audit entries are kept, in days; 0 keeps them forever.'),
    ),
    max_size: live(
      setting(
        bytes(0, 1024 * GB),
        64 * MB,
        'Bytes of the audit entries of an account. Above half of it, entries are stored without large values; above it, the oldest are deleted. 0: no limit.',
      ),
    ),
  }),
  journal: section('The commit log.', {
    history: setting(
      integer(1, 1_000_000_000),
      10_000,
      'Number of entries that are kept, so that other nodes can catch up from them.',
    ),
    history_size: setting(
      bytes(MB, 1024 * GB),
      256 * MB,
      'Bytes of entries above which fewer are kept. A node that is further behind copies the store of another node.',
    ),
  }),
  etcd: section('The etcd of a cluster, which orders all writes.', ETCD_SETTINGS),
  peer: section('The connections between the nodes of a cluster.', PEER_SETTINGS),
  store: section('The database.', {
    map_size: setting(
      bytes(MB, 1024 * GB),
      GB,
      'Address space mapped at start. It grows automatically; the file takes only the space that is used.',
    ),
  }),
  protection: section(
    'Protection against running out of memory, descriptors or disk space: which work stops first.',
    PROTECTION_SETTINGS,
  ),
  statistics: section('Statistics of domains: queries and requests over time.', STATISTICS_SETTINGS),
  traces: section('Traces by OpenTelemetry, of writes to the API and requests to the edge.', TRACES_SETTINGS),
  backup: section('Scheduled backups, and the copies of changes between them.', BACKUP_SETTINGS),
  secrets: section('Encryption of stored secrets, such as private keys.', {
    key_file: optional(
      text('the path of a file'),
      'secret.key in the data folder',
      '"/etc/waypost/secret.key"',
      'File with the key: 32 bytes as base64 or hexadecimal text. A missing file is created. To replace the key, put the new key on the first line and the previous key on the second: after a start, a background task encrypts all secrets with the new key and logs when it is done. A relative path starts at the working directory.',
    ),
  }),
  dnstap: section('dnstap: passes DNS messages to another program.', DNSTAP_SETTINGS),
  log: section('The log, on standard error.', {
    level: live(setting(choice('debug', 'info', 'warn', 'error'), 'info', 'The minimum severity of logged messages.')),
    format: live(
      setting(choice('text', 'json'), 'text', 'Format of a line: "text" for people, "json" for a JSON object.'),
    ),
  }),
  plans: section('Maximum number of domains of an account, by plan; 0 disables the limit.', {
    free: live(setting(integer(0, 1_000_000_000), 10, 'Maximum number of domains in the plan "free".')),
    pro: live(setting(integer(0, 1_000_000_000), 100, 'Maximum number of domains in the plan "pro".')),
    unlimited: live(setting(integer(0, 1_000_000_000), 0, 'Maximum number of domains in the plan "unlimited".')),
  }),
  quotas: section(
    'What an account and each of its zones may store, by plan: records, and the bytes of all rows. 0 disables a limit. An account above a limit keeps what it has, and can only delete.',
    QUOTA_SETTINGS,
  ),
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

/** A validated configuration. Keys are in camel case: `dns.udp_payload` is `dns.udpPayload`. */
export type Config = Values<typeof schema>;

/**
 * A setting and its names: `path` in TOML (`['dns', 'listen']`), `key` is the path joined by dots,
 * `env` is the environment variable.
 */
export interface PlacedSetting {
  readonly key: string;
  readonly path: readonly string[];
  readonly env: string;
  readonly setting: Setting<unknown>;
}

function placedAt(path: readonly string[], declared: Setting<unknown>): PlacedSetting {
  return { key: path.join('.'), path, env: `WAYPOST_${path.join('_').toUpperCase()}`, setting: declared };
}

/** All settings in the order of the schema. */
export const settings: readonly PlacedSetting[] = Object.entries(schema).flatMap(([name, entry]) =>
  'settings' in entry
    ? Object.entries<Setting<unknown>>(entry.settings).map(([inner, declared]) => placedAt([name, inner], declared))
    : [placedAt([name], entry)],
);

/** Section name to its documentation. */
export const sections: ReadonlyMap<string, string> = new Map(
  Object.entries(schema).flatMap(([name, entry]) => ('settings' in entry ? [[name, entry.doc]] : [])),
);

/** Variables with the prefix of settings that the command line, the tests and the loader read. */
export const OTHER_VARIABLES: readonly string[] = [
  'WAYPOST_CONFIG',
  'WAYPOST_URL',
  'WAYPOST_TOKEN',
  'WAYPOST_REQUIRE_PEERS',
];
