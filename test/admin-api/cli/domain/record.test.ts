import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FakeDaemon, run, TOKEN } from '../harness.ts';

const test = suite<{ daemon: FakeDaemon; env: NodeJS.ProcessEnv }>('admin-api/cli/record');
const ID = 123;

test.before.each(async (context) => {
  context.daemon = new FakeDaemon();
  context.env = { WAYPOST_URL: await context.daemon.start(), WAYPOST_TOKEN: TOKEN };
  context.daemon
    .addZone('a.test')
    .records.push(
      { id: ID, name: 'www', type: 'A', content: '192.0.2.1', ttl: 600, proxied: null },
      { id: 'r-b', name: 'www', type: 'A', content: '192.0.2.2', ttl: 600, proxied: null },
      { id: 'r-c', name: '@', type: 'TXT', content: `"${'long '.repeat(40)}"`, ttl: 60, proxied: null },
      { id: 'r-d', name: 'mail', type: 'A', content: '192.0.2.3', ttl: 60, proxied: false },
    );
});
test.after.each((context) => context.daemon.stop());

/** The last sent batch. */
const sent = ({ seen }: FakeDaemon) => JSON.parse(seen[seen.length - 1].body);
const contents = ({ zones }: FakeDaemon, name: string) =>
  zones.get('a.test')?.records.flatMap((row) => (row.name === name ? [row.content] : []));

test('add: one record per content, in one batch', async ({ daemon, env }) => {
  const argv = ['record', 'add', 'a.test', '@', 'MX', 'mx1.a.test', 'mx2.a.test', '--priority', '10', '--ttl', '900'];
  const { code, stdout, stderr } = await run(argv, { env });
  assert.is(code, 0, stderr);
  const common = { name: '@', type: 'MX', ttl: 900, priority: 10 };
  const post = [
    { ...common, content: 'mx1.a.test' },
    { ...common, content: 'mx2.a.test' },
  ];
  assert.equal(sent(daemon), { delete: [], put: [], post });
  assert.match(
    stdout,
    /^a\.test: created 2 records \(change 2\)\n {2}\+ @ 900 MX mx1\.a\.test {2}\(id r2\)\n {2}\+ @ /,
  );
});

test('add with --no-proxied, --proxied or neither; --json prints the response and the change', async ({
  daemon,
  env,
}) => {
  for (const [argv, proxied] of [
    [['--no-proxied'], false],
    [['--proxied'], true],
    [[], undefined],
  ] as const) {
    const { stdout } = await run(['record', 'add', 'a.test', 'x', 'A', '192.0.2.9', '--json', ...argv], { env });
    assert.is(sent(daemon).post[0].proxied, proxied);
    const body = JSON.parse(stdout);
    assert.equal([body.ok, body.created.length, typeof body.change], [true, 1, 'number']);
  }
});

test('invalid values are misuse', async ({ daemon, env }) => {
  for (const more of [
    ['--ttl', '0'],
    ['--ttl', '1.5'],
    ['--priority', '65536'],
    ['--ttl', '604801'],
  ]) {
    assert.is(
      (await run(['record', 'add', 'a.test', 'x', 'A', '192.0.2.9', ...more], { env })).code,
      2,
      more.join(' '),
    );
  }
  assert.is((await run(['record', 'add', 'a.test', 'x', 'A'], { env })).code, 2);
  assert.is(daemon.seen.length, 0);
});

test('a piped list is aligned and never truncated', async ({ env }) => {
  const { code, stdout } = await run(['record', 'list', 'a.test'], { env });
  assert.is(code, 0);
  const lines = stdout.trimEnd().split('\n');
  assert.is(lines[0], '123  www   600  A    auto  192.0.2.1');
  assert.is(lines[2], `r-c  @     60   TXT  auto  "${'long '.repeat(40)}"`);
  assert.is(lines[3], 'r-d  mail  60   A    no    192.0.2.3');
});

