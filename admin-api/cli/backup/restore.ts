/** `waypost backup restore` and `drill`. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { openSecrets, secretKeyId } from '../../../core/base/secrets.ts';
import { checkRoom, type Identities, listBackups } from '../../../core/cluster/backup/backups.ts';
import { type CheckedStore, checkStore, livePosition } from '../../../core/cluster/backup/drill.ts';
import { identitiesOf } from '../../../core/cluster/backup/encryption.ts';
import type { Backup } from '../../../core/cluster/backup/names.ts';
import { openTarget } from '../../../core/cluster/backup/open-target.ts';
import { chooseBackup, type RestoredBackup, restoreBackup } from '../../../core/cluster/backup/restore.ts';
import { markRestored } from '../../../core/cluster/installation.ts';
import { type Config, loadConfig, secretKeyFile } from '../../../core/config/index.ts';
import { makeFolder } from '../../../core/store/folder.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { print } from '../base/io.ts';
import { byteReporter } from '../base/progress-bytes.ts';

/** A drill needs disk space for the download, the restored store, and its recompiled answers. */
const DRILL_COPIES = 3;

/** The keys that may decrypt a backup. Throws CliError `no_key`, ConfigError `bad_key_file`. */
export async function identitiesFor(
  config: Config,
  file: string | undefined,
  backup: Pick<Backup, 'encrypted'>,
): Promise<Identities> {
  const own = file === undefined ? [] : readIdentities(file);
  const keyFile = secretKeyFile(config);
  // A missing key file must not be created here: the new key would decrypt nothing.
  if (secretKeyId(keyFile) !== undefined) return [...own, ...(await identitiesOf(openSecrets(keyFile)))];
  if (own.length === 0 && backup.encrypted !== null)
    throw new CliError('no_key', `${keyFile} does not exist, and the backup is encrypted.`, {
      next: 'put the exported key there (waypost backup import-key FILE), or use --identity FILE',
    });
  return own;
}

function readIdentities(file: string): string[] {
  const identities = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('AGE-SECRET-KEY-'));
  if (identities.length === 0)
    throw new CliError('no_identity', `${file} contains no line that begins with AGE-SECRET-KEY-.`);
  return identities;
}

interface RestoreCommandOptions {
  readonly until?: string;
  readonly journal?: string[];
  readonly replace?: boolean;
  readonly onlyBackup?: boolean;
  readonly identity?: string;
  readonly newKey?: boolean;
}

