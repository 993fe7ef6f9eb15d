import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FakeDaemon, run, TOKEN } from '../harness.ts';

const test = suite<{ daemon: FakeDaemon; env: NodeJS.ProcessEnv }>('admin-api/cli/account and token');

test.before.each(async (context) => {
  context.daemon = new FakeDaemon();
  context.env = { WAYPOST_URL: await context.daemon.start(), WAYPOST_TOKEN: TOKEN };
});
test.after.each((context) => context.daemon.stop());

test('token create --login exchanges the password, and prints only the token', async ({ daemon, env }) => {
  const { WAYPOST_URL } = env;
  const cases = [
    { env: { WAYPOST_URL, WAYPOST_ADMIN_PASSWORD: 'good' } },
    { env: { WAYPOST_URL }, stdin: 'good\nmore\n', argv: ['--password-stdin'] },
    { env: { WAYPOST_URL, WAYPOST_ADMIN_PASSWORD: 'bad' }, stdin: 'good\r\n', argv: ['--password-stdin'] },
    { env: { WAYPOST_URL }, typed: 'goox\u007fd\r' },
  ];
  for (const { argv = [], ...options } of cases) {
    const { code, stdout, stderr } = await run(
      ['token', 'create', '--login', 'admin', '--name', 'lap', ...argv],
      options,
    );
    assert.equal([code, stdout], [0, `${TOKEN}\n`], stderr);
    assert.equal(JSON.parse(daemon.seen[daemon.seen.length - 1].body), {
      login: 'admin',
      password: 'good',
      name: 'lap',
    });
    assert.is(daemon.seen[daemon.seen.length - 1].headers.authorization, undefined);
  }
});

test('does not echo a typed password', async ({ env }) => {
  const { stdout, stderr } = await run(['token', 'create', '--login', 'admin'], { env, typed: 'good\r' });
  assert.is(stderr, 'Password of admin: \n');
  assert.not(stdout.includes('good'));
});

test('asks for a code if the account needs one', async ({ daemon, env }) => {
  daemon.neededCode = '123456';
  const { code, stdout, stderr } = await run(['token', 'create', '--login', 'admin'], {
    env,
    typed: ['good\r', '123456\r'],
  });
  assert.equal([code, stdout], [0, `${TOKEN}\n`], stderr);
  assert.match(stderr, /^Password of admin: \nCode of your authenticator app: \n/);
  const bodies = daemon.seen.map(({ body }) => JSON.parse(body).code);
  assert.equal(bodies, [undefined, '123456']);
});

test('Ctrl-C cancels the prompt', async ({ daemon, env }) => {
  const { code, stderr } = await run(['token', 'create', '--login', 'admin'], { env, typed: 'go\u0003' });
  assert.is(code, 1);
  assert.match(stderr, /\(cancelled\)/);
  assert.is(daemon.seen.length, 0);
});

test('the error without password and terminal has the next step', async ({ env }) => {
  const none = await run(['token', 'create', '--login', 'admin'], { env });
  assert.is(none.code, 1);
  assert.match(none.stderr, /\(no_password\)\n {2}next: Pass --password-stdin or set WAYPOST_ADMIN_PASSWORD/);
  const empty = await run(['token', 'create', '--login', 'admin', '--password-stdin'], { env, stdin: '\n' });
  assert.match(empty.stderr, /\(no_password\)/);
});

test('token create without --login uses the current token', async ({ daemon, env }) => {
  const argv = [
    'token',
    'create',
    '--name',
    'backup',
    '--scope',
    'dns:read',
    'account',
    '--expires',
    '2030-01-01 00:00:00',
  ];
  const { code, stdout } = await run(argv, { env });
  assert.equal([code, stdout], [0, 'wp_made\n']);
  assert.equal(JSON.parse(daemon.seen[0].body), {
    name: 'backup',
    scopes: ['dns:read', 'account'],
    expires_at: '2030-01-01 00:00:00',
  });
  for (const limit of [
    ['--domain', 'a.test'],
    ['--for', 'acme'],
    ['--network', '192.0.2.0/24'],
    ['--types', 'TXT'],
  ]) {
    const refused = await run(['token', 'create', ...limit, '--login', 'admin'], { env });
    assert.is(refused.code, 1);
    assert.match(refused.stderr, /cannot be combined with --login/);
  }
});

