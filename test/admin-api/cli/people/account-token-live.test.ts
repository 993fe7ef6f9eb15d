import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { App } from '../../../support/authenticator-app.ts';
import { PASSWORD } from '../../daemon.ts';
import { type Live, startLive } from '../live.ts';

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
  assert.match(added.stdout, /^created account alice \(id \d+, user, pro\) \(change \d+\)\n$/);
  const { stdout } = await waypost(['account', 'list']);
  assert.match(stdout, /^ *\d+ +alice {2}user {3}pro {8}on {2}a@example\.net$/m);
  assert.match(stdout, /^ *\d+ +admin {2}admin {2}unlimited {2}on {2}-$/m);
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

test('token create --domain: the token reaches these domains only', async ({ daemon, waypost }) => {
  for (const name of ['only.example.net', 'b\u00fccher.example.net', 'other.example.net'])
    await waypost(['domain', 'add', name]);
  const made = await waypost([
    'token',
    'create',
    '--name',
    'web',
    '--domain',
    'only.example.net',
    'b\u00fccher.example.net',
  ]);
  const env = { WAYPOST_URL: daemon.url, WAYPOST_TOKEN: made.stdout.trim() };
  const list = await waypost(['domain', 'list'], { env });
  assert.match(list.stdout, /only\.example\.net/);
  assert.match(list.stdout, /xn--bcher-kva\.example\.net/);
  assert.not.match(list.stdout, /other/);
  assert.is(
    daemon.logged.some((line) => /"level":"error"/.test(line)),
    false,
  );
  const none = await waypost(['token', 'create', '--domain', 'missing.example.net']);
  assert.match(none.stderr, /no domain "missing\.example\.net"/);
  const both = await waypost(['token', 'create', '--login', 'admin', '--domain', 'only.example.net']);
  assert.match(both.stderr, /--domain .*cannot be combined with --login/);
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
    /^ *\d+ +[-\d]{10} [:\d]{8} {2}2099-01-01 00:00:00 {2}never +dns:read, account:read +all +- +backup$/m,
  );
  assert.match(stdout, / {2}never +[-\d]{10} [:\d]{8} {2}dns, proxy, packages, account +all +- +test$/m);
  const rows = await json(['token', 'list']);
  assert.not.match(stdout + JSON.stringify(rows), new RegExp(`${secret}|${daemon.adminToken}|${PASSWORD}`));
  const { id } = rows.filter((row) => String(row.name) === 'backup')[0];
  const env = { WAYPOST_URL: daemon.url, WAYPOST_TOKEN: secret };
  assert.is((await waypost(['domain', 'list'], { env })).code, 0);
  assert.match(
    (await waypost(['domain', 'add', 'x.test'], { env })).stderr,
    /\(insufficient_scope\)\n {2}next: .*token list/,
  );
  assert.match((await waypost(['token', 'revoke', String(id)])).stdout, /^revoked token \d+ \(change \d+\)\n$/);
  assert.match((await waypost(['domain', 'list'], { env })).stderr, /\(invalid_token\)/);
  const again = await waypost(['token', 'revoke', String(id)]);
  assert.match(again.stderr, /\(no_such_token\)\n {2}next: List the tokens of this account with "waypost token list"/);
});

