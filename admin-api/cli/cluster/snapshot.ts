/** `waypost cluster snapshot` and `restore`. */
import type { Command } from 'commander';
import { markRestored } from '../../../core/cluster/installation.ts';
import { type Restored, restoreSnapshot, writeSnapshot } from '../../../core/cluster/snapshot-file.ts';
import { loadConfig, secretKeyFile } from '../../../core/config/index.ts';
import { PAUSED } from '../backup/restore.ts';
import type { CommandContext } from '../base/command.ts';
import { print } from '../base/io.ts';
import { byteReporter, megabytes } from '../base/progress-bytes.ts';

export function addSnapshotCommands(cluster: Command, { io, action }: CommandContext): void {
  cluster
    .command('snapshot')
    .argument('<file>', 'the file to write; it must not exist yet')
    .description("write a consistent snapshot of this node's data to a file; the daemon can keep running")
    .addHelpText(
      'after',
      `
For a cluster, a snapshot of any one node is enough. A snapshot does not contain the secret key, which encrypts private keys,
or the certificates of the nodes. Keep copies of secret.key and of the folder "cluster" in the data folder, apart from the snapshots.

Example:
  $ waypost cluster snapshot /backup/waypost-$(date +%F).snapshot
`,
    )
    .action(
      action(async (options, [file]) => {
        const config = loadConfig({ file: options.config, env: io.env });
        const { head, missing } = await writeSnapshot(
          config,
          file,
          io.build.version,
          byteReporter(io.stderr, 'written'),
        );
        const key = secretKeyFile(config);
        if (options.json) print(io.stdout, JSON.stringify({ ok: true, file, ...head, missing }));
        else {
          const { count, size } = head.blobs;
          const files = count === 1 ? 'one file' : `${count} files`;
          print(
            io.stdout,
            `${file} holds everything up to change ${head.sequence}, and ${files} of packages (${megabytes(head.size + size)} MB)`,
          );
          if (missing > 0)
            print(
              io.stdout,
              `${missing} more files of packages are missing on this node and in the snapshot. In a cluster, a node fetches missing files within minutes.`,
            );
          print(io.stdout, `The snapshot does not contain the secret key: keep a copy of ${key} elsewhere.`);
        }
        return true;
      }),
    );

  cluster
    .command('restore')
    .argument('<file>', 'a file from "waypost cluster snapshot"')
    .option('--force', 'replace existing data; a copy of it is kept in a file next to it')
    .description("replace this node's data with a snapshot; the daemon must be stopped")
    .addHelpText(
      'after',
      `
If only etcd has lost its data, no snapshot is needed: run "waypost cluster init" on the node with the latest change; it starts a new
log with the data of that node. To restore a whole cluster:
  1. stop all nodes, and empty etcd or choose another etcd.prefix for all nodes
  2. on one of them: waypost cluster restore FILE --force && waypost cluster init
  3. on the others:  waypost cluster restore FILE --force
  4. start the first of them, then the others
Secondaries keep their copy of a zone until its next change, which gives the zone a serial higher than any before.

Example:
  $ waypost cluster restore /backup/waypost-2030-01-01.snapshot
`,
    )
    .action(
      action<{ force?: boolean }>(async (options, [file]) => {
        const config = loadConfig({ file: options.config, env: io.env });
        const restored = await restoreSnapshot(config, file, options.force === true, byteReporter(io.stderr, 'read'));
        const { head, log } = restored;
        if (log !== 'goes on') await markRestored(config, { from: head.node, sequence: head.sequence });
        if (options.json) print(io.stdout, JSON.stringify({ ok: true, ...restored }));
        else for (const line of restoredLines(restored, config.dataDir, config.etcd.prefix)) print(io.stdout, line);
        return true;
      }),
    );
}

function* restoredLines({ head, kept, log }: Restored, dataDir: string, prefix: string): Iterable<string> {
  yield `${dataDir} holds everything up to change ${head.sequence}, from the snapshot of ${head.node} at ${head.made}`;
  if (kept !== null) yield `The previous data is in ${kept}: remove it when you no longer need it.`;
  if (log !== 'goes on') yield PAUSED;
  if (log === 'empty') {
    yield `etcd has no log under ${prefix} yet. Next, start the log with this data: waypost cluster init`;
    yield 'Then restore the same file on the other nodes, and start all nodes.';
  } else if (log === 'goes on') yield 'Next: start the daemon; it catches up with the other nodes.';
  else yield 'Next: start the daemon with the secret.key of the node that wrote the snapshot.';
}
