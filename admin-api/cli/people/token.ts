/** `waypost token`: the API tokens of the account. */
import { hostname } from 'node:os';
import type { Command } from 'commander';
import { escapeControls } from '../../../core/base/log/index.ts';
import { ofAccount } from '../base/accounts.ts';
import { type ApiClient, asText, type Json } from '../base/client.ts';
import type { CommandContext } from '../base/command.ts';
import { requireDomain } from '../base/domains.ts';
import { ApiError, CliError } from '../base/errors.ts';
import { type CliIo, type GlobalOptions, print } from '../base/io.ts';
import { pages } from '../base/pages.ts';
import { askPassword, passwordFromStdin } from '../base/password.ts';
import { addAccountGroup, addVerb, type Call, option } from '../base/verb.ts';

interface CreateOptions extends GlobalOptions {
  readonly login?: string;
  readonly name?: string;
  readonly scope?: string[];
  readonly expires?: string;
  readonly domain?: string[];
  readonly passwordStdin?: boolean;
  readonly code?: string;
}

const TOKENS = '/api/v1/tokens';

export function addTokenCommands(program: Command, context: CommandContext): void {
  const token = addAccountGroup(program, 'token', 'API tokens of your account: create, list, revoke', [
    'export WAYPOST_TOKEN=$(waypost token create --login admin)',
    'waypost token list',
  ]);
  addVerb(token, context, {
    usage: 'create',
    about: 'create a token and print it on standard output',
    options: [
      option(
        '--login <login>',
        'username or e-mail address to log in with; without it, the current token creates another one',
      ),
      option('--name <label>', 'a label for the token (default: "cli at HOST")'),
      option('--password-stdin', 'read the password from the first line of standard input'),
      option('--code <code>', 'with --login: a code of your authenticator app, or a recovery code'),
      option(
        '--scope <scope...>',
        'the scopes of the token: dns, proxy, packages or account, each optionally with :read (not with --login)',
      ),
      option(
        '--domain <domain...>',
        'the only domains that the token gives access to, with the scopes dns and proxy (not with --login)',
      ),
      option('--expires <time>', 'the expiry time, as "YYYY-MM-DD HH:MM:SS" in UTC (not with --login)'),
    ],
    more: 'With --login, the password is read from standard input (--password-stdin), WAYPOST_ADMIN_PASSWORD, or a prompt. If the account needs a code, the command asks for it.',
    examples: [
      'export WAYPOST_TOKEN=$(waypost token create --login admin)',
      'pass show waypost/alice | waypost token create --login alice --password-stdin --name laptop',
      'waypost token create --name backup --scope dns:read --expires "2030-01-01 00:00:00"',
      'waypost token create --name web --scope dns --domain example.com',
    ],
    async run({ io, api, options }: Call<CreateOptions>) {
      const body = options.login === undefined ? await createToken(api, options) : await exchange(io, api, options);
      if (options.json) {
        print(io.stdout, JSON.stringify(body));
        return true;
      }
      const made = asText(body.token);
      if (made === undefined) throw new CliError('not_the_api', 'The response of the daemon has no token.');
      print(io.stdout, escapeControls(made));
      if (io.stdout.isTTY) print(io.stderr, 'The token is not shown again. To use it: export WAYPOST_TOKEN=<token>');
      return true;
    },
  });
  addVerb(token, context, {
    usage: 'list',
    about: 'list the tokens of your account with scopes, domains and last use, without the secrets',
    examples: ['waypost token list', 'waypost token list --json | jq -r "select(.expires_at == null) | .id"'],
    async run(call) {
      const expires = (row: Json) => row.expires_at ?? 'never';
      const columns = {
        ID: 'id',
        CREATED: 'created_at',
        EXPIRES: expires,
        USED: (row: Json) => row.last_used_at ?? 'never',
        SCOPES: 'scopes',
        DOMAINS: (row: Json) => row.domains ?? 'all',
        NAME: 'name',
      };
      await call.list(
        pages(call.api, TOKENS, 'tokens', { account: call.api.account }),
        columns,
        'The account has no tokens.',
      );
      return true;
    },
  });
  addVerb(token, context, {
    usage: 'revoke <id>',
    about: 'revoke a token at once on every node',
    examples: ['waypost token revoke 12'],
    async run(call, [id]) {
      const body = await call.api.json({ method: 'DELETE', path: `${TOKENS}/${encodeURIComponent(id)}` });
      call.show(body, `revoked token ${id}`);
      return true;
    },
  });
}

function label({ name }: CreateOptions): string {
  return name ?? `cli at ${hostname()}`;
}

async function exchange(io: CliIo, api: ApiClient, options: CreateOptions): Promise<Json> {
  if (options.scope !== undefined || options.expires !== undefined || options.domain !== undefined) {
    throw new CliError('usage', '--scope, --domain and --expires cannot be combined with --login.', {
      next: 'Log in first, then use the new token to create the narrower one.',
    });
  }
  if (options.account !== undefined) {
    throw new CliError('usage', '--account cannot be combined with --login.', {
      next: 'Omit --login: the current token creates one for the account.',
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
  const send = (code: string | undefined): Promise<Json> => {
    const json = { login, password, code, name: label(options) };
    return api.json({ method: 'POST', path: '/api/v1/auth/token', json, authorized: false });
  };
  try {
    return await send(options.code);
  } catch (error) {
    const isMissing = error instanceof ApiError && error.code === 'code_required' && options.code === undefined;
    if (!isMissing || !io.stdin.isTTY) throw error;
    return send(await askPassword(io, 'Code of your authenticator app: ', 'Pass --code.'));
  }
}

async function createToken(api: ApiClient, options: CreateOptions): Promise<Json> {
  const domains = await domainIds(api, options.domain);
  const json = { name: label(options), scopes: options.scope, domains, expires_at: options.expires };
  return api.json({ method: 'POST', path: ofAccount(api, TOKENS), json });
}

/** Undefined without names: the token is not restricted. */
async function domainIds(api: ApiClient, names: readonly string[] | undefined): Promise<number[] | undefined> {
  if (names === undefined) return undefined;
  const ids: number[] = [];
  for (const name of names) ids.push(Number((await requireDomain(api, name)).id));
  return ids;
}
