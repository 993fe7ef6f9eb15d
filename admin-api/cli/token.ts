import { hostname } from 'node:os';
import type { Command } from 'commander';
import { escapeControls } from '../../core/log/index.ts';
import { type ApiClient, asText, type Json, withClient } from './client.ts';
import { CliError } from './errors.ts';
import { type CliIo, type GlobalOptions, print } from './io.ts';
import { askPassword, passwordFromStdin } from './password.ts';
import type { CommandContext } from './run.ts';

interface CreateOptions extends GlobalOptions {
  readonly login?: string;
  readonly name?: string;
  readonly scope?: string[];
  readonly expires?: string;
  readonly passwordStdin?: boolean;
}

export function addTokenCommands(program: Command, { io, action }: CommandContext): void {
  program
    .command('token')
    .description('API tokens')
    .command('create')
    .description('create a token and print it, alone, on standard output')
    .option('--login <login>', 'username or e-mail to log in with; without it the token at hand creates another')
    .option('--name <label>', 'label that tells this token from others (default: "cli at HOST")')
    .option('--password-stdin', 'read the password from the first line of standard input')
    .option(
      '--scope <scope...>',
      'what the token may do: dns, proxy, packages, account, or one with :read (not with --login)',
    )
    .option('--expires <time>', 'end of its life, as "YYYY-MM-DD HH:MM:SS" in UTC (not with --login)')
    .addHelpText(
      'after',
      `
With --login the password is taken from --password-stdin, else from WAYPOST_ADMIN_PASSWORD, else asked for.

Examples:
  $ export WAYPOST_TOKEN=$(waypost token create --login admin)
  $ pass show waypost/alice | waypost token create --login alice --password-stdin --name laptop
  $ waypost token create --name backup --scope dns:read --expires "2030-01-01 00:00:00"
`,
    )
    .action(
      action<CreateOptions>((options) =>
        withClient(io, options, async (client) => {
          const body =
            options.login === undefined ? await createToken(client, options) : await exchange(io, client, options);
          if (options.json) {
            print(io.stdout, JSON.stringify(body));
            return true;
          }
          const token = asText(body.token);
          if (token === undefined) throw new CliError('not_the_api', 'The daemon answered without a token.');
          print(io.stdout, escapeControls(token));
          if (io.stdout.isTTY) print(io.stderr, 'It is not shown again. To use it: export WAYPOST_TOKEN=<token>');
          return true;
        }),
      ),
    );
}

function label({ name }: CreateOptions): string {
  return name ?? `cli at ${hostname()}`;
}

async function exchange(io: CliIo, client: ApiClient, options: CreateOptions): Promise<Json> {
  if (options.scope !== undefined || options.expires !== undefined) {
    throw new CliError('usage', '--scope and --expires can not be combined with --login.', {
      next: 'Log in first, then create the narrower token with the token that you got.',
    });
  }
  const login = options.login;
  const password = options.passwordStdin
    ? await passwordFromStdin(io)
    : io.env.WAYPOST_ADMIN_PASSWORD ||
      (await askPassword(
        io,
        `Password of ${escapeControls(String(login))}: `,
        'Pass --password-stdin or set WAYPOST_ADMIN_PASSWORD.',
      ));
  return client.json({
    method: 'POST',
    path: '/api/v1/auth/token',
    json: { login, password, name: label(options) },
    authorized: false,
  });
}

function createToken(client: ApiClient, options: CreateOptions): Promise<Json> {
  const json = { name: label(options), scopes: options.scope, expires_at: options.expires };
  return client.json({ method: 'POST', path: '/api/v1/tokens', json });
}
