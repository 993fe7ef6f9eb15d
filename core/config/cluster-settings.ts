/** Settings of a cluster: etcd, the connections between nodes, and the withdrawal of a node. */
import { flag, integer, type Kind, list, listen, shortText, text } from './kinds.ts';
import { optional, setting } from './setting.ts';

function endpointOf(value: string): string | undefined {
  const url = URL.parse(value.trim());
  const isBare = url !== null && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
  return isBare && ['http:', 'https:'].includes(url.protocol) ? url.origin : undefined;
}

const oneOrMore = list(
  'a list of URLs, without duplicates, such as "https://192.0.2.1:2379"; empty for a single node',
  (value) => {
    const endpoint = endpointOf(value);
    return endpoint === undefined ? undefined : [endpoint];
  },
  String,
);

const endpoints: Kind<readonly string[]> = {
  ...oneOrMore,
  fromToml: (value) => (Array.isArray(value) && value.length === 0 ? [] : oneOrMore.fromToml(value)),
};

const prefix: Kind<string> = {
  expected: 'text that begins and ends with a slash, such as "/waypost/"',
  fromToml: (value) => (typeof value === 'string' ? prefix.fromText(value) : undefined),
  fromText: (value) => (/^\/(?:[a-zA-Z0-9._-]+\/)+$/.test(value) ? value : undefined),
  toToml: (value) => JSON.stringify(value),
};

const address: Kind<string> = {
  expected: 'a host and a port, such as "node-1.example.net:8301" or "[2001:db8::1]:8301"',
  fromToml: (value) => (typeof value === 'string' ? address.fromText(value) : undefined),
  fromText: (value) => (/^(\[[0-9a-fA-F:.]+\]|[a-zA-Z0-9._-]+):\d{1,5}$/.test(value.trim()) ? value.trim() : undefined),
  toToml: (value) => JSON.stringify(value),
};

const FILE = text('the path of a file');

/** A program and its arguments. */
const command: Kind<readonly string[]> = {
  expected:
    'the absolute path of a program and its arguments, such as ["/usr/local/sbin/anycast", "withdraw"]; in the environment they may be separated by spaces',
  fromToml: (value) => {
    if (!Array.isArray(value) || value.length > 64) return undefined;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects them
    const isText = (part: unknown): boolean => typeof part === 'string' && /^[^\x00-\x1f\x7f]{1,4096}$/.test(part);
    return value.every(isText) && /^\/./.test(value[0] ?? '') ? (value as string[]) : undefined;
  },
  fromText(value) {
    if (!value.trim().startsWith('[')) return command.fromToml(value.trim().split(/ +/));
    try {
      return command.fromToml(JSON.parse(value));
    } catch {
      return undefined;
    }
  },
  toToml: (value) => `[${value.map((item) => JSON.stringify(item)).join(', ')}]`,
};

/** Settings for a node that lags. The section also contains the addresses. */
export const LAG_SETTINGS = {
  max_lag: setting(
    integer(1, 86_400, 'seconds'),
    60,
    'Maximum lag of a node of a cluster, in seconds. A node lags while it misses changes that other nodes have applied, or while it can reach neither etcd nor another node. Over this limit it is not ready (/readyz) and runs cluster.withdraw_command. If only etcd is unreachable, writes fail, but nodes that reach each other keep serving.',
  ),
  withdraw_command: optional(
    command,
    'none',
    '["/usr/local/sbin/anycast", "withdraw"]',
    'Command to run when this node lags by more than cluster.max_lag, for example to withdraw its anycast routes. It runs without a shell and is retried until it exits with status 0. Its environment contains ACTION, NODE_NAME, STATE, LAG_ENTRIES, LAG_SECONDS, PATH and LC_ALL only. Its output goes to the log. It also runs once at shutdown, before connections are drained, with STATE=stopping: it should exit only when no more packets come, since the sockets are closed after it.',
  ),
  announce_command: optional(
    command,
    'none',
    '["/usr/local/sbin/anycast", "announce"]',
    'Command to run when this node serves and has caught up: after a start and after a withdrawal. It runs in the same way as cluster.withdraw_command.',
  ),
  command_timeout: setting(
    integer(100, 600_000, 'milliseconds'),
    10_000,
    'Timeout of either command, in milliseconds. A command that exceeds it is killed, which counts as a failure.',
  ),
};

export const ETCD_SETTINGS = {
  endpoints: setting(
    endpoints,
    [],
    'Client URLs of the etcd members. Nodes that use the same etcd and prefix form a cluster. Empty: a single node, which needs no etcd.',
  ),
  prefix: setting(prefix, '/waypost/', 'Prefix of all keys in etcd.'),
  ca_file: optional(
    FILE,
    'the certificate authorities of the system',
    '"/etc/waypost/cluster/ca.pem"',
    'File with the certificate authority that signed the certificates of etcd, in PEM form.',
  ),
  certificate_file: optional(
    FILE,
    'none',
    '"/etc/waypost/cluster/node.pem"',
    'File with the client certificate of this node for etcd, in PEM form.',
  ),
  key_file: optional(
    FILE,
    'none',
    '"/etc/waypost/cluster/node.key"',
    'File with the private key of that certificate, in PEM form.',
  ),
  timeout: setting(integer(100, 60_000, 'milliseconds'), 2000, 'Timeout of a request to etcd, in milliseconds.'),
  compaction: setting(
    flag,
    true,
    'Whether one of the nodes compacts etcd every minute. This deletes all revisions that were replaced more than a minute ago, of every key. Set it to false on every node if other programs use the same etcd; then use --auto-compaction-mode and --auto-compaction-retention of etcd, or its quota will run out.',
  ),
};

export const PEER_SETTINGS = {
  listen: setting(
    listen,
    { address: '127.0.0.1', port: 8301, family: 4 } as const,
    'Address and port to listen on for the other nodes of the cluster (mutual TLS). Unused without etcd.',
  ),
  advertise: optional(
    address,
    'the address of peer.listen',
    '"node-1.example.net:8301"',
    'Address at which other nodes reach this node, if it differs from peer.listen.',
  ),
  ca_file: optional(
    FILE,
    'the file that "waypost cluster init" or "join" created in the data folder',
    '"/etc/waypost/cluster/ca.pem"',
    'File with the certificate authority that signed the certificates of the nodes, in PEM form.',
  ),
  certificate_file: optional(
    FILE,
    'the file that "waypost cluster init" or "join" created in the data folder',
    '"/etc/waypost/cluster/node.pem"',
    'File with the certificate of this node, in PEM form. It must contain node_name as a DNS name.',
  ),
  key_file: optional(
    FILE,
    'the file that "waypost cluster init" or "join" created in the data folder',
    '"/etc/waypost/cluster/node.key"',
    'File with the private key of that certificate, in PEM form.',
  ),
  region: setting(
    shortText(32),
    '',
    'Region of this node, such as "eu". One node of each region checks the origins of pools, and the nodes of a region share the results. Empty: all nodes are in one region.',
  ),
  deadline: setting(
    integer(0, 60_000, 'milliseconds'),
    2000,
    'How long a write waits until all other nodes serve it, in milliseconds. The response lists the nodes that do.',
  ),
};