test('a list on a terminal has headings, and lines that fit', async ({ env }) => {
  const { stdout } = await run(['record', 'list', 'a.test'], { env, columns: 60 });
  const lines = stdout.trimEnd().split('\n');
  assert.is(lines[0], 'ID   NAME  TTL  TYPE  PROXIED  CONTENT');
  assert.match(lines[3], /^r-c .*"long .*…$/);
  assert.ok(lines.every((line) => line.length <= 60));
});

test('list filters by name, type and content', async ({ daemon, env }) => {
  const argv = ['record', 'list', 'a.test', '--name', 'www', '--type', 'A', '--content', '192.0.2.2', '--json'];
  const { stdout } = await run(argv, { env });
  assert.is(JSON.parse(stdout).id, 'r-b');
  assert.match(daemon.seen[1].url, /\/records\?limit=1000&name=www&type=A&content=192\.0\.2\.2$/);
  assert.is((await run(['record', 'list', 'a.test', '--name', 'no'], { env })).stderr, 'No records found.\n');
});

test('the content of a record cannot control the terminal', async ({ daemon, env }) => {
  daemon.zones
    .get('a.test')
    ?.records.push({ id: 'r-e', name: 'e', type: 'TXT', content: '"\u001b[2J\u202e"', ttl: 60 });
  for (const argv of [
    ['list', 'a.test'],
    ['rm', 'a.test', 'e', 'TXT'],
  ]) {
    const { stdout } = await run(['record', ...argv], { env });
    assert.match(stdout, /"\\u001b\[2J\\u202e"/);
  }
});

test('set: keeps equal records, deletes and creates the others, and keeps TTL and proxied', async ({ daemon, env }) => {
  const { code, stdout } = await run(['record', 'set', 'a.test', 'www', 'A', '192.0.2.2', '192.0.2.7'], { env });
  assert.is(code, 0);
  const post = [{ name: 'www', type: 'A', content: '192.0.2.7', ttl: 600 }];
  assert.equal(sent(daemon), { delete: [ID], put: [], post });
  assert.match(
    stdout,
    /^a\.test: deleted 1 record, created 1 record \(change 2\)\n {2}- www 600 A 192\.0\.2\.1 {2}\(id 123/,
  );
  await run(['record', 'set', 'a.test', 'mail', 'A', '192.0.2.8'], { env });
  assert.is(sent(daemon).post[0].proxied, false);
});

test('set --ttl and --proxied change the kept records', async ({ daemon, env }) => {
  const same = ['record', 'set', 'a.test', 'www', 'A', '192.0.2.1', '192.0.2.2'];
  await run([...same, '--ttl', '60'], { env });
  assert.equal(
    sent(daemon).put.map((row: { ttl: number }) => row.ttl),
    [60, 60],
  );
  await run([...same, '--proxied'], { env });
  assert.equal(
    sent(daemon).put.map((row: { proxied: boolean }) => row.proxied),
    [true, true],
  );
});

test('set with the existing records writes nothing', async ({ daemon, env }) => {
  const argv = ['record', 'set', 'a.test', 'www', 'A', '192.0.2.2', '192.0.2.1', '192.0.2.1'];
  assert.is((await run(argv, { env })).stdout, 'a.test: nothing to change\n');
  assert.ok(daemon.seen.every((request) => request.method === 'GET'));
  const { stdout } = await run([...argv, '--json'], { env });
  assert.equal(JSON.parse(stdout), { ok: true, deleted: [], updated: [], created: [] });
});

test('set retries after a write between its read and its write', async ({ daemon, env }) => {
  const zone = daemon.zones.get('a.test')!;
  daemon.onBatch = () => {
    daemon.onBatch = undefined;
    zone.records.push({ id: 'r-x', name: 'www', type: 'A', content: '192.0.2.99', ttl: 600, proxied: null });
    zone.revision++;
  };
  const { code } = await run(['record', 'set', 'a.test', 'www', 'A', '192.0.2.5'], { env });
  assert.is(code, 0);
  assert.equal(contents(daemon, 'www'), ['192.0.2.5']);
});

test('set gives up if other writes never stop', async ({ daemon, env }) => {
  const zone = daemon.zones.get('a.test')!;
  daemon.onBatch = () => void zone.revision++;
  const { code, stderr } = await run(['record', 'set', 'a.test', 'www', 'A', '192.0.2.5'], { env });
  assert.is(code, 1);
  assert.match(stderr, /\(changed\)\n {2}next: The domain was changed in the meantime/);
  assert.equal(contents(daemon, 'www'), ['192.0.2.1', '192.0.2.2']);
});

test('rm by id, by name, by name and type, by all three', async ({ daemon, env }) => {
  for (const [argv, deleted] of [
    [[String(ID)], [ID]],
    [['www', 'A', '192.0.2.2'], ['r-b']],
    [['@', 'TXT'], ['r-c']],
    [['mail'], ['r-d']],
  ] as const) {
    const { code, stdout } = await run(['record', 'rm', 'a.test', ...argv], { env });
    assert.is(code, 0, argv.join(' '));
    assert.match(stdout, /^a\.test: deleted 1 record/);
    assert.equal(sent(daemon).delete, deleted);
  }
  assert.is(daemon.zones.get('a.test')?.records.length, 0);
  const none = await run(['record', 'rm', 'a.test', 'www', 'A'], { env });
  assert.is(none.code, 1);
  assert.match(
    none.stderr,
    /a\.test has no record "www A"\. \(no_such_record\)\n {2}next: List its records with "waypost record list a\.test"/,
  );
});

test('a name that looks like an id takes precedence', async ({ daemon, env }) => {
  daemon.zones.get('a.test')?.records.push({ id: 'r-e', name: String(ID), type: 'TXT', content: '"x"', ttl: 60 });
  await run(['record', 'rm', 'a.test', String(ID)], { env });
  assert.equal(sent(daemon).delete, ['r-e']);
});

test('rm of several records lists them and asks', async ({ daemon, env }) => {
  const silent = await run(['record', 'rm', 'a.test', 'www'], { env });
  assert.is(silent.code, 1);
  assert.match(silent.stderr, /^ {2}- www 600 A 192\.0\.2\.1 .*\n {2}- www .*\nerror: .*2 records.*\(not_confirmed\)/);
  assert.is((await run(['record', 'rm', 'a.test', 'www'], { env, typed: 'n\n' })).code, 1);
  assert.is(daemon.zones.get('a.test')?.records.length, 4);
  assert.is((await run(['record', 'rm', 'a.test', 'www'], { env, typed: 'y\n' })).code, 0);
  assert.is(daemon.zones.get('a.test')?.records.length, 2);
});

test.run();
