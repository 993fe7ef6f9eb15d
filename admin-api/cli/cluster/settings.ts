/** Settings and messages shared by the cluster commands. */
import { dirname, resolve } from 'node:path';
import type { ClusterFiles } from '../../../core/cluster/files.ts';
import { HOST } from '../../../core/cluster/setup.ts';
import type { VoterStep } from '../../../core/cluster/voter.ts';
import { type Config, formatListen, loadConfig } from '../../../core/config/index.ts';
import { EtcdRefused, EtcdUnavailable } from '../../../core/journal/etcd-client/errors.ts';
import { fromUrlHost } from '../../../core/net/address/url-host.ts';
import { CliError } from '../base/errors.ts';
import type { CliIo, GlobalOptions } from '../base/io.ts';

/** The configuration with an absolute data folder, for messages and for the settings of etcd. */
export function clusterConfig(io: CliIo, { config: file }: GlobalOptions): Config {
  const config = loadConfig({ file, env: io.env });
  return { ...config, dataDir: resolve(config.dataDir) };
}

/** The configuration of a cluster member. Throws CliError if the node is not in a cluster. */
export function memberConfig(io: CliIo, options: GlobalOptions): Config {
  const config = clusterConfig(io, options);
  if (config.etcd.endpoints.length === 0)
    throw new CliError(
      'no_cluster',
      `The node with the data folder ${config.dataDir} is not in a cluster: it has no etcd.endpoints.`,
      {
        next: 'For a node of a cluster, set WAYPOST_DATA_DIR to its data folder; "waypost cluster init" creates a cluster.',
      },
    );
  return config;
}

/** Parses the values of `--host`. Throws CliError. */
export function parseHosts(hosts: readonly string[] | undefined): string[] {
  return (hosts ?? []).map((text) => {
    const host = fromUrlHost(text);
    if (HOST.test(host)) return host;
    throw new CliError(
      'bad_host',
      `--host ${text} is not a host name or an address; use a value such as 192.0.2.11 or 2001:db8::11.`,
    );
  });
}

/** The next step, by the error message of the connection to etcd. */
const NEXT_BY_MESSAGE: readonly (readonly [RegExp, string])[] = [
  [
    /wrong version number|packet length too long|before secure TLS/i,
    'etcd does not seem to use TLS on this port: configure certificates and allow only TLS. Use http only for an etcd that only the nodes can reach and that is not at a --host of a node.',
  ],
  [
    /altnames/,
    'The certificate of etcd is for other hosts: set the host names of a node with "waypost cluster init --host" or "invite --host".',
  ],
  [
    /self.signed|unable to (verify|get)|authority/i,
    'The certificate of etcd is not from the authority of the cluster: set etcd.ca_file (WAYPOST_ETCD_CA_FILE), or check whether another etcd uses this port.',
  ],
  [
    /alert|ECONNRESET|socket hang up|other side closed|status 400/i,
    'If etcd.endpoints has http, etcd may allow only TLS: use https. If it has https, etcd may not use TLS on this port (configure certificates and allow only TLS), or it may reject the certificate of this node: check etcd.certificate_file and etcd.key_file.',
  ],
];

/** The next step for an invalid path, by the error code of the system. */
const NEXT_BY_CODE: Readonly<Record<string, string>> = {
  EEXIST: 'The file already exists: choose another name, or move the file.',
  ENOENT: 'Check the path; its folder must exist.',
  ENOTDIR: 'A part of the path is a file: choose another path.',
  EACCES: 'This user has no permission: choose another path, or run the command as the user of the daemon.',
  EROFS: 'The file system is read-only: choose another path.',
};

/** Adds the next step to an error of etcd or of a file. Returns any other error unchanged. */
export function withNextStep(error: unknown): unknown {
  const { code = '', path, message } = error as NodeJS.ErrnoException;
  if (path !== undefined && NEXT_BY_CODE[code] !== undefined)
    return new CliError('bad_path', `${message}.`, { next: NEXT_BY_CODE[code], cause: error });
  if (error instanceof EtcdRefused)
    return new CliError('etcd_refused', `etcd rejected the request: ${error.message}.`, { cause: error });
  if (!(error instanceof EtcdUnavailable)) return error;
  const [, next = 'Check that etcd is running and that etcd.endpoints is correct.'] =
    NEXT_BY_MESSAGE.find(([reason]) => reason.test(error.message)) ?? [];
  return new CliError('etcd_unavailable', `Cannot reach etcd: ${error.message}.`, { next, cause: error });
}

/** The data folder of the units in systemd/, where they read the settings of etcd. */
const UNIT_DATA = '/var/lib/waypost';

/** Words of a command line, quoted for a shell where needed. */
export const shell = (words: readonly string[]): string =>
  words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');

/** A command line for this node. The command finds the settings in the data folder. */
export const commandWith = (
  { dataDir }: Pick<Config, 'dataDir'>,
  { config }: GlobalOptions,
  ...words: string[]
): string =>
  `WAYPOST_DATA_DIR=${shell([dataDir])} waypost ${shell([...(config === undefined ? [] : ['--config', resolve(config)]), ...words])}`;

const LOOPBACK = /^(127\.|::1$|\[::1\]$|localhost$)/;

/** Warns if other nodes cannot reach this node, because its peer address is on the loopback. */
export function* reachLines({ peer, etcd }: Config): Iterable<string> {
  if (peer.advertise !== undefined || !LOOPBACK.test(peer.listen.address)) return;
  if (etcd.endpoints.every((url) => LOOPBACK.test(new URL(url).hostname))) return;
  yield `Nodes on other machines cannot reach this node: its peer.listen is ${formatListen(peer.listen)}.`;
  yield 'Set WAYPOST_PEER_LISTEN to an address that they can reach, or pass --host to "init" or "invite".';
}

/**
 * The steps for the member of etcd on this node. Each command is on its own line, after two spaces.
 */
export function* voterLines(step: VoterStep, { folder }: ClusterFiles): Iterable<string> {
  switch (step.kind) {
    case 'none':
      if (step.voters !== null) yield `etcd has ${voters(step.voters)}; this node needs no member`;
      return;
    case 'runs':
      yield 'the member of etcd on this node is running';
      return;
    case 'unknown':
      yield `This node needs a member of etcd, but etcd does not respond (${step.reason}).`;
      yield 'When etcd responds, run this command again; it prints how to add and start the member.';
      return;
    case 'add':
      yield 'This node needs a member of etcd. Add it with';
      yield `  ${shell(step.add)}`;
      yield 'and start it at once, because etcd with fewer than three members accepts no writes until it runs:';
      break;
    case 'start':
      yield 'The member of etcd on this node is not running. If its data is lost, remove it with "etcdctl member remove" and run this command again; otherwise start it:';
      break;
    case 'begin':
      yield 'etcd is not running yet. Start its member on this node:';
  }
  yield `  ${shell(step.start)}`;
  if (dirname(folder) === UNIT_DATA) yield 'or as a systemd unit: systemctl enable --now waypost-etcd';
}

const voters = (count: number): string =>
  count === 1 ? 'one voter' : `${count} voters${count >= 3 ? ', which is enough' : ''}`;
