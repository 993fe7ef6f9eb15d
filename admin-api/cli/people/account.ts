/** `waypost account`: the accounts of the service, for administrators. */
import { type Command, Option } from 'commander';
import { escapeControls } from '../../../core/base/log/index.ts';
import type { ApiBody } from '../../routes/routes.ts';
import { type Account, findAccount } from '../base/accounts.ts';
import type { Change } from '../base/client.ts';
import type { CommandContext } from '../base/command.ts';
import { ApiError, CliError } from '../base/errors.ts';
import { pages } from '../base/pages.ts';
import { askPassword, choosePassword, PASSWORD_OPTIONS, type PasswordOptions, withCode } from '../base/password.ts';
import { fields, shown } from '../base/table.ts';
import { addGroup, addVerb, type Call, option, YES } from '../base/verb.ts';
import { addAccountReset } from './account-reset.ts';

interface SetOptions extends PasswordOptions {
  readonly username?: string;
  readonly email?: string;
  readonly role?: Account['role'];
  readonly plan?: string;
  readonly api?: 'on' | 'off';
  readonly revokeTokens?: boolean;
  readonly code?: string;
}

const OWN_CREDENTIALS: readonly unknown[] = ['own_password', 'own_email'];

const roleOption = () => new Option('--role <role>', 'the role of the account').choices(['admin', 'user', 'viewer']);
const planOption = () =>
  option('--plan <plan>', 'the limit on domains: free, pro, unlimited, or another plan of the daemon');
const emailOption = (more = '') => option('--email <address>', `e-mail address, also accepted as the login${more}`);

export function addAccountCommands(program: Command, context: CommandContext): void {
  const account = addGroup(program, 'account', 'accounts of the service, for administrators', [
    'waypost account show',
    'waypost account add alice --plan pro',
  ]);
  addVerb(account, context, {
    usage: 'show',
    about: 'show your own account: its usage and the limits of its plan',
    examples: ['waypost account show', 'waypost account show --json | jq .account.domain_count'],
    async run(call) {
      const body = await call.api.GET('/api/v1/account');
      const { username, limits, ...rest } = body.account;
      const { plan, max_domains_display } = limits;
      call.show(body, shown(username), ...fields({ ...rest, plan, max_domains: max_domains_display }));
      return true;
    },
  });
  addVerb(account, context, {
    usage: 'add <username>',
    about: 'create an account; prompts for its password',
    options: [emailOption(), roleOption().default('user'), planOption().default('free'), ...PASSWORD_OPTIONS],
    examples: [
      'waypost account add alice --email alice@example.net --plan pro',
      'waypost account add bob --role viewer --random-password',
      'pass show waypost/carol | waypost account add carol --password-stdin',
    ],
    async run(call: Call<SetOptions>, [username]) {
      const { email, role, plan } = call.options;
      const { password, made } = await choosePassword(call.io, username, call.options);
      const body = await call.api.POST('/api/v1/accounts', { body: { username, email, password, role, plan } });
      call.show(
        { ...body, password: made },
        `created account ${username} (id ${body.account.id}, ${role}, ${plan})`,
        ...passwordLines(made),
      );
      return true;
    },
  });
  addVerb(account, context, {
    usage: 'list',
    about: 'list all accounts',
    examples: ['waypost account list', 'waypost account list --json | jq -r .username'],
    async run(call) {
      await call.list(
        pages(call.api, '/api/v1/accounts', 'accounts'),
        {
          ID: 'id',
          USERNAME: 'username',
          ROLE: 'role',
          PLAN: 'plan',
          API: ({ api_enabled }) => (api_enabled ? 'on' : 'off'),
          EMAIL: 'email',
        },
        'There are no accounts.',
      );
      return true;
    },
  });
  addVerb(account, context, {
    usage: 'set <account>',
    about: 'change an account, given by username or id',
    options: [
      option('--username <name>', 'the new username'),
      emailOption('; "" removes it'),
      roleOption(),
      planOption(),
      new Option('--api <state>', 'whether its tokens and logins are accepted').choices(['on', 'off']),
      ...PASSWORD_OPTIONS,
      option('--revoke-tokens', 'with a new password: revoke all tokens of the account, except the current one'),
      option('--code <code>', 'for your own account: a code of your authenticator app, or a recovery code'),
    ],
    more: 'Your own password and e-mail address need your current password, and a code if the account has one-time codes. The current password is read from WAYPOST_ADMIN_PASSWORD, or a prompt.',
    examples: [
      'waypost account set alice --plan unlimited --role admin',
      'waypost account set bob --api off',
      'waypost account set carol --random-password --revoke-tokens',
    ],
    async run(call: Call<SetOptions>, [who]) {
      const { username, email, role, plan, api, passwordStdin, randomPassword, revokeTokens } = call.options;
      const chosen = {
        username,
        email: email === '' ? null : email,
        role,
        plan,
        api_enabled: api === undefined ? undefined : api === 'on',
      };
      const changed = namesIn(chosen);
      const setsPassword = passwordStdin || randomPassword;
      if (revokeTokens && !setsPassword) {
        throw new CliError('usage', '--revoke-tokens needs a new password.', {
          next: 'Pass --password-stdin or --random-password too.',
        });
      }
      if (changed.length === 0 && !setsPassword) {
        throw new CliError('usage', 'No change is given.', {
          next: 'Pass --username, --email, --role, --plan, --api, --password-stdin or --random-password.',
        });
      }
      const found = await findAccount(call.api, who);
      const { password, made } = setsPassword ? await choosePassword(call.io, who, call.options) : {};
      const path = { account_id: found.id };
      const patch = (changes: ApiBody<'updateAccount'>): Promise<Change> =>
        call.api.PATCH('/api/v1/accounts/{account_id}', { params: { path }, body: changes });
      const body = await patch({ ...chosen, password, revoke_tokens: revokeTokens }).catch(async (error: unknown) => {
        if (!(error instanceof ApiError && OWN_CREDENTIALS.includes(error.code))) throw error;
        const { email: address, ...others } = chosen;
        const own: OwnCredentials = { username: found.username, email: address, password, revokeTokens };
        if (namesIn(others).length > 0) await patch(others);
        return setOwnCredentials(call, own);
      });
      const names = [...changed, ...(setsPassword ? ['password'] : [])];
      const revoked = revokeTokens ? ', revoked its tokens' : '';
      call.show(
        { ...body, password: made },
        `changed ${names.join(', ')} of account ${found.username}${revoked}`,
        ...passwordLines(made),
      );
      return true;
    },
  });
  addVerb(account, context, {
    usage: 'reset-factors <account>',
    about: 'remove the one-time codes and passkeys of an account whose user has lost them; asks for confirmation',
    options: [YES],
    examples: ['waypost account reset-factors alice'],
    async run(call, [who]) {
      const found = await findAccount(call.api, who);
      await call.confirm(`Remove all second factors of ${found.username}? The password alone is enough then.`);
      const path = { account_id: found.id };
      const body = await call.api.DELETE('/api/v1/accounts/{account_id}/second-factors', { params: { path } });
      call.show(body, `removed the second factors of account ${found.username}`);
      return true;
    },
  });
  addAccountReset(account, context);
  addVerb(account, context, {
    usage: 'rm <account>',
    about: 'remove an account, given by username or id; asks for confirmation',
    options: [YES],
    examples: ['waypost account rm bob', 'waypost account rm bob --yes'],
    async run(call, [who]) {
      const found = await findAccount(call.api, who);
      await call.confirm(`Remove the account ${found.username} (id ${found.id})?`);
      const path = { account_id: found.id };
      const body = await call.api.DELETE('/api/v1/accounts/{account_id}', { params: { path } });
      call.show(body, `removed account ${found.username}`);
      return true;
    },
  });
}