test('token create --login sends scopes and expiry', async ({ daemon, env }) => {
  const argv = ['token', 'create', '--login', 'admin', '--name', 'x', '--scope', 'dns:read', '--expires'];
  const { code } = await run([...argv, '2030-01-01 00:00:00'], { env: { ...env, WAYPOST_ADMIN_PASSWORD: 'good' } });
  assert.is(code, 0);
  const { scopes, expires_at } = JSON.parse(daemon.seen[0].body);
  assert.equal([scopes, expires_at], [['dns:read'], '2030-01-01 00:00:00']);
});

test('account add sends the new account, with the password of the input', async ({ daemon, env }) => {
  const argv = ['account', 'add', 'alice', '--email', 'a@example.net', '--plan', 'pro', '--password-stdin'];
  const { code, stdout } = await run(argv, { env, stdin: 'her password\n' });
  assert.equal([code, stdout], [0, 'created account alice (id 9, user, pro)\n']);
  assert.equal(JSON.parse(daemon.seen[0].body), {
    username: 'alice',
    email: 'a@example.net',
    password: 'her password',
    role: 'user',
    plan: 'pro',
  });
  assert.is((await run(['account', 'add', 'x', '--role', 'king'], { env })).code, 2);
});

test('a generated password is long, printed once, and equal to the sent one', async ({ daemon, env }) => {
  const { stdout } = await run(['account', 'add', 'bob', '--random-password'], { env });
  const password = /^password: ([\w-]{20})$/m.exec(stdout)?.[1];
  assert.is(JSON.parse(daemon.seen[0].body).password, password);
});

test('account set changes only the options, by username or id', async ({ daemon, env }) => {
  const accounts = [
    { id: 1, username: 'alice' },
    { id: 2, username: 'bob' },
    { id: 3, username: '2' },
  ];
  const cases: [string[], string, object][] = [
    [['Alice', '--role', 'admin', '--plan', 'gold'], '1', { role: 'admin', plan: 'gold' }],
    [['1', '--api', 'off'], '1', { api_enabled: false }],
    [['3', '--api', 'on', '--email', ''], '3', { email: null, api_enabled: true }],
    [['alice', '--username', 'alicia'], '1', { username: 'alicia' }],
    [['alice', '--password-stdin'], '1', { password: 'new secret' }],
  ];
  for (const [argv, id, changes] of cases) {
    daemon.before.push({ body: { ok: true, accounts, next_cursor: null } }, { body: { ok: true, account: { id } } });
    const { code, stdout, stderr } = await run(['account', 'set', ...argv], { env, stdin: 'new secret\n' });
    assert.is(code, 0, stderr);
    const { method, url, body } = daemon.seen[daemon.seen.length - 1];
    assert.equal([method, url, JSON.parse(body)], ['PATCH', `/api/v1/accounts/${id}`, changes]);
    assert.not.match(stdout, /new secret/);
  }
  const nothing = await run(['account', 'set', 'alice'], { env });
  assert.match(nothing.stderr, /\(usage\)\n {2}next: Pass --username, --email/);
  assert.is((await run(['account', 'set', 'alice', '--api', 'maybe'], { env })).code, 2);
});

test('account set --random-password prints it once, also as JSON', async ({ daemon, env }) => {
  for (const more of [[], ['--json']]) {
    daemon.before.push({ body: { ok: true, accounts: [{ id: 1, username: 'alice' }], next_cursor: null } });
    daemon.before.push({ body: { ok: true, account: { id: 1 } } });
    const { stdout } = await run(['account', 'set', 'alice', '--random-password', ...more], { env });
    const { password } = JSON.parse(daemon.seen[daemon.seen.length - 1].body);
    assert.match(password, /^[\w-]{20}$/);
    assert.is(stdout.split(password).length, 2);
  }
});

test('account rm asks for confirmation', async ({ daemon, env }) => {
  const list = { body: { ok: true, accounts: [{ id: 1, username: 'alice' }], next_cursor: null } };
  daemon.before.push(list);
  const kept = await run(['account', 'rm', 'alice'], { env, typed: 'no\n' });
  assert.equal([kept.code, daemon.seen.length], [1, 1]);
  daemon.before.push(list, { body: { ok: true } });
  const gone = await run(['account', 'rm', 'alice', '--yes'], { env });
  assert.equal([gone.code, gone.stdout], [0, 'removed account alice\n']);
  assert.equal([daemon.seen[2].method, daemon.seen[2].url], ['DELETE', '/api/v1/accounts/1']);
});

test.run();
