/** The settings of a node for the commands of its cluster, and what they say of its daemon and of its etcd. */

import { dirname, resolve } from 'node:path';
import { fromUrlHost } from '../../core/address/url-host.ts';
import type { ClusterFiles } from '../../core/cluster/files.ts';
import { HOST } from '../../core/cluster/setup.ts';
import type { VoterStep } from '../../core/cluster/voter.ts';
import { type Config, formatListen, loadConfig } from '../../core/config/index.ts';
import { EtcdRefused, EtcdUnavailable } from '../../core/etcd/errors.ts';
import { CliError } from './errors.ts';
import type { CliIo, GlobalOptions } from './io.ts';

/** Paths in what is printed, and in the settings of etcd, are whole ones. */
export function clusterConfig(io: CliIo, { config: file }: GlobalOptions): Config {
  const config = loadConfig({ file, env: io.env });
  return { ...config, dataDir: resolve(config.dataDir) };
}

/** Of a node that is one of several. Throws CliError for one that is alone. */
export function memberConfig(io: CliIo, options: GlobalOptions): Config {
  const config = clusterConfig(io, options);
  if (config.etcd.endpoints.length === 0)
    throw new CliError(
      'no_cluster',
      `The node with the data folder ${config.dataDir} is alone: it has no etcd.endpoints.`,
      {
        next: 'For a node of a cluster set WAYPOST_DATA_DIR to its data folder; "waypost cluster init" makes a cluster.',
      },
    );
  return config;
}

/** Of `--host`. Throws CliError. */
export function hostsOf(hosts: readonly string[] | undefined): string[] {
  return (hosts ?? []).map((text) => {
    const host = fromUrlHost(text);
    if (HOST.test(host)) return host;
    throw new CliError('bad_host', `--host ${text} is no name and no address, such as 192.0.2.11 or 2001:db8::11.`);
  });
}

/** By what the connection to etcd failed. */
const NEXT: readonly (readonly [RegExp, string])[] = [
  [
    /wrong version number|packet length too long|before secure TLS/i,
    'It seems to speak no TLS there: give it certificates, and let it take only TLS. Only an etcd that nobody but the nodes can reach, and that is at no --host of theirs, may be named as http.',
  ],
  [
    /altnames/,
    'The certificate that etcd shows is for other hosts: "waypost cluster init --host" or "invite --host" names those at which a node is reached.',
  ],
  [
    /self.signed|unable to (verify|get)|authority/i,
    'etcd shows a certificate of another authority than the cluster: set etcd.ca_file (WAYPOST_ETCD_CA_FILE), or look whether another etcd has that port.',
  ],
  [
    /alert|ECONNRESET|socket hang up|other side closed|status 400/i,
    'Where etcd.endpoints says http, it may take TLS only: name it as https. Where it says https, it may speak no TLS there (give it certificates, and let it take only TLS), or not take the certificate of this node: etcd.certificate_file and etcd.key_file.',
  ],
];

/** What to do about a path, by the code of the system. */
const PATHS: Readonly<Record<string, string>> = {
  EEXIST: 'It is there already: choose another name, or move it away.',
  ENOENT: 'Look whether the path is right; its folder has to be there.',
  ENOTDIR: 'A part of the path is a file: choose another one.',
  EACCES: 'This user may not: choose another path, or run the command as the user of the daemon.',
  EROFS: 'That file system takes no writes: choose another path.',
};

/** What went wrong with etcd, or a file, as an error that says what to do; all else as it is. */
export function explained(error: unknown): unknown {
  const { code = '', path, message } = error as NodeJS.ErrnoException;
  if (path !== undefined && PATHS[code] !== undefined)
    return new CliError('bad_path', `${message}.`, { next: PATHS[code], cause: error });
  if (error instanceof EtcdRefused)
    return new CliError('etcd_refused', `etcd has refused: ${error.message}.`, { cause: error });
  if (!(error instanceof EtcdUnavailable)) return error;
  const [, next = 'Look whether it runs, and whether etcd.endpoints names it.'] =
    NEXT.find(([reason]) => reason.test(error.message)) ?? [];
  return new CliError('etcd_unavailable', `etcd can't be reached: ${error.message}.`, { next, cause: error });
}

/** The data folder of the units in systemd/, which look for the settings of etcd there. */
const UNIT_DATA = '/var/lib/waypost';

const shell = (words: readonly string[]): string =>
  words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');

/** A command for this node, which finds its settings in its data folder. */
export const commandWith = (
  { dataDir }: Pick<Config, 'dataDir'>,
  { config }: GlobalOptions,
  ...words: string[]
): string =>
  `WAYPOST_DATA_DIR=${shell([dataDir])} waypost ${shell([...(config === undefined ? [] : ['--config', resolve(config)]), ...words])}`;

const LOOPBACK = /^(127\.|::1$|\[::1\]$|localhost$)/;

/** That others look for this node where only this machine finds it, though etcd is elsewhere. */
export function* reachLines({ peer, etcd }: Config): Iterable<string> {
  if (peer.advertise !== undefined || !LOOPBACK.test(peer.listen.address)) return;
  if (etcd.endpoints.every((url) => LOOPBACK.test(new URL(url).hostname))) return;
  yield `Nodes on other machines can't reach this one, whose peer.listen is ${formatListen(peer.listen)}.`;
  yield 'Set WAYPOST_PEER_LISTEN for its daemon to an address that they reach; --host of "init" and "invite" does so, too.';
}

/** What an operator is to do for the member of etcd on this node; commands are lines of their own, behind two blanks. */
export function* voterLines(step: VoterStep, { folder }: ClusterFiles): Iterable<string> {
  switch (step.kind) {
    case 'none':
      if (step.voters !== null) yield `etcd has ${voters(step.voters)}; none is needed here`;
      return;
    case 'runs':
      yield 'the member of etcd on this node runs';
      return;
    case 'unknown':
      yield `etcd is to have a member on this node, but does not answer (${step.reason}).`;
      yield 'Once it does, run this command again: it says how the member is taken in and started.';
      return;
    case 'add':
      yield 'etcd is to have a member on this node. The others take it in by';
      yield `  ${shell(step.add)}`;
      yield 'and then it is to be started at once, as they wait for it with their writes while they are less than three:';
      break;
    case 'start':
      yield 'etcd has a member on this node, which does not run. Should its data be lost, take it out with "etcdctl member remove" and run this again; else start it:';
      break;
    case 'begin':
      yield 'etcd does not run yet. Start its member on this node:';
  }
  yield `  ${shell(step.start)}`;
  if (dirname(folder) === UNIT_DATA) yield 'or as a unit: systemctl enable --now waypost-etcd';
}

const voters = (count: number): string =>
  count === 1 ? 'one voter' : `${count} voters${count >= 3 ? ', which is enough' : ''}`;
