import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { removeMember } from '../../core/cluster/removal.ts';
import { initCluster, invite, joinCluster } from '../../core/cluster/setup.ts';
import { type ClusterStatus, clusterStatus } from '../../core/cluster/status.ts';
import type { EtcdStorage } from '../../core/etcd/messages.ts';
import { runLocalCluster } from './cluster-local.ts';
import {
  clusterConfig,
  commandWith,
  explained,
  hostsOf,
  memberConfig,
  reachLines,
  voterLines,
} from './cluster-settings.ts';
import { addSnapshotCommands } from './cluster-snapshot.ts';
import type { CommandContext } from './command.ts';
import { CliError } from './errors.ts';
import { print } from './io.ts';

export function addClusterCommands(program: Command, context: CommandContext): void {
  const { io } = context;
  const action: CommandContext['action'] = (work) =>
    context.action(async (options, args) => {
      try {
        return await work(options as Parameters<typeof work>[0], args);
      } catch (error) {
        throw explained(error);
      }
    });
  const cluster = program.command('cluster').description('several nodes that share one log in etcd');

  cluster
    .command('init')
    .option('--etcd <urls>', 'where the members of etcd are, or will be: client URLs, by commas')
    .option('--host <host...>', 'names and addresses at which others reach this node, an IP address among them')
    .description("make this node's data that of a cluster; the daemon must be stopped")
    .addHelpText(
      'after',
      `
Makes the certificates of the cluster in the data folder, writes the settings of this node there, and begins the log in etcd with what this node holds. May be
run again. Where one of the URLs of etcd is at a --host of this node and nothing answers there yet, it says how to start that member; then run it again.

Examples:
  $ waypost cluster init --etcd http://127.0.0.1:2379          an etcd that runs already
  $ waypost cluster init --host 192.0.2.11 --etcd https://192.0.2.11:2379,https://192.0.2.12:2379,https://192.0.2.13:2379
`,
    )
    .action(
      action<{ etcd?: string; host?: string[] }>(async (options) => {
        const hosts = hostsOf(options.host);
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
          yield 'Next: once it runs, run this command again, which begins the log in etcd';
        }

        function* begunLines(): Iterable<string> {
          yield isOld
            ? `the cluster is there already, and ${config.nodeName} is a part of it`
            : `the cluster begins with the ${entries} changes of ${config.nodeName}; its certificates are in ${folder}`;
          yield* voterLines(voter, files);
          yield* reachLines(clusterConfig(io, options));
          yield 'Next: start the daemon:';
          yield `  ${commandWith(config, options, 'serve')}`;
          yield 'For each other node run here';
          yield '  waypost cluster invite NAME --host ADDRESS --out NAME.invitation';
          yield 'and there, with that file,';
          yield '  waypost cluster join NAME.invitation';
        }
      }),
    );

  cluster
    .command('invite')
    .argument('<name>', 'of the node, as its host name')
    .option('--out <file>', 'where to write the invitation; standard output otherwise')
    .option('--host <host...>', 'names and addresses at which others reach it, an IP address among them')
    .description('write all that another node needs to join; the file holds secrets')
    .addHelpText('after', '\nExample:\n  $ waypost cluster invite node-2 --host 192.0.2.12 --out node-2.invitation\n')
    .action(
      action<{ out?: string; host?: string[] }>(async (options, [name]) => {
        if (!/^[\w.-]{1,253}$/.test(name))
          throw new CliError('bad_name', `${name} is no name of a node, such as node-2.`);
        const text = await invite(memberConfig(io, options), name, hostsOf(options.host));
        if (options.out === undefined) {
          io.stdout.write(text);
          return true;
        }
        writeFileSync(options.out, text, { mode: 0o600, flag: 'wx' });
        if (options.json) print(io.stdout, JSON.stringify({ ok: true, name, file: options.out }));
        else print(io.stdout, `${options.out} lets ${name} join; it holds secrets: move it there and remove it here`);
        return true;
      }),
    );

  cluster
    .command('join')
    .argument('<file>', 'the invitation; - for standard input')
    .description('take an invitation; the data folder must be empty')
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
            `this node is ${name}${isOld ? ' already' : ''}; its settings are in ${environment}`,
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
    .argument('<name>', 'of the node')
    .option('--force', 'also when it runs')
    .description('take a node out of the cluster that does not come back')
    .addHelpText(
      'after',
      `
Answers to writes name it as pending no longer. With the data that it has it is refused when it comes back; an invitation takes it in again, with an empty
data folder. The other nodes tell it nothing more; an etcd that takes certificates of the cluster goes on to take its own: where others may have its key, let
etcd be reached by the nodes alone, or give that node's certificate to etcd in a list of revoked ones (--client-crl-file).

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
            `${name} is no member any more; "waypost cluster invite ${name}" lets it, or another of that name, join anew`,
          );
        return true;
      }),
    );

  cluster
    .command('local')
    .option('--nodes <count>', 'how many', '4')
    .option('--folder <folder>', 'for the data of all', 'data/cluster')
    .option('--port <port>', 'the first port; each node takes ten', '21000')
    .option('--etcd <program>', 'etcd', 'etcd')
    .description('run a whole cluster on this machine, to try it; needs etcd')
    .addHelpText('after', '\nExample:\n  $ waypost cluster local --nodes 4\n')
    .action(
      action<{ nodes: string; folder: string; port: string; etcd: string }>(async ({ nodes, folder, port, etcd }) => {
        const [count, first] = [Number(nodes), Number(port)];
        if (!Number.isInteger(count) || count < 1 || count > 16)
          throw new CliError('bad_count', '--nodes: from 1 to 16.');
        if (!Number.isInteger(first) || first < 1024 || first + 10 * (count + 1) > 65_535)
          throw new CliError('bad_port', '--port: one that all others fit behind, such as 21000.');
        await runLocalCluster(io, { nodes: count, folder: resolve(folder), port: first, etcd });
        return true;
      }),
    );

  cluster
    .command('status')
    .description('which nodes there are, how far each is, and how full etcd is')
    .addHelpText('after', '\nEnds with 1 when a node is not there, or is behind, or etcd is full.\n')
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

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

function* shown({ head, floor, nodes, etcd }: ClusterStatus): Iterable<string> {
  yield `the log ends at change ${head}, and ${floor > head ? 'holds nothing yet' : `reaches back to ${floor}`}`;
  if (etcd !== null) yield* shownStorage(etcd);
  const width = Math.max(4, ...nodes.map(({ name }) => name.length));
  for (const { name, address, version, isLive, applied } of nodes) {
    const behind = applied === null ? 'does not answer' : applied >= head ? 'has all' : `${head - applied} behind`;
    const state = !isLive ? 'is not waited for' : applied === null ? 'is waited for' : 'serves';
    yield `  ${name.padEnd(width)}  ${state}, ${behind} (${address}, version ${version})`;
  }
}

/** What to do for a full one: https://etcd.io/docs/v3.5/op-guide/maintenance/#space-quota */
function* shownStorage({ size, used, quota, isFull }: EtcdStorage): Iterable<string> {
  const limit = quota === null ? '' : `, of ${mebibytes(quota)} that it may take`;
  yield `the database of etcd takes ${mebibytes(size)}${limit}; ${mebibytes(used)} of it are in use`;
  if (!isFull) return;
  yield 'etcd is full (alarm NOSPACE): nothing can be written. With etcdctl, ETCDCTL_API=3 and the endpoints and certificates of etcd:';
  yield '  1. etcdctl endpoint status --write-out json     shows the revision R';
  yield '  2. etcdctl compact R                            takes away what was replaced before';
  yield '  3. etcdctl defrag --cluster                     gives the room back, one member after the other';
  yield '  4. etcdctl alarm disarm                         lets writes in again';
  yield '  Should little come back, give every member more first: --quota-backend-bytes (2 GiB by default).';
}