/** The fields that are set. */
const namesIn = (chosen: object): string[] =>
  Object.entries(chosen).flatMap(([name, value]) => (value === undefined ? [] : [name]));

/** Shows a generated password, which cannot be shown again. */
function passwordLines(made: string | undefined): string[] {
  return made === undefined ? [] : [`password: ${made}`];
}

interface OwnCredentials {
  readonly username: string;
  /** Undefined: not changed; null: removed. */
  readonly email?: string | null;
  /** New password; undefined: not changed. */
  readonly password?: string;
  readonly revokeTokens?: boolean;
}

/**
 * Changes the password and the e-mail address of the user, which needs the current password.
 *
 * Resolves with the last response. Throws ApiError, and CliError `no_password`.
 */
async function setOwnCredentials(
  call: Pick<Call<{ readonly code?: string }>, 'api' | 'io' | 'options'>,
  { username, email, password: newPassword, revokeTokens }: OwnCredentials,
): Promise<Change> {
  const { api, io, options } = call;
  const password =
    io.env.WAYPOST_ADMIN_PASSWORD ||
    (await askPassword(
      io,
      `Current password of ${escapeControls(username)}: `,
      'Set WAYPOST_ADMIN_PASSWORD to the current password.',
    ));
  let { code } = options;
  /** A code works once, so each change has its own. */
  const send = (request: (proof: { password: string; code?: string }) => Promise<Change>): Promise<Change> => {
    const given = code;
    code = undefined;
    return withCode(io, given, (own) => request({ password, code: own }));
  };
  let body: Change = {};
  if (email !== undefined) body = await send((proof) => api.PATCH('/api/v1/account', { body: { ...proof, email } }));
  if (newPassword !== undefined) {
    const changes = { new_password: newPassword, revoke_tokens: revokeTokens };
    body = await send((proof) => api.PUT('/api/v1/account/password', { body: { ...proof, ...changes } }));
  }
  return body;
}
