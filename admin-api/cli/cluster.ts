import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { removeMember } from '../../core/cluster/removal.ts';
import { initCluster, invite, joinCluster } from '../../core/cluster/setup.ts';
import { type ClusterStatus, clusterStatus } from '../../core/cluster/status.ts';
import { loadConfig } from '../../core/config/index.ts';
import type { EtcdStorage } from '../../core/etcd/messages.ts';
import { runLocalCluster } from './cluster-local.ts';
import { addSnapshotCommands } from './cluster-snapshot.ts';
import { CliError } from './errors.ts';
import { print } from './io.ts';
import type { CommandContext } from './run.ts';

export function addClusterCommands(program: Command, { io, action }: CommandContext): void {
  const cluster = program.command('cluster').description('several nodes that share one log in etcd');

  cluster
    .command('init')
    .description("make this node's data that of a cluster; the daemon must be stopped")
    .addHelpText(
      'after',
      `
Makes the certificates of the cluster in the data folder, and begins the log in etcd with what this node holds. May be run again.

Example:
  $ export WAYPOST_DATA_DIR=/var/lib/waypost WAYPOST_NODE_NAME=node-1 WAYPOST_ETCD_ENDPOINTS=http://127.0.0.1:2379
  $ waypost cluster init
`,
    )
    .action(
      action(async (options) => {
        const config = loadConfig({ file: options.config, env: io.env });
        const { folder, entries, isOld } = await initCluster(config);
        if (options.json) print(io.stdout, JSON.stringify({ ok: true, folder, entries, existed: isOld }));
        else
          for (const line of [
            isOld
              ? `the cluster is there already, and ${config.nodeName} is a part of it`
              : `the cluster begins with the ${entries} changes of ${config.nodeName}; its certificates are in ${folder}`,
            'Next: start the daemon with the same settings, and for each other node run',
            '  waypost cluster invite NAME --out NAME.invitation',
            'here, and there, with that file,',
            '  waypost cluster join NAME.invitation',
          ])
            print(io.stdout, line);
        return true;
      }),
    );

  cluster
    .command('invite')
    .argument('<name>', 'of the node, as its host name')
    .option('--out <file>', 'where to write the invitation; standard output otherwise')
    .option('--host <host...>', 'more names and addresses at which others may reach it')
    .description('write all that another node needs to join; the file holds secrets')
    .addHelpText('after', '\nExample:\n  $ waypost cluster invite node-2 --out node-2.invitation\n')
    .action(
      action<{ out?: string; host?: string[] }>(async (options, [name]) => {
        if (!/^[\w.-]{1,253}$/.test(name))
          throw new CliError('bad_name', `${name} is no name of a node, such as node-2.`);
        const config = loadConfig({ file: options.config, env: io.env });
        const text = await invite(config, name, options.host ?? []);
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
        const config = loadConfig({ file: options.config, env: io.env });
        const { name, environment } = joinCluster(config, readFileSync(file === '-' ? 0 : file, 'utf8'));
        if (options.json) print(io.stdout, JSON.stringify({ ok: true, name, environment }));
        else {
          print(io.stdout, `this node is ${name}; its settings are in ${environment}`);
          print(
            io.stdout,
            `Next: start the daemon with them (systemd reads them by itself), or: set -a; . ${environment}; waypost serve`,
          );
        }
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
        await removeMember(loadConfig({ file: options.config, env: io.env }), name, options.force === true);
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
        const status = await clusterStatus(loadConfig({ file: options.config, env: io.env }));
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

const mebibytes = (octets: number): string => `${(octets / 2 ** 20).toFixed(1)} MiB`;

function* shown({ head, floor, nodes, etcd }: ClusterStatus): Iterable<string> {
  yield `the log ends at change ${head}, and reaches back to ${floor}`;
  if (etcd !== null) yield* shownStorage(etcd);
  const width = Math.max(4, ...nodes.map(({ name }) => name.length));
  for (const { name, address, version, isLive, applied } of nodes) {
    const behind = applied === null ? 'does not answer' : applied >= head ? 'has all' : `${head - applied} behind`;
    yield `  ${name.padEnd(width)}  ${isLive ? 'serves' : 'is not waited for'}, ${behind} (${address}, version ${version})`;
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
