import { join } from 'node:path';
import type { Command } from 'commander';
import { type Restored, restoreSnapshot, writeSnapshot } from '../../core/cluster/snapshot-file.ts';
import { loadConfig } from '../../core/config/index.ts';
import type { CommandContext } from './command.ts';
import { type Output, print } from './io.ts';

/** Milliseconds between words of progress. */
const EVERY = 2000;

export function addSnapshotCommands(cluster: Command, { io, action }: CommandContext): void {
  cluster
    .command('snapshot')
    .argument('<file>', 'to write; must not be there yet')
    .description("write this node's data to a file, as it is at one moment; the daemon may run")
    .addHelpText(
      'after',
      `
For one node, and for a cluster, where one of any node is enough. The secret key, with which private keys are encrypted, is not in it, nor are the
certificates of the nodes: keep copies of secret.key and of the folder cluster in the data folder, elsewhere than the snapshots.

Example:
  $ waypost cluster snapshot /backup/waypost-$(date +%F).snapshot
`,
    )
    .action(
      action(async (options, [file]) => {
        const config = loadConfig({ file: options.config, env: io.env });
        const { head, missing } = await writeSnapshot(config, file, io.version, shown(io.stderr, 'written'));
        const key = config.secrets.keyFile ?? join(config.dataDir, 'secret.key');
        if (options.json) print(io.stdout, JSON.stringify({ ok: true, file, ...head, missing }));
        else {
          const { count, size } = head.blobs;
          const packages = count === 1 ? 'one package' : `${count} packages`;
          print(
            io.stdout,
            `${file} holds all up to change ${head.sequence}, and ${packages} (${megabytes(head.size + size)} MB)`,
          );
          if (missing > 0)
            print(
              io.stdout,
              `Not on this node, and so not in it: ${missing} more. In a cluster a node gets what it lacks from the others within minutes.`,
            );
          print(io.stdout, `The secret key is not in it: keep a copy of ${key}, elsewhere.`);
        }
        return true;
      }),
    );

  cluster
    .command('restore')
    .argument('<file>', 'that "waypost cluster snapshot" has written')
    .option('--force', 'also where there is data, which is kept in a file beside')
    .description("put a snapshot in the place of this node's data; the daemon must be stopped")
    .addHelpText(
      'after',
      `
A cluster whose nodes have their data needs no snapshot when etcd has lost its own: "waypost cluster init", on the node that is furthest, begins a new
log with what that one has. To take a whole cluster back:
  1. stop all nodes, and empty etcd or choose another etcd.prefix for all
  2. on one of them: waypost cluster restore FILE --force && waypost cluster init
  3. on the others:  waypost cluster restore FILE --force
  4. start them
Secondaries keep what they have of a zone until its next change, which gives it a serial higher than any before.

Example:
  $ waypost cluster restore /backup/waypost-2030-01-01.snapshot
`,
    )
    .action(
      action<{ force?: boolean }>(async (options, [file]) => {
        const config = loadConfig({ file: options.config, env: io.env });
        const restored = await restoreSnapshot(config, file, options.force === true, shown(io.stderr, 'read'));
        if (options.json) print(io.stdout, JSON.stringify({ ok: true, ...restored }));
        else for (const line of told(restored, config.dataDir, config.etcd.prefix)) print(io.stdout, line);
        return true;
      }),
    );
}

function* told({ head, kept, log }: Restored, dataDir: string, prefix: string): Iterable<string> {
  yield `${dataDir} holds all up to change ${head.sequence}, as ${head.node} had it at ${head.made}`;
  if (kept !== null) yield `What it held before is in ${kept}: remove that when you do not need it any more.`;
  if (log === 'empty') {
    yield `etcd holds no log below ${prefix} yet. Next, to begin it with this data: waypost cluster init`;
    yield 'Then restore the same file on the other nodes, and start all.';
  } else if (log === 'goes on') yield 'Next: start the daemon; it catches up with the others.';
  else yield 'Next: start the daemon, with the secret.key of the node that the snapshot is of.';
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1e6);

/** A line now and then, of work that lasts. */
function shown(output: Output, done: string): (bytes: number, size: number) => void {
  let last = performance.now();
  return (bytes, size) => {
    if (performance.now() - last < EVERY) return;
    last = performance.now();
    print(output, `${megabytes(bytes)} of ${megabytes(size)} MB ${done}`);
  };
}