test('--account: an administrator acts for another account, by username or id', async ({ daemon, waypost, json }) => {
  const { id, token } = await daemon.account('carol');
  const own = { env: { WAYPOST_URL: daemon.url, WAYPOST_TOKEN: token } };
  const domains = async (argv: readonly string[], options = {}) =>
    (await json(['domain', 'list', ...argv], options)).map((row) => String(row.domain));
  await json(['domain', 'add', 'carol.test', '--account', 'carol']);
  assert.equal(await domains(['--account', 'CAROL']), ['carol.test']);
  assert.equal(await domains(['--account', String(id)]), ['carol.test']);
  assert.equal(await domains([], own), ['carol.test']);
  assert.not((await domains([])).includes('carol.test'));
  const missing = await waypost(['record', 'list', 'carol.test']);
  assert.match(missing.stderr, /no domain "carol\.test"/);
  await json(['record', 'add', 'carol.test', 'www', 'A', '192.0.2.1', '--account', 'carol']);
  assert.is((await json(['record', '--account', 'carol', 'list', 'carol.test'])).length, 1);
  const exported = await waypost(['zone', 'export', 'carol.test', '--account', 'carol']);
  assert.match(exported.stdout, /^www\t300\tIN\tA\t192\.0\.2\.1$/m);
  const [made] = await json(['token', 'create', '--name', 'for carol', '--account', 'carol']);
  assert.equal(await domains([], { env: { ...own.env, WAYPOST_TOKEN: String(made.token) } }), ['carol.test']);
  const names = async (argv: readonly string[]) => (await json(argv)).map((row) => String(row.name));
  assert.ok((await names(['token', 'list', '--account', 'carol'])).includes('for carol'));
  await json(['tsig', 'add', 'key.carol.test', '--account', 'carol']);
  assert.equal(await names(['tsig', 'list', '--account', 'carol']), ['key.carol.test']);
  const entries = await json(['audit', '--account', 'carol', '--limit', '4']);
  assert.equal(
    entries.map((row) => [Number(row.account_id), row.by_admin]),
    entries.map(() => [id, true]),
  );
  assert.match(
    (await waypost(['audit', '--account', 'carol', '--limit', '1'])).stdout,
    new RegExp(`for account ${id}`),
  );

  const login = await waypost(['token', 'create', '--login', 'carol', '--account', 'carol']);
  assert.match(login.stderr, /--account cannot be combined with --login/);
  assert.match((await waypost(['domain', 'list', '--account', 'nobody'])).stderr, /\(no_such_account\)/);
  // Others cannot list accounts.
  assert.match((await waypost(['domain', 'list', '--account', 'admin'], own)).stderr, /\(forbidden\)/);
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
    String(id),
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
  assert.match((await waypost(['account', 'rm', String(id), '--yes'])).stderr, /\(no_such_account\)/);
  const last = await waypost(['account', 'rm', 'admin', '--yes']);
  assert.match(last.stderr, /\(last_admin\)\n {2}next: Make another account/);
});

test('account set: the own password and e-mail address need the current password', async ({ daemon, waypost }) => {
  const { token } = await daemon.account('boss', { role: 'admin' });
  const env = { WAYPOST_URL: daemon.url, WAYPOST_TOKEN: token };
  const change = ['account', 'set', 'boss', '--email', 'boss@example.net', '--plan', 'pro', '--random-password'];
  const alone = await waypost(change, { env });
  assert.match(alone.stderr, /\(no_password\)\n {2}next: Set WAYPOST_ADMIN_PASSWORD to the current password/);
  const wrong = await waypost(change, { env: { WAYPOST_ADMIN_PASSWORD: 'wrong', ...env } });
  assert.match(wrong.stderr, /\(wrong_password, \/password\)/);
  const right = await waypost(change, { env: { WAYPOST_ADMIN_PASSWORD: 'boss secret', ...env } });
  assert.match(right.stdout, /^changed email, plan, password of account boss/);
  const password = /^password: (\S+)$/m.exec(right.stdout)?.[1] ?? '';
  const login = ['token', 'create', '--login', 'boss@example.net', '--password-stdin'];
  assert.is((await waypost(login, { env, stdin: `${password}\n` })).code, 0);
});

