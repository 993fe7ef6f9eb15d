import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PASSWORD } from '../daemon.ts';
import { type Live, startLive } from './live.ts';

const test = suite<Live>('admin-api/cli/account and token, with the API');
test.before(async (context) => void Object.assign(context, await startLive()));
test.after((context) => context.daemon.stop());

test('accounts: add, list, log in, show', async ({ daemon, waypost }) => {
  const added = await waypost(
    ['account', 'add', 'alice', '--email', 'a@example.net', '--plan', 'pro', '--password-stdin'],
    {
      stdin: 'her password\n',
    },
  );
  assert.match(added.stdout, /^created account alice \(id [0-9a-f]{16}, user, pro\) \(change \d+\)\n$/);
  const { stdout } = await waypost(['account', 'list']);
  assert.match(stdout, /^[0-9a-f]{16} {2}alice {2}user {3}pro {8}on {2}a@example\.net$/m);
  assert.match(stdout, /^[0-9a-f]{16} {2}admin {2}admin {2}unlimited {2}on {2}-$/m);
  const env = { WAYPOST_URL: daemon.url, WAYPOST_TOKEN: '' };
  const login = await waypost(['token', 'create', '--login', 'a@example.net', '--password-stdin'], {
    env,
    stdin: 'her password\n',
  });
  const own = { WAYPOST_URL: daemon.url, WAYPOST_TOKEN: login.stdout.trim() };
  await waypost(['domain', 'add', 'alice.test'], { env: own });
  const shown = await waypost(['account', 'show'], { env: own });
  assert.match(shown.stdout, /^alice\n {2}id .*\n/);
  assert.match(shown.stdout, /\n {2}domain_count +1\n/);
  assert.match(shown.stdout, /\n {2}plan +pro\n {2}max_domains +100\n$/);
  const refused = await waypost(['account', 'list'], { env: own });
  assert.match(refused.stderr, /\(forbidden\)\n {2}next: Use a token of an account whose role/);
  const missing = await waypost(['account', 'set', 'nobody', '--api', 'off']);
  assert.match(
    missing.stderr,
    /no account "nobody"\. \(no_such_account\)\n {2}next: List the accounts with "waypost account list"/,
  );
});

test('tokens: list with scopes and expiry, never a secret; revoke is effective at once', async ({
  daemon,
  waypost,
  json,
}) => {
  const made = await waypost([
    'token',
    'create',
    '--name',
    'backup',
    '--scope',
    'dns:read',
    'account:read',
    '--expires',
    '2099-01-01 00:00:00',
  ]);
  const secret = made.stdout.trim();
  const { stdout } = await waypost(['token', 'list']);
  assert.match(
    stdout,
    /^[0-9a-f]{16} {2}[-\d]{10} [:\d]{8} {2}2099-01-01 00:00:00 {2}dns:read, account:read +backup$/m,
  );
  assert.match(stdout, / {2}never {16}dns, proxy, packages, account {2}test$/m);
  const rows = await json(['token', 'list']);
  assert.not.match(stdout + JSON.stringify(rows), new RegExp(`${secret}|${daemon.adminToken}|${PASSWORD}`));
  const { id } = rows.filter((row) => String(row.name) === 'backup')[0];
  const env = { WAYPOST_URL: daemon.url, WAYPOST_TOKEN: secret };
  assert.is((await waypost(['domain', 'list'], { env })).code, 0);
  assert.match(
    (await waypost(['domain', 'add', 'x.test'], { env })).stderr,
    /\(insufficient_scope\)\n {2}next: .*token list/,
  );
  assert.match(
    (await waypost(['token', 'revoke', String(id)])).stdout,
    /^revoked token [0-9a-f]{16} \(change \d+\)\n$/,
  );
  assert.match((await waypost(['domain', 'list'], { env })).stderr, /\(invalid_token\)/);
  const again = await waypost(['token', 'revoke', String(id)]);
  assert.match(again.stderr, /\(no_such_token\)\n {2}next: List the tokens of this account with "waypost token list"/);
});

test('account set: API access off and on, another name, a new password; rm', async ({ daemon, waypost, json }) => {
  const { id, token } = await daemon.account('bob');
  const env = { WAYPOST_URL: daemon.url, WAYPOST_TOKEN: token };
  assert.match(
    (await waypost(['account', 'set', 'bob', '--api', 'off'])).stdout,
    /^changed api_enabled of account bob/,
  );
  assert.match((await waypost(['domain', 'list'], { env })).stderr, /\(api_disabled\)/);
  const [changed] = await json([
    'account',
    'set',
    id,
    '--api',
    'on',
    '--username',
    'robert',
    '--plan',
    'pro',
    '--email',
    'b@x.test',
  ]);
  const { username, plan, email, api_enabled } = changed.account;
  assert.equal([username, plan, email, api_enabled], ['robert', 'pro', 'b@x.test', true]);
  const [{ password }] = await json(['account', 'set', 'robert', '--random-password', '--email', '']);
  const login = ['token', 'create', '--login', 'robert', '--password-stdin'];
  assert.is((await waypost(login, { env, stdin: `${password}\n` })).code, 0);
  assert.match((await waypost(login, { env, stdin: 'bob secret\n' })).stderr, /\(bad_credentials\)/);
  assert.is((await waypost(['domain', 'list'], { env })).code, 0, 'the token is still valid');
  const alone = await waypost(['account', 'set', 'robert', '--revoke-tokens']);
  assert.match(alone.stderr, /--revoke-tokens needs a new password/);
  const revoked = await waypost(['account', 'set', 'robert', '--random-password', '--revoke-tokens']);
  assert.match(revoked.stdout, /^changed password of account robert, revoked its tokens/);
  assert.match((await waypost(['domain', 'list'], { env })).stderr, /\(invalid_token\)/);
  assert.match((await waypost(['account', 'rm', 'ROBERT', '--yes'])).stdout, /^removed account robert/);
  assert.match((await waypost(['account', 'rm', id, '--yes'])).stderr, /\(no_such_account\)/);
  const last = await waypost(['account', 'rm', 'admin', '--yes']);
  assert.match(last.stderr, /\(last_admin\)\n {2}next: Make another account/);
});

test.run();
