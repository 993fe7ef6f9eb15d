import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FakeDaemon, run, TOKEN } from '../harness.ts';

const test = suite<{ daemon: FakeDaemon; env: NodeJS.ProcessEnv }>('admin-api/cli/audit and change');

test.before.each(async (context) => {
  context.daemon = new FakeDaemon();
  context.env = { WAYPOST_URL: await context.daemon.start(), WAYPOST_TOKEN: TOKEN };
});
test.after.each((context) => context.daemon.stop());

const entry = (n: number, more: object = {}) => ({
  id: `e${n}`,
  at: `2025-01-01 00:00:0${n}`,
  actor: { id: 'a1', username: 'alice', token_id: 't1', token_name: 'laptop\u001b[2J' },
  action: 'record.create',
  domain: n % 2 === 0 ? 'even.test' : 'odd.test',
  target: `r${n}`,
  detail: { type: 'A' },
  revision: 10 + n,
  remote_address: '192.0.2.1',
  ...more,
});
const page = (entries: object[], next: string | null = null) => ({
  body: { ok: true, entries, next_cursor: next },
});
const ids = (stdout: string) => stdout.match(/r\d+/g) ?? [];

test('audit: newest first, over all pages, up to the limit', async ({ daemon, env }) => {
  daemon.before.push(page([entry(5), entry(4)], 'c1'), page([entry(3), entry(2)], 'c2'));
  const { code, stdout } = await run(['audit', '--limit', '3'], { env });
  assert.is(code, 0);
  assert.equal(ids(stdout), ['r5', 'r4', 'r3']);
  assert.equal(
    daemon.seen.map((request) => request.url),
    ['/api/v1/audit?limit=3', '/api/v1/audit?limit=3&cursor=c1'],
  );
  const line =
    '2025-01-01 00:00:05  alice (laptop\\u001b[2J)  192.0.2.1  15  record.create  odd.test   r5  {"type":"A"}';
  assert.is(stdout.split('\n')[0], line);
});

test('audit --domain shows only the domain; the service can be the actor', async ({ daemon, env }) => {
  daemon.before.push(page([entry(5), entry(4, { actor: null }), entry(2, { domain: null })]));
  const { stdout } = await run(['audit', '--domain', 'EVEN.test.'], { env });
  assert.match(daemon.seen[0].url, /domain=even\.test/);
  assert.match(stdout, /^2025-01-01 00:00:04 {2}the service .* r4 [^\n]*\n$/);
  daemon.before.push(page([entry(3)]));
  assert.is(JSON.parse((await run(['audit', '--json'], { env })).stdout).id, 'e3');
});

test('audit --follow: oldest first, then each new entry once, until the output closes', async ({ daemon, env }) => {
  daemon.before.push(
    page([entry(2), entry(1)]),
    page([entry(2), entry(1)]),
    page([entry(5), entry(4)], 'c1'),
    page([entry(3), entry(2), entry(1)]),
    // The last shown entry has expired.
    page([entry(7), entry(6), entry(1)], 'c1'),
  );
  let polls = 0;
  const { code, stdout, slept } = await run(['audit', '--follow', '--limit', '2'], {
    env,
    sleep(_, closeOutput) {
      if (++polls === 5) closeOutput();
      else if (polls === 4) daemon.before.push(page([entry(8), entry(7)]));
    },
  });
  assert.is(code, 0);
  assert.equal(ids(stdout), ['r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8']);
  assert.ok(slept.every((milliseconds) => milliseconds >= 2000));
});

const changed = (applied: string[], pending: string[]) => ({ body: { ok: true, seq: 12, applied, pending } });

test('change: shows which nodes have applied it', async ({ daemon, env }) => {
  daemon.before.push(changed(['n1', 'n2'], ['n3']));
  const { code, stdout } = await run(['change', '12'], { env });
  assert.equal([code, stdout], [0, 'change 12\n  applied  n1, n2\n  pending  n3\n']);
  assert.is(daemon.seen[0].url, '/api/v1/changes/12');
  const bad = await run(['change', '1/2'], { env });
  assert.match(bad.stderr, /\(usage\)\n {2}next: Writes print it/);
});

test('change --wait: waits for all nodes, or until the timeout', async ({ daemon, env }) => {
  daemon.before.push(changed([], ['n1', 'n2']), changed(['n1'], ['n2']), changed(['n1', 'n2'], []));
  const done = await run(['change', '12', '--wait', '--json'], { env });
  assert.equal([done.code, done.slept.length, JSON.parse(done.stdout).pending], [0, 2, []]);
  daemon.before.push(...Array.from({ length: 5 }, () => changed(['n1'], ['n2'])));
  const late = await run(['change', '12', '--wait', '--timeout', '1'], { env });
  assert.is(late.code, 1);
  assert.match(late.stderr, /After 1 s change 12 is still pending on n2\. \(pending\)/);
  assert.equal(late.slept, [500, 500]);
});

test.run();