test('one-time codes: log in with a code, and remove the codes of a user', async ({ daemon, waypost }) => {
  const password = 'dora secret';
  const { token } = await daemon.account('dora');
  const call = (path: string, json: object) => daemon.call('POST', `/api/v1/account/totp${path}`, { token, json });
  const app = new App(String((await call('', { password })).body.secret));
  const { body } = await call('/confirm', { password, code: app.code() });
  const [recoveryCode] = Object.values(body.recovery_codes).map(String);
  const env = { WAYPOST_URL: daemon.url, WAYPOST_TOKEN: '' };
  const login = ['token', 'create', '--login', 'dora', '--password-stdin'];
  const stdin = `${password}\n`;
  const without = await waypost(login, { env, stdin });
  assert.match(without.stderr, /\(code_required, \/code\)\n {2}next: Pass --code with a code/);
  assert.match((await waypost([...login, '--code', app.wrong()], { env, stdin })).stderr, /\(bad_code, \/code\)/);
  assert.match((await waypost([...login, '--code', recoveryCode], { env, stdin })).stdout, /^wp_/);
  // Codes that are locked are not sent again.
  for (let i = 0; i < 5; i++) await waypost([...login, '--code', app.wrong()], { env, stdin });
  const locked = await waypost([...login, '--code', app.wrong()], { env, stdin });
  assert.match(locked.stderr, /\(code_locked\)\n {2}next: Wait/);

  assert.match((await waypost(['account', 'reset-factors', 'admin', '--yes'])).stderr, /\(own_account\)/);
  const reset = await waypost(['account', 'reset-factors', 'dora', '--yes']);
  assert.match(reset.stdout, /^removed the second factors of account dora \(change \d+\)/);
  assert.match((await waypost(login, { env, stdin })).stdout, /^wp_/);
});

test('token create --for: a key for the certificates or the addresses of a host, and nothing else', async ({
  daemon,
  waypost,
}) => {
  await waypost(['domain', 'add', 'limited.example.net']);
  const make = async (...args: string[]) => {
    const made = await waypost(['token', 'create', ...args]);
    return { WAYPOST_URL: daemon.url, WAYPOST_TOKEN: made.stdout.trim() };
  };
  const add = (name: string, type: string, content: string, env: NodeJS.ProcessEnv) =>
    waypost(['record', 'add', 'limited.example.net', name, type, content], { env: env as Record<string, string> });
  const acme = await make('--for', 'acme', '*.www.limited.example.net', '--name', 'certbot');
  assert.is((await add('_acme-challenge.www', 'TXT', 'token', acme)).code, 0);
  const refused = await add('www', 'A', '192.0.2.1', acme);
  assert.match(
    refused.stderr,
    /do not allow this "create".*\(token_policy, \/post\/0\)\n {2}next: Use a token whose policies/,
  );
  const ddns = await make('--for', 'ddns', 'home.limited.example.net');
  assert.is((await add('home', 'AAAA', '2001:db8::1', ddns)).code, 0);
  assert.match((await add('home', 'TXT', 'x', ddns)).stderr, /token_policy/);
  const far = await make('--names', 'www', '--types', 'A', '--network', '198.51.100.0/24');
  assert.match((await add('www', 'A', '192.0.2.1', far)).stderr, /198\.51\.100\.0\/24.*\(token_network\)/);
  const { stdout } = await waypost(['token', 'list']);
  assert.match(stdout, /all TXT _acme-challenge\.www\.limited\.example\.net\. +certbot$/m);
  for (const args of [['--for', 'acme'], ['www.limited.example.net'], ['--for', 'acme', 'a.example', '--types', 'A']])
    assert.match((await waypost(['token', 'create', ...args])).stderr, /--for needs hosts/);
  assert.match((await waypost(['token', 'create', '--for', 'acme', 'a.example'])).stderr, /no_such_domain/);
  const key = await waypost(['tsig', 'add', 'certbot.key', '--for', 'acme', 'limited.example.net']);
  assert.match(key.stdout, /^[A-Za-z0-9+/]{43}=\n$/);
  assert.match(
    (await waypost(['tsig', 'list'])).stdout,
    /all TXT _acme-challenge\.limited\.example\.net\. +certbot\.key$/m,
  );
});

test.run();
