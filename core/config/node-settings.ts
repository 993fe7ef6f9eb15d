/** Settings of the node itself: protection, clock, statistics, traces, dnstap. */
import { bytes, choice, flag, fraction, GB, integer, MB, shortText, text, textual } from './kinds.ts';
import { availableMemory, computed, live, optional, setting } from './setting.ts';

/** Longest identity, in bytes: it is part of every frame. */
const MAX_IDENTITY = 255;

/** Settings of dnstap, which passes DNS messages to another program. */
export const DNSTAP_SETTINGS = {
  socket: optional(
    text('the path of a socket'),
    'off',
    '"/run/waypost/dnstap.sock"',
    'Unix socket of a program that reads Frame Streams, such as fstrm_capture or dnstap-ldns. Waypost connects to it, and connects again when it is gone.',
  ),
  identity: optional(
    shortText(MAX_IDENTITY),
    'node_name',
    '"ns1"',
    'Identity of this server in each message. Without it, node_name is used.',
  ),
  messages: setting(
    choice('all', 'queries', 'responses'),
    'all',
    'The messages that are passed on: queries (AUTH_QUERY), responses (AUTH_RESPONSE), or all.',
  ),
  sample: setting(
    integer(1, 1_000_000),
    1,
    'Passes on one query in this number, chosen at random, with its response. 1 passes on every query.',
  ),
} as const;

/** Maximum bytes of a service name. */
const MAX_NAME = 255;

/** The URL of the OTLP receiver. Rejects a password or a query, because the URL is logged. */
const collector = textual(
  'the URL of a collector without user, query and fragment, such as "http://127.0.0.1:4318/v1/traces"',
  (value) => {
    if (!/^https?:\/\/[^/?#@\s]+(?:\/[^?#@\s]*)?$/.test(value) || !URL.canParse(value)) return undefined;
    const url = new URL(value);
    // The default path for traces in OTLP.
    if (url.pathname === '/') url.pathname = '/v1/traces';
    return url.href;
  },
  String,
);

/** Settings of traces. */
export const TRACES_SETTINGS = {
  endpoint: optional(
    collector,
    'off',
    '"http://127.0.0.1:4318/v1/traces"',
    'URL to which spans are sent by OTLP over HTTP (JSON). Without a path, /v1/traces is added. Without this setting, nothing is traced.',
  ),
  ratio: setting(
    fraction,
    0.01,
    'Ratio of requests to the edge that are traced, from 0 to 1. The decision of a client in edge.trusted_proxies holds instead.',
  ),
  write_ratio: setting(fraction, 1, 'Ratio of writes to the API that are traced, from 0 to 1.'),
  query: setting(
    flag,
    false,
    'Whether the spans of requests to sites have the query of the URL. Queries may contain secrets.',
  ),
  headers_file: optional(
    text('the path of a file'),
    'none',
    '"/etc/waypost/traces-headers"',
    'File with header fields for the collector, such as "authorization: Bearer …", one on each line. It is readable only by its owner, and read for each request to the collector.',
  ),
  service_name: setting(shortText(MAX_NAME), 'waypost', 'Name of this service in spans (service.name).'),
} as const;

/** Settings of the statistics that each node keeps. */
export const STATISTICS_SETTINGS = {
  enabled: setting(
    flag,
    true,
    'Whether this node counts queries and requests by domain. They are kept for 31 days in counts.mdb in the data folder.',
  ),
  sampling: setting(
    integer(1, 65_536),
    64,
    'Of a domain with more than about 30 DNS queries a second on a thread, one query in this number is counted, on average, and counts as so many; 1 counts every query. Queries of other domains and requests to sites are counted exactly.',
  ),
  max_disk: setting(
    bytes(16 * MB, 1024 * GB),
    4 * GB,
    'Disk space of the statistics. When it is used up, the oldest counts are deleted early.',
  ),
} as const;

/** Settings of the clock, which determines signature times and serials. */
export const CLOCK_SETTINGS = {
  max_offset: setting(
    integer(0, 86_400, 'seconds'),
    600,
    'Seconds by which the clock of this node may differ from those of the other nodes and etcd, from the last moment that the data folder knows of, and from its own course. With a larger difference the clock is not trusted: the node refuses writes with 503 "clock_off" and signs nothing, and serves what it has. A difference that a time service confirms (chrony, systemd-timesyncd), or that etcd or other nodes confirm, is accepted at once. 0: every clock is trusted.',
  ),
  settle: setting(
    integer(1, 86_400, 'seconds'),
    300,
    'Seconds after which a clock that is ahead of the last known moment is accepted without other evidence, if it goes on steadily: as of a single node without a time service that was off for long.',
  ),
};

/** The rest is for the kernel's memory of this process, and for pages of the database. */
const MEMORY_SHARE = 0.9;

const standardMemory = (): number => Math.floor((availableMemory() * MEMORY_SHARE) / MB) * MB;

/** Bytes of memory that the process may use, also where `protection.memory` is 0. */
export const memoryOf = ({ protection }: { readonly protection: { readonly memory: number } }): number =>
  protection.memory || standardMemory();

/** Settings of the protection against running out of memory, descriptors and disk space. */
export const PROTECTION_SETTINGS = {
  memory: live(
    computed(
      bytes(0, 4096 * GB),
      standardMemory,
      'nine tenths of the memory of the machine or of the control group',
      '"3GB"',
      'Budget of memory, without pages of files. At 80% the cache shrinks, at 90% new connections to the edge get 503 or are closed, at 95% all requests to the edge and large requests to the API get 503. DNS is always served. 0 disables the budget.',
    ),
  ),
  descriptors: live(
    optional(
      integer(0, 1_073_741_816),
      'the limit of the process (LimitNOFILE)',
      '65536',
      'Budget of open descriptors, with the same levels. 0 disables the budget.',
    ),
  ),
  start_delay: setting(
    integer(0, 3600, 'seconds'),
    60,
    'Maximum delay of a start, in seconds, after three starts within ten minutes that ended without a shutdown. The first delay is 2 seconds, and each next one twice as long. 0 disables the delay.',
  ),
  core_dumps: setting(
    flag,
    false,
    'Whether the system may write a core dump of this process, which holds private keys. It also needs "LimitCORE=infinity" in the unit.',
  ),
  disk_reserve: live(
    optional(
      bytes(0, 1024 * GB),
      'a twentieth of the file system, at most 1GB',
      '"500MB"',
      'Free space of the data folder below which writes are refused with the code "disk_full". Below twice as much the cache on the disk shrinks; below a quarter nothing is written. DNS and the edge go on. 0 disables the reserve.',
    ),
  ),
} as const;
