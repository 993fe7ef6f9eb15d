/** `waypost token`: the API tokens of the account. */
import { hostname } from 'node:os';
import type { Command } from 'commander';
import { escapeControls } from '../../../core/base/log/index.ts';
import type { ApiClient } from '../base/client.ts';
import type { CommandContext } from '../base/command.ts';
import { requireDomain } from '../base/domains.ts';
import { CliError } from '../base/errors.ts';
import { type CliIo, type GlobalOptions, print } from '../base/io.ts';
import { LIMIT_OPTIONS, type LimitOptions, limitsOf, limitText } from '../base/key-limits.ts';
import { pages } from '../base/pages.ts';
import { askPassword, passwordFromStdin, withCode } from '../base/password.ts';
import { addAccountGroup, addVerb, type Call, option } from '../base/verb.ts';

interface CreateOptions extends GlobalOptions, LimitOptions {
  readonly login?: string;
  readonly name?: string;
  readonly scope?: string[];
  readonly domain?: string[];
  readonly passwordStdin?: boolean;
  readonly code?: string;
}

export function addTokenCommands(program: Command, context: CommandContext): void {
  const token = addAccountGroup(program, 'token', 'API tokens of your account: create, list, revoke', [
    'export WAYPOST_TOKEN=$(waypost token create --login admin)',
    'waypost token list',
  ]);
  addVerb(token, context, {
    usage: 'create [host...]',
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
        'the scopes of the token: dns, proxy, packages or account, each optionally with :read',
      ),
      option(
        '--domain <domain...>',
        'the only domains that the token gives access to, with the scopes dns and proxy (not with --login)',
      ),
      ...LIMIT_OPTIONS,
    ],
    more: 'Limits other than --scope and --expires need a current token. With --login, the password is read from standard input (--password-stdin), WAYPOST_ADMIN_PASSWORD, or a prompt. If the account needs a code, the command asks for it.',
    examples: [
      'export WAYPOST_TOKEN=$(waypost token create --login admin)',
      'waypost token create --login alice --scope dns:read --expires "2030-01-01 00:00:00"',
      'pass show waypost/alice | waypost token create --login alice --password-stdin --name laptop',
      'waypost token create --name backup --scope dns:read --expires "2030-01-01 00:00:00"',
      'waypost token create --name web --scope dns --domain example.com',
      'waypost token create --for acme www.example.com --network 192.0.2.0/24',
      'waypost token create --for ddns home.example.com',
    ],
    async run({ io, api, options }: Call<CreateOptions>, hosts) {
      const { login } = options;
      const body =
        login === undefined ? await createToken(api, options, hosts) : await exchange(io, api, login, options, hosts);
      if (options.json) {
        print(io.stdout, JSON.stringify(body));
        return true;
      }
      print(io.stdout, escapeControls(body.token));
      if (io.stdout.isTTY) print(io.stderr, 'The token is not shown again. To use it: export WAYPOST_TOKEN=<token>');
      return true;
    },
  });
  addVerb(token, context, {
    usage: 'list',
    about: 'list the tokens of your account with scopes, domains and last use, without the secrets',
    examples: ['waypost token list', 'waypost token list --json | jq -r "select(.expires_at == null) | .id"'],
    async run(call) {
      await call.list(
        pages(call.api, '/api/v1/tokens', 'tokens', { query: { account: call.api.account } }),
        {
          ID: 'id',
          CREATED: 'created_at',
          EXPIRES: ({ expires_at }) => expires_at ?? 'never',
          USED: ({ last_used_at }) => last_used_at ?? 'never',
          SCOPES: 'scopes',
          DOMAINS: ({ domains }) => domains ?? 'all',
          LIMITS: limitText,
          NAME: 'name',
        },
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
      const body = await call.api.DELETE('/api/v1/tokens/{token_id}', { params: { path: { token_id: id } } });
      call.show(body, `revoked token ${id}`);
      return true;
    },
  });
}

function label({ name, for: use }: CreateOptions): string {
  return name ?? `${use ?? 'cli'} at ${hostname()}`;
}

async function exchange(io: CliIo, api: ApiClient, login: string, options: CreateOptions, hosts: readonly string[]) {
  const { scope: scopes, expires: expires_at, for: use, domain, names, types, actions, network } = options;
  if (hosts.length > 0 || [use, domain, names, types, actions, network].some((given) => given !== undefined)) {
    throw new CliError('usage', '--for, --domain and limits of records and networks cannot be combined with --login.', {
      next: 'Log in first, then use the new token to create the narrower one.',
    });
  }
  if (options.account !== undefined) {
    throw new CliError('usage', '--account cannot be combined with --login.', {
      next: 'Omit --login: the current token creates one for the account.',
    });
  }
  const password = options.passwordStdin
    ? await passwordFromStdin(io)
    : io.env.WAYPOST_ADMIN_PASSWORD ||
      (await askPassword(
        io,
        `Password of ${escapeControls(login)}: `,
        'Pass --password-stdin or set WAYPOST_ADMIN_PASSWORD.',
      ));
  return withCode(io, options.code, (code) => {
    const body = { login, password, code, name: label(options), scopes, expires_at };
    return api.POST('/api/v1/auth/token', { body, authorized: false });
  });
}

async function createToken(api: ApiClient, options: CreateOptions, hosts: readonly string[]) {
  const { domains: named, ...limits } = await limitsOf(api, options, hosts);
  const domains = (await domainIds(api, options.domain)) ?? named;
  const body = { name: label(options), scopes: options.scope, domains, ...limits };
  return api.POST('/api/v1/tokens', { params: { query: { account: api.account } }, body });
}

/** Undefined without names: the token is not restricted. */
async function domainIds(api: ApiClient, names: readonly string[] | undefined): Promise<number[] | undefined> {
  if (names === undefined) return undefined;
  const ids: number[] = [];
  for (const name of names) ids.push((await requireDomain(api, name)).id);
  return ids;
}
