/** `waypost cluster`: creates, extends and shows a cluster of nodes. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { writeFileSync } from '../../../core/base/write-file.ts';
import { removeMember } from '../../../core/cluster/removal.ts';
import { renewAuthority } from '../../../core/cluster/renewal.ts';
import { initCluster, invite, inviteCertificate, joinCluster } from '../../../core/cluster/setup.ts';
import { type ClusterStatus, clusterStatus } from '../../../core/cluster/status.ts';
import type { EtcdStorage } from '../../../core/journal/etcd-client/messages.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { print } from '../base/io.ts';
import { runLocalCluster } from './local.ts';
import {
  clusterConfig,
  commandWith,
  memberConfig,
  parseHosts,
  reachLines,
  voterLines,
  withNextStep,
} from './settings.ts';
import { addSnapshotCommands } from './snapshot.ts';

export function addClusterCommands(program: Command, context: CommandContext): void {
  const { io } = context;
  const action: CommandContext['action'] = (work) =>
    context.action(async (options, args) => {
      try {
        return await work(options as Parameters<typeof work>[0], args);
      } catch (error) {
        throw withNextStep(error);
      }
    });
  const cluster = program.command('cluster').description('manage nodes that share one log in etcd');

  cluster
    .command('init')
    .option('--etcd <urls>', 'the current or future members of etcd: client URLs, separated by commas')
    .option('--host <host...>', 'host names and addresses of this node for other nodes; include an IP address')
    .description("create a cluster from this node's data; the daemon must be stopped")
    .addHelpText(
      'after',
      `
Creates the certificates of the cluster in the data folder, writes the settings of this node there, and starts the log in etcd with
the data of this node. It is safe to run it again. If a URL of etcd is at a --host of this node and etcd does not respond there yet,
the command prints how to start that member; then run it again.

Examples:
  $ waypost cluster init --etcd http://127.0.0.1:2379          an etcd that is already running
  $ waypost cluster init --host 192.0.2.11 --etcd https://192.0.2.11:2379,https://192.0.2.12:2379,https://192.0.2.13:2379
`,
    )
    .action(
      action<{ etcd?: string; host?: string[] }>(async (options) => {
        const hosts = parseHosts(options.host);
        const env = options.etcd === undefined ? io.env : { ...io.env, WAYPOST_ETCD_ENDPOINTS: options.etcd };
        const config = clusterConfig({ ...io, env }, options);
        const { files, entries, isOld, isBegun, voter } = await initCluster(config, hosts);
        const { folder, environment } = files;
        if (options.json)
          print(
            io.stdout,
            JSON.stringify({ ok: true, folder, environment, entries, begun: isBegun, existed: isOld, etcd: voter }),
          );
        else for (const line of isBegun ? begunLines() : startLines()) print(io.stdout, line);
        return true;

        function* startLines(): Iterable<string> {
          yield `the certificates of the cluster are in ${folder}, the settings of ${config.nodeName} in ${environment}`;
          yield* voterLines(voter, files);
          yield 'Next: when etcd is running, run this command again to start the log in etcd';
        }

        function* begunLines(): Iterable<string> {
          yield isOld
            ? `the cluster already exists, and ${config.nodeName} is a member of it`
            : `the cluster starts with the ${entries} changes of ${config.nodeName}; its certificates are in ${folder}`;
          yield* voterLines(voter, files);
          yield* reachLines(clusterConfig(io, options));
          yield 'Next: start the daemon:';
          yield `  ${commandWith(config, options, 'serve')}`;
          yield 'For each other node, run here';
          yield '  waypost cluster invite NAME --host ADDRESS --out NAME.invitation';
          yield 'and on that node, with the file,';
          yield '  waypost cluster join NAME.invitation';
        }
      }),
    );

  cluster
    .command('invite')
    .argument('<name>', 'the name of the node, such as its host name')
    .option('--out <file>', 'where to write the invitation (default: standard output)')
    .option('--host <host...>', 'host names and addresses of the new node for other nodes; include an IP address')
    .option(
      '--certificate <file>',
      "invite the key of the node's certificate, of an authority of your own; writes no file",
    )
    .option('--lifetime <time>', 'how long the invitation can be used, such as 30m, 24h or 7d', '24h')
    .description('write an invitation that lets another node join; the file contains secrets')
    .addHelpText(
      'after',
      `
An invitation works once, for 24 hours, and only for the node of that name at its --host addresses: that node must have started before it expires.
"waypost cluster remove NAME" withdraws it.

Example:
  $ waypost cluster invite node-2 --host 192.0.2.12 --out node-2.invitation
`,
    )
    .action(
      action<{ out?: string; host?: string[]; certificate?: string; lifetime: string }>(async (options, [name]) => {
        if (!/^[\w.-]{1,253}$/.test(name))
          throw new CliError('bad_name', `"${name}" is not a valid node name; use a name such as node-2.`);
        const lifetime = parseLifetime(options.lifetime);
        if (options.certificate !== undefined) {
          const expires = Math.ceil(Date.now() / 1000) + lifetime;
          const hosts = parseHosts(options.host);
          await inviteCertificate(memberConfig(io, options), name, readFileSync(options.certificate, 'utf8'), {
            expires,
            hosts,
            external: true,
          });
          if (options.json) print(io.stdout, JSON.stringify({ ok: true, name, file: null }));
          else print(io.stdout, `the node with this certificate may join as ${name}; start its daemon`);
          return true;
        }
        const invitation = await invite(memberConfig(io, options), name, parseHosts(options.host), lifetime);
        if (options.out === undefined) {
          if (options.json) print(io.stdout, JSON.stringify({ ok: true, name, file: null, invitation }));
          else io.stdout.write(invitation);
          return true;
        }
        writeFileSync(options.out, invitation, { mode: 0o600, flag: 'wx' });
        if (options.json) print(io.stdout, JSON.stringify({ ok: true, name, file: options.out }));
        else
          print(
            io.stdout,
            `${options.out} lets ${name} join once, within ${options.lifetime}; it contains secrets: move it to the new node and remove it here`,
          );
        return true;
      }),
    );

  cluster
    .command('join')
    .argument('<file>', 'the invitation; - for standard input')
    .description('join a cluster with an invitation; the data folder must be empty')
    .addHelpText('after', '\nExample:\n  $ WAYPOST_DATA_DIR=/var/lib/waypost waypost cluster join node-2.invitation\n')
    .action(
      action(async (options, [file]) => {
        const config = clusterConfig(io, options);
        const { name, files, isOld, voter } = await joinCluster(
          config,
          file === '-' ? await text(io.stdin) : readFileSync(file, 'utf8'),
        );
        const { environment } = files;
        if (options.json)
          print(io.stdout, JSON.stringify({ ok: true, name, environment, existed: isOld, etcd: voter }));
        else
          for (const line of [
            `this node is ${isOld ? 'already ' : ''}${name}; its settings are in ${environment}`,
            ...voterLines(voter, files),
            ...reachLines(clusterConfig(io, options)),
            'Next: start the daemon:',
            `  ${commandWith(config, options, 'serve')}`,
          ])
            print(io.stdout, line);
        return true;
      }),
    );

  addSnapshotCommands(cluster, { io, action });

  cluster
    .command('remove')
    .argument('<name>', 'the name of the node')
    .option('--force', 'also remove a node that is running')
    .description('remove a node that does not come back from the cluster')
    .addHelpText(
      'after',
      `
Responses to writes no longer list the node as pending. Every node refuses the key of its certificate for good; to come back, it needs a new
invitation and an empty data folder. Members of etcd refuse its certificate at its next connection, if they read the list of revoked certificates
(cluster/revoked/list.crl in the data folder of each node). Its open connections to etcd stay until etcd restarts. An invitation of that name that
was not used is withdrawn, too.

Example:
  $ waypost cluster remove node-3
`,
    )
    .action(
      action<{ force?: boolean }>(async (options, [name]) => {
        await removeMember(memberConfig(io, options), name, options.force === true);
        if (options.json) print(io.stdout, JSON.stringify({ ok: true, name }));
        else
          print(
            io.stdout,
            `${name} is no longer a member, and its key is refused; "waypost cluster invite ${name}" lets another node of that name join. If its key may be stolen, restart the members of etcd, one after the other: that ends its connections to them.`,
          );
        return true;
      }),
    );

  cluster
    .command('renew-authority')
    .description('replace the authority of the certificates of the cluster while all nodes run')
    .addHelpText(
      'after',
      `
Each node trusts the new authority next to the old one, gets a certificate of the new one for the same key, and then drops the old one: one node
after the other. Certificates of the old authority, such as those of removed nodes, are worthless afterwards. All members must run. etcd reads
authorities when it starts: the unit waypost-etcd restarts by itself; for another member of etcd the command waits until you have restarted it.
An interrupted command goes on where it was when it is run again, on the same node. Afterwards this node has the key of the authority.

Example:
  $ waypost cluster renew-authority
`,
    )
    .action(
      action(async (options) => {
        const config = memberConfig(io, options);
        const report = (line: string): void => print(options.json ? io.stderr : io.stdout, line);
        const names = await renewAuthority({ config, report });
        if (options.json) print(io.stdout, JSON.stringify({ ok: true, void: names }));
        else print(io.stdout, 'the cluster has a new authority; certificates of the old one are worthless');
        if (!options.json && names.length > 0)
          print(io.stdout, `Invitations that were not used are void; invite again: ${names.join(', ')}`);
        return true;
      }),
    );

  cluster
    .command('local')
    .option('--nodes <count>', 'the number of nodes', '4')
    .option('--folder <folder>', 'the folder for all data', 'data/cluster')
    .option('--port <port>', 'the first port; each node uses ten', '21000')
    .option('--etcd <program>', 'the etcd program', 'etcd')
    .description('run a whole cluster on this machine, to try it; needs etcd')
    .addHelpText('after', '\nExample:\n  $ waypost cluster local --nodes 4\n')
    .action(
      action<{ nodes: string; folder: string; port: string; etcd: string }>(async ({ nodes, folder, port, etcd }) => {
        const [count, first] = [Number(nodes), Number(port)];
        if (!Number.isInteger(count) || count < 1 || count > 16)
          throw new CliError('bad_count', '--nodes must be 1 to 16.');
        if (!Number.isInteger(first) || first < 1024 || first + 10 * (count + 1) > 65_535)
          throw new CliError(
            'bad_port',
            '--port must be at least 1024 and leave room for the ports of all nodes; use a port such as 21000.',
          );
        await runLocalCluster(io, { nodes: count, folder: resolve(folder), port: first, etcd });
        return true;
      }),
    );

  cluster
    .command('status')
    .description('show the nodes, their progress, and the space used in etcd')
    .addHelpText('after', '\nThe exit code is 1 if a node is down or behind, or if etcd is full.\n')
    .action(
      action(async (options) => {
        const status = await clusterStatus(memberConfig(io, options));
        const isFull = status.etcd?.isFull === true;
        const areLevel = status.nodes.every(
          ({ isLive, applied }) => isLive && applied !== null && applied >= status.head,
        );
        const isWhole = areLevel && !isFull;
        if (options.json) print(io.stdout, JSON.stringify({ ok: isWhole, ...status }));
        else for (const line of shown(status)) print(io.stdout, line);
        return isWhole;
      }),
    );
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 };
const LONGEST_LIFETIME = 30 * 86_400;

/** The seconds of a value of `--lifetime`. Throws CliError. */
function parseLifetime(value: string): number {
  const [, count = '0', unit = 'd'] = /^(\d{1,5})([mhd])$/.exec(value) ?? [];
  const seconds = Number(count) * UNIT_SECONDS[unit];
  if (seconds > 0 && seconds <= LONGEST_LIFETIME) return seconds;
  throw new CliError('bad_lifetime', `--lifetime ${value} is not a time; use a value from 1m to 30d, such as 24h.`);
}

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

