/** `waypost downgrade-check`: whether an earlier version can use the data, and the losses. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { loadConfig } from '../../../core/config/index.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { print, safeJson } from '../base/io.ts';

const VERSION = /^\d+\.\d+(?:\.\d+)?$/;

export function addDowngradeCommand(program: Command, { io, action }: CommandContext): void {
  program
    .command('downgrade-check')
    .option('--to <version>', 'the version to go back to', '0.1')
    .description('check whether an earlier version reads the data')
    .addHelpText(
      'after',
      `
Nothing is changed, and the daemon may run. The exit code is 1 if the version cannot read the store as it is.

Example:
  $ sudo waypost downgrade-check --to 0.1
`,
    )
    .action(
      action<{ readonly to: string }>(async (options) => {
        const { to: version } = options;
        if (!VERSION.test(version))
          throw new CliError('invalid_version', `"${version}" is not a version.`, {
            next: 'Write it as 0.1 or 0.1.0.',
          });
        const { dataDir } = loadConfig({ file: options.config, env: io.env });
        const [{ levelOfVersion }, { STORE_FILE }, { BEFORE_MIGRATION }, { formatOf, readStoreInfo }] =
          await Promise.all([
            import('../../../core/journal/feature-level.ts'),
            import('../../../core/store/environment.ts'),
            import('../../../core/store/migrate/migrate.ts'),
            import('../../../core/store/migrate/store-info.ts'),
          ]);
        const file = join(dataDir, STORE_FILE);
        const before = join(dataDir, BEFORE_MIGRATION);
        const [now, earlier] = [await readStoreInfo(file), await readStoreInfo(before)];
        if (now === null)
          throw new CliError('no_store', `There is no store in ${dataDir}.`, {
            next: 'Name the configuration of the node with --config.',
          });
        const readable = formatOf(version);
        const level = levelOfVersion(version);
        const canRead = now.format === readable && now.level <= level;
        const isKept = earlier !== null && earlier.format === readable && earlier.level <= level;
        const lost = isKept ? now.sequence - earlier.sequence : null;
        if (options.json)
          print(
            io.stdout,
            safeJson({
              ok: canRead,
              version,
              format: now.format,
              reads: readable,
              level: now.level,
              reads_level: level,
              kept: isKept ? before : null,
              lost,
            }),
          );
        else if (canRead)
          print(
            io.stdout,
            `Waypost ${version} reads this store as it is (format ${now.format}, feature level ${now.level}).`,
          );
        else {
          print(
            io.stdout,
            now.format === readable
              ? `Waypost ${version} does not read all of this store: it has data of feature level ${now.level}, that version reads level ${level}.`
              : `Waypost ${version} does not read this store: it has format ${now.format}, that version reads format ${readable}.`,
          );
          for (const line of isKept
            ? [
                `The store from before the upgrade is kept. To go back loses ${lost} changes that were made since ${new Date(earlier.writtenAt).toISOString()}:`,
                '  sudo systemctl stop waypost',
                `  sudo mv ${file} ${file}.newer`,
                `  sudo mv ${before} ${file}`,
                'Then install the earlier version and start it.',
              ]
            : [
                'No store of that version is kept here. To go back, export the zones ("waypost zone export") and import them there,',
                'or restore a backup that the earlier version made.',
              ])
            print(io.stdout, line);
        }
        return canRead;
      }),
    );
}
