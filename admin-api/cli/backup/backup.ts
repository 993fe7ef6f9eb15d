/** `waypost backup`: makes, lists, checks and restores backups, and exports the secret key. */
import type { Command } from 'commander';
import { openSecrets } from '../../../core/base/secrets.ts';
import {
  deleteExpired,
  listBackups,
  listSegments,
  makeBackup,
  verifyBackup,
} from '../../../core/cluster/backup/backups.ts';
import { encryptionOf } from '../../../core/cluster/backup/encryption.ts';
import { describeOwner, nameOwnHistory, readOwner, requireOwnHistory } from '../../../core/cluster/backup/history.ts';
import { type Backup, secretKeysOf } from '../../../core/cluster/backup/names.ts';
import { openTarget } from '../../../core/cluster/backup/open-target.ts';
import { chooseBackup } from '../../../core/cluster/backup/restore.ts';
import { positionAfter, type Segment, segmentsAfter } from '../../../core/cluster/backup/segments.ts';
import { loadConfig, secretKeyFile } from '../../../core/config/index.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { print } from '../base/io.ts';
import { byteReporter, megabytes } from '../base/progress-bytes.ts';
import { type Columns, Table } from '../base/table.ts';
import { addKeyCommands } from './key.ts';
import { addRestoreCommands, identitiesFor } from './restore.ts';

const COLUMNS: Columns<Backup & { readonly reaches: ReturnType<typeof reachOf> }> = {
  NAME: 'name',
  MADE: ({ made }) => made.slice(0, 19),
  CHANGE: 'sequence',
  MB: ({ size }) => megabytes(size),
  ENCRYPTED: ({ encrypted }) => encrypted?.with ?? 'no',
  KEYS: (backup) => secretKeysOf(backup).join(' ') || '-',
  REACHES: ({ reaches }) => reaches.time.slice(0, 19),
};

export function addBackupCommands(program: Command, context: CommandContext): void {
  const { io, action } = context;
  const group = program
    .command('backup')
    .description('make, list, check and restore backups of the data')
    .addHelpText(
      'after',
      `
The place of the backups is the setting backup.folder, or backup.s3_bucket with its settings. The daemon makes backups by itself when
one of them is set. All these commands work without the daemon, and next to it.
`,
    );

  group
    .command('now')
    .description('make a backup now, next to the scheduled ones')
    .addHelpText('after', '\nExample:\n  $ waypost backup now\n')
    .action(
      action(async (options) => {
        const config = loadConfig({ file: options.config, env: io.env });
        const target = await openTarget(config.backup);
        const secrets = openSecrets(secretKeyFile(config));
        const encryption = await encryptionOf(config.backup, secrets);
        // With two keys, the daemon may not have encrypted everything with the first one yet.
        const oldest = secrets.keyIds[secrets.keyIds.length - 1];
        const onProgress = byteReporter(io.stderr, 'written');
        const writer = { config, target, version: io.build.version };
        await requireOwnHistory(writer);
        const made = await makeBackup({ ...writer, encryption, secretKeyId: oldest, onProgress });
        await nameOwnHistory(writer, made);
        const deleted = await deleteExpired(target, config.backup);
        if (options.json) print(io.stdout, JSON.stringify({ ok: true, ...made, deleted }));
        else {
          print(
            io.stdout,
            `${made.name} holds everything up to change ${made.sequence} (${megabytes(made.size)} MB), in ${target.description}`,
          );
          if (deleted.backups > 0) print(io.stdout, `deleted ${deleted.backups} expired backups`);
        }
        return true;
      }),
    );

  group
    .command('list')
    .description('list the backups, and to which moment a restore can go')
    .addHelpText('after', '\nExample:\n  $ waypost backup list\n')
    .action(
      action(async (options) => {
        const config = loadConfig({ file: options.config, env: io.env });
        const target = await openTarget(config.backup);
        const all = await listBackups(target);
        const segments = await listSegments(target);
        const shown = all.map((backup) => ({ ...backup, reaches: reachOf(backup, segments) }));
        if (shown.length === 0 && !options.json)
          print(io.stdout, `there are no backups in ${target.description}; make one with "waypost backup now"`);
        await new Table(io.stdout, COLUMNS, options.json === true).write(shown);
        const owner = await readOwner(target);
        if (owner !== null) print(io.stderr, `they are of ${describeOwner(owner)}`);
        return true;
      }),
    );

  group
    .command('claim')
    .description('let this installation write to backups of another one, which it replaces')
    .addHelpText(
      'after',
      `
Backups name the history of changes that writes them. The daemon refuses to write to those of another history, and a restored copy is
one. Stop the other installation first: it refuses to write as soon as this one has claimed its backups.

Example:
  $ waypost backup claim
`,
    )
    .action(
      action(async (options) => {
        const config = loadConfig({ file: options.config, env: io.env });
        const target = await openTarget(config.backup);
        const before = await readOwner(target).catch(() => null);
        const owner = await nameOwnHistory({ config, target, version: io.build.version });
        if (owner === null)
          throw new CliError('no_history', 'The data has no id of its history yet.', {
            next: 'start the daemon once with this place of backups, then run the command again',
          });
        if (options.json) print(io.stdout, JSON.stringify({ ok: true, ...owner, before }));
        else {
          if (before !== null && before.history !== owner.history)
            print(io.stdout, `they were of ${describeOwner(before)}`);
          print(io.stdout, `the backups in ${target.description} are now those of history ${owner.history}`);
          print(io.stdout, 'Next: waypost backup now');
        }
        return true;
      }),
    );

  group
    .command('verify')
    .argument('[name]', 'the backup (default: the latest)')
    .option('--all', 'all backups')
    .option('--identity <file>', 'file with an identity of age ("AGE-SECRET-KEY-…")')
    .description('read a backup whole and check all its checksums')
    .addHelpText('after', '\nExamples:\n  $ waypost backup verify\n  $ waypost backup verify --all\n')
    .action(
      action<{ all?: boolean; identity?: string }>(async (options, [name]) => {
        const config = loadConfig({ file: options.config, env: io.env });
        const target = await openTarget(config.backup);
        const all = await listBackups(target);
        const chosen = options.all ? all : [chooseBackup(all, name, null)];
        for (const backup of chosen) {
          const identities = await identitiesFor(config, options.identity, backup);
          const head = await verifyBackup(target, backup, identities);
          if (options.json) print(io.stdout, JSON.stringify({ ok: true, name: backup.name, sequence: head.sequence }));
          else print(io.stdout, `${backup.name} is whole: everything up to change ${head.sequence}`);
        }
        return true;
      }),
    );

  addRestoreCommands(group, context);
  addKeyCommands(group, context);
}

/** The last moment and change to which a restore of a backup can go. */
function reachOf(backup: Backup, segments: readonly Segment[]): { time: string; sequence: number } {
  const chain = segmentsAfter(segments, backup);
  const last = chain.at(-1);
  return {
    time: last === undefined ? backup.made : new Date(Math.max(last.lastTime, Date.parse(backup.made))).toISOString(),
    sequence: positionAfter(chain, backup).sequence,
  };
}
