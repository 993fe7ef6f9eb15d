/** `waypost check-config`: prints and checks the configuration. */
import type { Command } from 'commander';
import {
  type ClearText,
  clearTextOf,
  type Placeholder,
  placeholdersOf,
  type ResolvedSetting,
  resolveConfig,
} from '../../../core/config/index.ts';
import type { CommandContext } from '../base/command.ts';
import { type GlobalOptions, print } from '../base/io.ts';

const HIDDEN = '(set, not shown)';

export function addConfigCommands(program: Command, { io, action }: CommandContext): void {
  program
    .command('check-config')
    .description('print the configuration, or every error in it')
    .option('--quiet', 'print only errors and warnings')
    .option('--bind', 'also bind each address for a moment; the daemon must not run')
    .addHelpText(
      'after',
      `
The checks are those of a start, with all files that the settings name. Run it as the user of the daemon.
Each line shows a setting, its value and the source of the value. Warnings, such as secrets
that cross the network in the clear or names that only suit a trial, go to standard error. The exit code is 1 if there is an error.

Examples:
  $ waypost check-config --config config/waypost.toml
  $ WAYPOST_DNS_WORKERS=2 waypost check-config --json
  $ sudo -u waypost waypost check-config --bind
`,
    )
    .action(
      action(async (options: GlobalOptions & { readonly quiet?: boolean; readonly bind?: boolean }) => {
        const { config, settings } = resolveConfig({ file: options.config, env: io.env });
        await io.checkStart(config, { bind: options.bind === true });
        const warnings = [
          ...clearTextOf(config).map(describeClearText),
          ...placeholdersOf(config).map(describePlaceholder),
        ];
        if (!options.json || options.quiet === true) for (const text of warnings) print(io.stderr, `warning: ${text}`);
        if (options.quiet === true) return true;
        if (options.json) {
          const rows = settings.map(({ key, env, origin, ...setting }) => ({
            key,
            value: shownValue(setting),
            origin,
            env,
            reloadable: setting.setting.isReloadable === true,
          }));
          print(io.stdout, JSON.stringify({ ok: true, settings: rows, warnings }));
          return true;
        }
        const width = Math.max(...settings.map(({ key }) => key.length));
        for (const row of settings) {
          const origin = row.origin === 'environment' ? row.env : row.origin;
          print(io.stdout, `${row.key.padEnd(width)} = ${shown(row)}  # ${origin}`);
        }
        return true;
      }),
    );
}

const describeClearText = ({ key, value, risk, next }: ClearText): string =>
  `${key} = ${value} is without TLS. ${risk} ${next}`;

const describePlaceholder = ({ key, values, problem, next }: Placeholder): string =>
  `${key} = ${values.join(', ') || '[]'}. ${problem} ${next}`;

type Valued = Pick<ResolvedSetting, 'setting' | 'value'>;

function shownValue({ setting, value }: Valued): unknown {
  if (value === undefined) return null;
  return setting.secret ? HIDDEN : value;
}

function shown({ setting, value }: Valued): string {
  if (value === undefined) return `(${setting.standardText})`;
  return setting.secret ? HIDDEN : setting.kind.toToml(value);
}
