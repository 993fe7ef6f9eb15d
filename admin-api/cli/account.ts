import { randomBytes } from 'node:crypto';
import { type Command, Option } from 'commander';
import { escapeControls } from '../../core/log/index.ts';
import { asObject, withClient } from './client.ts';
import { type CliIo, print } from './io.ts';
import { askPassword, passwordFromStdin } from './password.ts';
import type { CommandContext } from './run.ts';

interface AddOptions {
  readonly email?: string;
  readonly role: string;
  readonly plan: string;
  readonly passwordStdin?: boolean;
  readonly randomPassword?: boolean;
}

export function addAccountCommands(program: Command, { io, action }: CommandContext): void {
  program
    .command('account')
    .description('accounts of the service; needs a token of an administrator')
    .command('add')
    .description('create an account; asks for its password')
    .argument('<username>')
    .option('--email <address>', 'e-mail address, which can also be used to log in')
    .addOption(new Option('--role <role>', 'what it may do').choices(['admin', 'user', 'viewer']).default('user'))
    .addOption(new Option('--plan <plan>', 'how many zones').choices(['free', 'pro', 'unlimited']).default('free'))
    .option('--password-stdin', 'read the password from the first line of standard input')
    .addOption(new Option('--random-password', 'make a password and print it once').conflicts('passwordStdin'))
    .addHelpText(
      'after',
      `
Examples:
  $ waypost account add alice --email alice@example.net --plan pro
  $ waypost account add bob --role viewer --random-password
  $ pass show waypost/carol | waypost account add carol --password-stdin
`,
    )
    .action(
      action<AddOptions>((options, [username]) =>
        withClient(io, options, async (client) => {
          const password = await choosePassword(io, username, options);
          const { email, role, plan } = options;
          const body = await client.json({
            method: 'POST',
            path: '/api/v1/accounts',
            json: { username, email, password, role, plan },
          });
          const account = asObject(body.account) ?? {};
          const made = options.randomPassword ? password : undefined;
          if (options.json) print(io.stdout, JSON.stringify({ ok: true, account, password: made }));
          else {
            print(
              io.stdout,
              escapeControls(`created account ${username} (id ${String(account.id)}, ${role}, ${plan})`),
            );
            if (made !== undefined) print(io.stdout, `password: ${made}`);
          }
          return true;
        }),
      ),
    );
}

async function choosePassword(io: CliIo, username: string, options: AddOptions): Promise<string> {
  if (options.passwordStdin) return passwordFromStdin(io);
  // 120 bits: 20 characters of the base64url alphabet.
  if (options.randomPassword) return randomBytes(15).toString('base64url');
  return askPassword(
    io,
    `Password of the new account ${escapeControls(username)}: `,
    'Pass --password-stdin or --random-password.',
  );
}
