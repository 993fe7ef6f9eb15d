import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FakeDaemon, run, TOKEN } from '../harness.ts';

const test = suite<{ daemon: FakeDaemon; env: NodeJS.ProcessEnv }>('admin-api/cli/client');

test.before.each(async (context) => {
  context.daemon = new FakeDaemon();
  context.env = { WAYPOST_URL: await context.daemon.start(), WAYPOST_TOKEN: TOKEN };
});
test.after.each((context) => context.daemon.stop());

const busy = (status: number, headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: { ok: false, error: { code: status === 429 ? 'rate_limited' : 'no_quorum', message: 'Later.' } },
});

test('retries 429 and 503 with growing delays', async ({ daemon, env }) => {
  daemon.addZone('a.test');
  daemon.before.push(busy(429), busy(503), busy(503), busy(429));
  const { code, stdout, slept } = await run(['zone', 'list'], { env });
  assert.is(code, 0);
  assert.match(stdout, /^a\.test /);
  assert.is(slept.length, 4);
  for (const [i, delay] of slept.entries()) assert.ok(delay >= 125 * 2 ** i && delay <= 250 * 2 ** i, `${i}: ${delay}`);
});

test('follows Retry-After, up to the window of the rate limit', async ({ daemon, env }) => {
  daemon.before.push(busy(429, { 'retry-after': '3' }), busy(503, { 'retry-after': '999999' }));
  const { code, stderr, slept } = await run(['zone', 'list'], { env });
  assert.is(code, 0);
  assert.equal(slept, [3000, 300_000]);
  assert.match(stderr, /^waiting 3 s before the next attempt: Later\.\n/);
});

test('finally gives up with message, code and next step', async ({ daemon, env }) => {
  for (let i = 0; i < 8; i++) daemon.before.push(busy(429));
  const { code, stderr, slept } = await run(['zone', 'list'], { env });
  assert.is(code, 1);
  assert.is(slept.length, 7);
  assert.match(stderr, /^error: Later\. \(rate_limited\)\n {2}next: Wait and run the command again/m);
});

test('a repeated POST has the same idempotency key', async ({ daemon, env }) => {
  daemon.before.push(busy(503));
  await run(['account', 'add', 'bob', '--random-password'], { env });
  const keys = daemon.seen.map((request) => request.headers['idempotency-key']);
  assert.is(keys.length, 2);
  assert.type(keys[0], 'string');
  assert.is(keys[0], keys[1]);
});

test('repeats a request after a lost connection', async ({ daemon, env }) => {
  daemon.drops = 2;
  const { code, stdout, slept } = await run(['account', 'add', 'bob', '--random-password'], { env });
  assert.equal([code, slept.length, daemon.seen.length], [0, 2, 3]);
  assert.match(stdout, /^created account bob/);
});

test('an error of the API: message, code, pointer, details, next step and request', async ({ daemon, env }) => {
  const details = [{ pointer: '/username', message: 'is too short' }];
  const error = { code: 'invalid_account', message: 'Two faults.', pointer: '/email', details };
  daemon.before.push({ status: 422, body: { ok: false, error, request_id: 'r-7' } });
  const argv = ['account', 'add', 'b', '--random-password'];
  const { code, stderr } = await run(argv, { env });
  assert.is(code, 1);
  assert.is(stderr, 'error: Two faults. (invalid_account, /email)\n  /username: is too short\n  request: r-7\n');
  daemon.before.push({ status: 403, body: { ok: false, error: { code: 'forbidden', message: 'Not you.' } } });
  const json = await run([...argv, '--json'], { env });
  const shown = JSON.parse(json.stderr);
  assert.is(shown.error.code, 'forbidden');
  assert.match(shown.error.next, /role/);
});

test('the text of an error cannot control the terminal', async ({ daemon, env }) => {
  const error = { code: 'x\u001b[2J', message: 'a\u001b]0;b\u0007\u009b' };
  daemon.before.push({ status: 409, body: { ok: false, error, request_id: '\u001b[1m' } });
  const { stderr } = await run(['zone', 'list'], { env });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  assert.not.match(stderr, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});

test('the error without a token says how to get one', async ({ env }) => {
  const { code, stderr } = await run(['zone', 'list'], { env: { ...env, WAYPOST_TOKEN: '' } });
  assert.is(code, 1);
  assert.match(stderr, /\(no_token\)\n {2}next: .*waypost token create --login admin/);
});

test('the error for a rejected token says how to get one', async ({ env }) => {
  const { code, stderr } = await run(['--token', 'wp_wrong', 'zone', 'list'], { env });
  assert.is(code, 1);
  assert.match(stderr, /\(invalid_token\)\n {2}next: .*waypost token create/);
});

test('reports an unreachable daemon, and a server that is not the daemon', async ({ daemon, env }) => {
  const gone = await run(['zone', 'list', '--url', 'http://127.0.0.1:1'], { env });
  assert.is(gone.code, 1);
  assert.match(
    gone.stderr,
    /Cannot reach the daemon at \S+: connection refused \(ECONNREFUSED\)\. \(unreachable\)\n {2}next: Start it with "waypost serve"/,
  );
  daemon.before.push({ status: 200, body: '<html>' });
  assert.match((await run(['zone', 'list'], { env })).stderr, /\(not_the_api\)/);
  for (const argv of [
    ['zone', 'list'],
    ['domain', 'add', 'a.test'],
    ['account', 'show'],
  ]) {
    daemon.before.push({ status: 200, body: { status: 'ok' } });
    assert.match((await run(argv, { env })).stderr, /\(not_the_api\)/, argv.join(' '));
  }
  for (const url of ['localhost:8300', 'ftp://a', 'nonsense']) {
    assert.match((await run(['status', '--url', url])).stderr, /\(invalid_url\)/, url);
  }
});

test('the base URL may have a path', async ({ daemon, env }) => {
  await run(['status', '--url', `${env.WAYPOST_URL}/dns/`]);
  assert.is(daemon.seen[0].url, '/dns/readyz');
});

test('status: ready is 0, not ready is 1, at once and without a token', async ({ daemon, env }) => {
  const { WAYPOST_URL } = env;
  const ready = await run(['status'], { env: { WAYPOST_URL } });
  assert.is(ready.code, 0);
  assert.is(ready.stdout, `${WAYPOST_URL}: ready\n  applied: 7\n  listening: ["127.0.0.1:5300"]\n`);
  daemon.ready = false;
  const down = await run(['status', '--json'], { env });
  assert.equal([down.code, JSON.parse(down.stdout).ok, down.slept.length], [1, false, 0]);
  assert.is(daemon.seen[0].headers.authorization, undefined);
});

test.run();
