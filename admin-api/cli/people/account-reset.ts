/** `waypost account reset`: a new password for an account, next to the data folder. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ConfigError } from '../../../core/base/errors.ts';
import { escapeControls } from '../../../core/base/log/index.ts';
import { randomPassword } from '../../../core/base/random-password.ts';
import { loadConfig } from '../../../core/config/index.ts';
import type { CommandContext } from '../base/command.ts';
import { CliError } from '../base/errors.ts';
import { type GlobalOptions, print, safeJson } from '../base/io.ts';
import { passwordFromStdin } from '../base/password.ts';
import { withNextStep } from '../cluster/settings.ts';

interface ResetOptions extends GlobalOptions {
  readonly passwordStdin?: boolean;
  readonly factors?: boolean;
}

export function addAccountReset(group: Command, { io, action }: CommandContext): void {
  group
    .command('reset <login>')
    .description('set a new password without signing in, in the data folder; the daemon must be stopped')
    .option('--password-stdin', 'read the password from the first line of standard input; otherwise it is generated')
    .option('--factors', 'also remove the one-time codes and passkeys of the account')
    .addHelpText(
      'after',
      `
For an operator who has lost the password, such as that of the only administrator. Run it as root or as the user of the daemon.
The sessions of the account end; its tokens stay valid. In a cluster, one node is enough: all nodes get the change.

Examples:
  $ systemctl stop waypost && waypost account reset admin; systemctl start waypost
  $ pass show waypost/admin | WAYPOST_DATA_DIR=/var/lib/waypost waypost account reset admin --password-stdin
`,
    )
    .action(
      action<ResetOptions>(async (options, [login]) => {
        const config = loadConfig({ file: options.config, env: io.env });
        const dataDir = resolve(config.dataDir);
        const generated = options.passwordStdin ? undefined : randomPassword();
        const password = generated ?? (await passwordFromStdin(io));
        const { checkPassword, resetPassword } = await import('../../people/accounts/reset.ts');
        checkPassword(password);
        const { withOfflineNode } = await import('../../../core/cluster/offline.ts');
        const removesFactors = options.factors === true;
        const { result, isShared } = await withOfflineNode({ ...config, dataDir }, async (node) => ({
          result: await resetPassword(node, { login, password, removesFactors }),
          isShared: node.isShared,
        })).catch((error: unknown) => {
          throw error instanceof ConfigError && error.code === 'data_dir_in_use'
            ? daemonRuns(error)
            : withNextStep(error);
        });
        const { account, sessionsEnded, factorsRemoved, hasFactors } = result;
        const { username, apiEnabled } = account;
        if (options.json) {
          const factors_removed = factorsRemoved ?? undefined;
          print(
            io.stdout,
            safeJson({ ok: true, username, password: generated, sessions_ended: sessionsEnded, factors_removed }),
          );
          return true;
        }
        print(
          io.stdout,
          `set a new password for account ${escapeControls(username)} in ${dataDir}${isShared ? ' and its cluster' : ''}; ended ${sessionsEnded} sessions`,
        );
        if (generated !== undefined) print(io.stdout, `password: ${generated}`);
        if (hasFactors) print(io.stderr, 'The account still has second factors; if they are lost, pass --factors too.');
        if (!apiEnabled)
          print(
            io.stderr,
            'The account is off: another administrator can turn it on with "waypost account set --api on".',
          );
        return true;
      }),
    );
}

const daemonRuns = ({ message }: ConfigError): CliError =>
  new CliError('data_dir_in_use', message, {
    next: 'Stop the daemon and run the command again; or let another administrator run "waypost account set NAME --random-password" while it runs.',
  });
