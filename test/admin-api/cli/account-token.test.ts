import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FakeDaemon, run, TOKEN } from './harness.ts';

const test = suite<{ daemon: FakeDaemon; env: NodeJS.ProcessEnv }>('admin-api/cli/account and token');

test.before.each(async (context) => {
  context.daemon = new FakeDaemon();
  context.env = { WAYPOST_URL: await context.daemon.start(), WAYPOST_TOKEN: TOKEN };
});
test.after.each((context) => context.daemon.stop());

test('token create --login exchanges the password for a token, alone on standard output', async ({ daemon, env }) => {
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

test('a password that is typed is not shown', async ({ env }) => {
  const { stdout, stderr } = await run(['token', 'create', '--login', 'admin'], { env, typed: 'good\r' });
  assert.is(stderr, 'Password of admin: \n');
  assert.not(stdout.includes('good'));
});

test('Ctrl-C at the question cancels', async ({ daemon, env }) => {
  const { code, stderr } = await run(['token', 'create', '--login', 'admin'], { env, typed: 'go\u0003' });
  assert.is(code, 1);
  assert.match(stderr, /\(cancelled\)/);
  assert.is(daemon.seen.length, 0);
});

test('no password and no terminal: the error says what to do', async ({ env }) => {
  const none = await run(['token', 'create', '--login', 'admin'], { env });
  assert.is(none.code, 1);
  assert.match(none.stderr, /\(no_password\)\n {2}next: Pass --password-stdin or set WAYPOST_ADMIN_PASSWORD/);
  const empty = await run(['token', 'create', '--login', 'admin', '--password-stdin'], { env, stdin: '\n' });
  assert.match(empty.stderr, /\(no_password\)/);
});

test('token create without --login uses the token at hand', async ({ daemon, env }) => {
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
  assert.is((await run([...argv, '--login', 'admin'], { env })).code, 1);
});

test('account add', async ({ daemon, env }) => {
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

test('a random password is long, printed once, and the one that was sent', async ({ daemon, env }) => {
  const { stdout } = await run(['account', 'add', 'bob', '--random-password'], { env });
  const password = /^password: ([\w-]{20})$/m.exec(stdout)?.[1];
  assert.is(JSON.parse(daemon.seen[0].body).password, password);
});

test.run();