export function addRestoreCommands(backup: Command, { io, action }: CommandContext): void {
  backup
    .command('restore')
    .argument('[name]', 'the backup (default: the latest, or the latest before --until)')
    .option('--until <time>', 'go forward to this time and no further (ISO 8601, such as 2030-01-31T12:00:00Z)')
    .option('--journal <path...>', 'data folder, or file of a store, whose journal has later changes')
    .option('--only-backup', 'restore the backup alone, without the changes that were copied after it')
    .option('--replace', 'replace existing data; it is kept in a file next to the new data')
    .option('--identity <file>', 'file with an identity of age ("AGE-SECRET-KEY-…")')
    .option('--new-key', 'restore without the secret key: private keys in the data are lost')
    .description('restore a backup into the data folder, and go forward from it; the daemon must be stopped')
    .addHelpText(
      'after',
      `
Everything is checked before the data folder is touched. After the backup come the changes that were copied at the interval of
backup.journal_interval, and then those in the journals of --journal, for example the data folder of a node that survived. For a
cluster restore one node, begin a new log with its data (waypost cluster init), and let the others copy it.

Examples:
  $ waypost backup restore
  $ waypost backup restore --until 2030-01-31T12:00:00Z --replace
  $ waypost backup restore --journal /mnt/node-3/waypost
`,
    )
    .action(
      action<RestoreCommandOptions>(async (options, [name]) => {
        const config = loadConfig({ file: options.config, env: io.env });
        const until = parseTime(options.until);
        const target = await openTarget(config.backup);
        const chosen = chooseBackup(await listBackups(target), name, until);
        const identities = await identitiesFor(config, options.identity, chosen);
        const keyFile = secretKeyFile(config);
        if (secretKeyId(keyFile) === undefined && options.newKey !== true)
          throw new CliError('no_key', `${keyFile} does not exist: private keys in the data could not be decrypted.`, {
            next: 'put the exported key there (waypost backup import-key FILE), or use --new-key',
          });
        const restored = await restoreBackup({
          config,
          target,
          backup: chosen,
          identities,
          until,
          isForward: options.onlyBackup !== true,
          journals: (options.journal ?? []).map((path) => resolve(path)),
          replaces: options.replace === true,
          onProgress: byteReporter(io.stderr, 'read'),
        });
        if (isCopy(restored, until)) await markRestored(config, { from: chosen.name, sequence: restored.sequence });
        if (options.json) print(io.stdout, JSON.stringify({ ok: true, ...restored }));
        else for (const line of restoredLines(restored, config, until)) print(io.stdout, line);
        return true;
      }),
    );

  backup
    .command('drill')
    .argument('[name]', 'the backup (default: the latest)')
    .option('--folder <folder>', 'where the temporary folder is created (default: the data folder)')
    .option('--identity <file>', 'file with an identity of age ("AGE-SECRET-KEY-…")')
    .description('restore a backup into a temporary folder, check every row and answer, and remove it')
    .addHelpText(
      'after',
      `
The daemon may run. All rows are decoded, all answers are compiled again and compared with the stored ones, and the encrypted values
are decrypted with the secret key. The exit code is 1 if anything is wrong.

Example:
  $ waypost backup drill
`,
    )
    .action(
      action<{ folder?: string; identity?: string }>(async (options, [name]) => {
        const config = loadConfig({ file: options.config, env: io.env });
        const target = await openTarget(config.backup);
        const chosen = chooseBackup(await listBackups(target), name, null);
        const identities = await identitiesFor(config, options.identity, chosen);
        const started = performance.now();
        const parent = options.folder ?? config.dataDir;
        makeFolder(parent);
        await checkRoom(parent, DRILL_COPIES * chosen.size, config.protection.diskReserve);
        const folder = mkdtempSync(join(parent, `drill-${process.pid}-`));
        try {
          const placed = inFolder(config, folder);
          const restored = await restoreBackup({
            config: placed,
            target,
            backup: chosen,
            identities,
            until: null,
            isForward: true,
            journals: [],
            replaces: false,
            onProgress: byteReporter(io.stderr, 'read'),
          });
          const restoreSeconds = secondsSince(started);
          const checked = await checkStore(placed);
          const report = {
            name: chosen.name,
            made: chosen.made,
            applied: restored.applied,
            restoreSeconds,
            seconds: secondsSince(started),
            ...checked,
            live: await livePosition(config),
          };
          const isGood = checked.unsealable === 0;
          if (options.json) print(io.stdout, JSON.stringify({ ok: isGood, ...report }));
          else for (const line of drillLines(report)) print(io.stdout, line);
          return isGood;
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      }),
    );
}

/** Otherwise the node continues the history of the other nodes. */
const isCopy = ({ log }: Pick<RestoredBackup, 'log'>, until: number | null): boolean =>
  log !== 'goes on' || until !== null;

/** Of a copy, next to which the original may run. */
export const PAUSED =
  'Webhooks, request logs and NOTIFY are paused. If this copy replaces the original: waypost deliveries resume, and waypost backup claim.';

const secondsSince = (started: number): number => Math.round((performance.now() - started) / 100) / 10;

/** Null: no time. Throws CliError `bad_time`. */
function parseTime(text: string | undefined): number | null {
  if (text === undefined) return null;
  const time = Date.parse(text);
  // Without a UTC offset, the time would silently be local time.
  if (Number.isNaN(time) || !/(Z|[+-]\d\d:\d\d)$/i.test(text))
    throw new CliError('bad_time', `"${text}" is not a time with a zone; use a time such as 2030-01-31T12:00:00Z.`);
  return time;
}

/** Copies the configuration for another data folder: no cluster, the same secret key. */
const inFolder = (config: Config, folder: string): Config => ({
  ...config,
  dataDir: folder,
  etcd: { ...config.etcd, endpoints: [] },
  secrets: { ...config.secrets, keyFile: secretKeyFile(config) },
});

function* restoredLines(
  { backup, kept, log, sequence, lastChange, applied }: RestoredBackup,
  { dataDir, etcd }: Config,
  until: number | null,
): Iterable<string> {
  yield `${dataDir} holds everything up to change ${sequence}: the backup of ${backup.node} at ${backup.made}${
    applied > 0 ? `, and ${applied} changes up to ${lastChange}` : ''
  }`;
  if (kept !== null) yield `The previous data is in ${kept}: remove it when you no longer need it.`;
  if (isCopy({ log }, until)) yield PAUSED;
  if (log === 'none') yield 'Next: start the daemon.';
  else if (log === 'empty') {
    yield `etcd has no log under ${etcd.prefix} yet. Next, start the log with this data: waypost cluster init`;
  } else if (until === null) yield 'Next: start the daemon; it catches up with the other nodes.';
  else
    yield `The log in etcd goes on after that time, and a daemon would follow it. To reset the whole cluster, stop all nodes, set another etcd.prefix on all of them, and start a new log with this data: waypost cluster init`;
}

interface DrillReport extends CheckedStore {
  readonly name: string;
  readonly made: string;
  readonly applied: number;
  readonly restoreSeconds: number;
  readonly seconds: number;
  readonly live: number | null;
}

function* drillLines(report: DrillReport): Iterable<string> {
  const { name, made, applied, sequence, rows, answers, areAnswersCompared, sealed, unsealable, live } = report;
  yield `restored ${name} of ${made} in ${report.restoreSeconds} s, and went forward by ${applied} changes to change ${sequence}`;
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  const tables = Object.entries(rows).map(([table, count]) => `${count} ${table}`);
  yield `all ${total} rows are well-formed: ${tables.join(', ')}`;
  yield areAnswersCompared
    ? `all ${answers} answers are the same as those compiled from the rows`
    : `compiled ${answers} answers from the rows (the stored ones were made by another version or with other settings)`;
  if (unsealable > 0)
    yield `the secret key does not decrypt ${unsealable} of ${sealed} encrypted values: find the secret.key with which they were made`;
  else yield `the secret key decrypts all ${sealed} encrypted values`;
  if (live !== null)
    yield `this node is at change ${live}: ${Math.max(0, live - sequence)} changes are in no backup yet`;
  yield `the drill took ${report.seconds} s, and its folder is removed`;
}