function* shown({ head, floor, nodes, agreedLevel, etcd }: ClusterStatus): Iterable<string> {
  yield `the log ends at change ${head}, and ${floor > head ? 'is still empty' : `starts at change ${floor}`}`;
  if (etcd !== null) yield* shownStorage(etcd);
  const isMixed = nodes.some(({ level }) => level !== agreedLevel);
  yield `all nodes have feature level ${agreedLevel}${isMixed ? '; changes that need a higher one are refused' : ''}`;
  const width = Math.max(4, ...nodes.map(({ name }) => name.length));
  for (const { name, address, version, level, isLive, applied, state: reported } of nodes) {
    const behind = applied === null ? 'does not respond' : applied >= head ? 'up to date' : `${head - applied} behind`;
    const state = !isLive ? 'writes do not wait for it' : applied === null ? 'writes wait for it' : 'serves';
    const mode = reported === null || reported === 'following' ? '' : `, ${reported.replaceAll('_', ' ')}`;
    yield `  ${name.padEnd(width)}  ${state}, ${behind}${mode} (${address}, version ${version}${isMixed ? `, feature level ${level}` : ''})`;
  }
}

/** The steps for a full etcd: https://etcd.io/docs/v3.5/op-guide/maintenance/#space-quota */
function* shownStorage({ size, used, quota, isFull }: EtcdStorage): Iterable<string> {
  const limit = quota === null ? '' : ` of ${mebibytes(quota)}`;
  yield `the database of etcd uses ${mebibytes(size)}${limit}; ${mebibytes(used)} of this is live data`;
  if (!isFull) return;
  yield 'etcd is full (alarm NOSPACE) and accepts no writes. Run etcdctl with ETCDCTL_API=3 and the endpoints and certificates of etcd:';
  yield '  1. etcdctl endpoint status --write-out json     shows the revision R';
  yield '  2. etcdctl compact R                            deletes old revisions';
  yield '  3. etcdctl defrag --cluster                     frees the space, one member after the other';
  yield '  4. etcdctl alarm disarm                         accepts writes again';
  yield '  If this frees little, first raise the limit of every member: --quota-backend-bytes (2 GiB by default).';
}
