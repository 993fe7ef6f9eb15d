/** Several nodes: where etcd is, and how nodes talk to each other. */
import { flag, integer, type Kind, list, listen, text } from './kinds.ts';
import type { Setting } from './schema.ts';

function setting<T>(one: Kind<T>, standard: T, doc: string): Setting<T> {
  return { kind: one, standard: () => standard, doc, secret: false };
}

function optional<T>(one: Kind<T>, standardText: string, example: string, doc: string): Setting<T | undefined> {
  return { kind: one, standard: () => undefined, standardText, example, doc, secret: false };
}

function endpointOf(value: string): string | undefined {
  const url = URL.parse(value.trim());
  const isBare = url !== null && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
  return isBare && ['http:', 'https:'].includes(url.protocol) ? url.origin : undefined;
}

const oneOrMore = list(
  'a list of URLs, each once, such as "https://192.0.2.1:2379"; empty for a single node',
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

/** Its words. */
const command: Kind<readonly string[]> = {
  expected:
    'the absolute path of a program and its arguments, such as ["/usr/local/sbin/anycast", "withdraw"]; the environment may have them with blanks between',
  fromToml: (value) => {
    if (!Array.isArray(value) || value.length > 64) return undefined;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    const isText = (one: unknown): boolean => typeof one === 'string' && /^[^\x00-\x1f\x7f]{1,4096}$/.test(one);
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
  toToml: (value) => `[${value.map((one) => JSON.stringify(one)).join(', ')}]`,
};

/** What a node does that lags; beside them in the section are the addresses. */
export const LAG_SETTINGS = {
  max_lag: setting(
    integer(1, 86_400, 'seconds'),
    60,
    'A node of several that may serve what is out of date for longer than this, in seconds, is not ready (/readyz), and withdraws itself if cluster.withdraw_command says how: when others have had changes for so long that it has not, or when it has heard neither etcd nor another node for so long, and so can not know. While etcd alone does not answer nobody can write, and the nodes that hear each other go on.',
  ),
  withdraw_command: optional(
    command,
    'none',
    '["/usr/local/sbin/anycast", "withdraw"]',
    'Run when this node lags by more than cluster.max_lag, and when it is stopped, before it takes leave of visitors (STATE is stopping, and it is tried once), such as to end the announcement of its anycast addresses: without a shell, with the variables ACTION, NODE_NAME, STATE, LAG_ENTRIES and LAG_SECONDS and no others but PATH and LC_ALL, again until it ends with status 0. Its output goes to the log.',
  ),
  announce_command: optional(
    command,
    'none',
    '["/usr/local/sbin/anycast", "announce"]',
    'Run when this node serves and has caught up: after a start, and after it was withdrawn. As cluster.withdraw_command.',
  ),
  command_timeout: setting(
    integer(100, 600_000, 'milliseconds'),
    10_000,
    'How long either command may take, in milliseconds; then it is killed, which counts as a failure.',
  ),
};

export const ETCD_SETTINGS = {
  endpoints: setting(
    endpoints,
    [],
    'Client URLs of the members of etcd; the nodes that share them are one cluster. Empty: this node is alone, and needs no etcd.',
  ),
  prefix: setting(prefix, '/waypost/', 'All keys in etcd begin with it.'),
  ca_file: optional(
    FILE,
    'those of the system',
    '"/etc/waypost/cluster/ca.pem"',
    'Who signed the certificates of etcd, PEM.',
  ),
  certificate_file: optional(FILE, 'none', '"/etc/waypost/cluster/node.pem"', 'What this node shows to etcd, PEM.'),
  key_file: optional(FILE, 'none', '"/etc/waypost/cluster/node.key"', 'Its private key, PEM.'),
  timeout: setting(
    integer(100, 60_000, 'milliseconds'),
    2000,
    'How long one answer of etcd is waited for, in milliseconds.',
  ),
  compaction: setting(
    flag,
    true,
    'One of the nodes compacts etcd each minute, which takes away what was replaced more than a minute before: of all that is in it. False, on every node, for an etcd that others use, too: then it is to be compacted by its own --auto-compaction-mode and -retention, or its quota ends sooner or later.',
  ),
};

export const PEER_SETTINGS = {
  listen: setting(
    listen,
    { address: '127.0.0.1', port: 8301, family: 4 } as const,
    'Where other nodes of the cluster reach this one (TLS, certificates on both sides). Without etcd it does not listen.',
  ),
  advertise: optional(
    address,
    'the address it listens at',
    '"node-1.example.net:8301"',
    'How others reach it, where that is not the address it listens at.',
  ),
  ca_file: optional(
    FILE,
    'that of "waypost cluster init" or "join", in the data folder',
    '"/etc/waypost/cluster/ca.pem"',
    'Who signed the certificates of the nodes, PEM.',
  ),
  certificate_file: optional(
    FILE,
    'that of "waypost cluster init" or "join", in the data folder',
    '"/etc/waypost/cluster/node.pem"',
    'Certificate of this node, PEM; it must hold node_name as a DNS name.',
  ),
  key_file: optional(
    FILE,
    'that of "waypost cluster init" or "join", in the data folder',
    '"/etc/waypost/cluster/node.key"',
    'Its private key, PEM.',
  ),
  deadline: setting(
    integer(0, 60_000, 'milliseconds'),
    2000,
    'How long a write waits for the other nodes to serve it, in milliseconds. The answer says which do.',
  ),
};
