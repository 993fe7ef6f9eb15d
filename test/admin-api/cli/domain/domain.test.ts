import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Live, startLive } from '../live.ts';

const test = suite<Live>('admin-api/cli/domain');
test.before(async (context) => void Object.assign(context, await startLive()));
test.after((context) => context.daemon.stop());

test('add prints the nameservers and the number of the change; with --json, the number is a field', async ({
  waypost,
  json,
}) => {
  const { code, stdout, stderr } = await waypost(['domain', 'add', 'alpha.test']);
  assert.is(code, 0, stderr);
  assert.match(
    stdout,
    /^created alpha\.test \(change \d+\)\n {2}delegate it to: ns1\.waypost\.test, ns2\.waypost\.test\n$/,
  );
  const [made] = await json(['domain', 'add', 'bücher.test']);
  assert.is(made.domain.domain, 'xn--bcher-kva.test');
  assert.type(made.change, 'number');
});

test('add continues after a failure, and exits with 1', async ({ waypost, daemon }) => {
  const { code, stdout, stderr } = await waypost([
    'domain',
    'add',
    'c.test',
    'bad..name',
    'c.test',
    'd.test',
    '--json',
  ]);
  assert.is(code, 1);
  const names = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).domain.domain);
  assert.equal(names, ['c.test', 'd.test']);
  const codes = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).error.code);
  assert.equal(codes, ['invalid_domain', 'zone_exists']);
  const token = await waypost(['domain', 'add', 'e.test', 'f.test', '--token', `${daemon.adminToken}x`]);
  assert.is(token.stderr.match(/error:/g)?.length, 1);
});

test('add-all creates the domains of standard input or of a file, all or none', async ({ waypost, json }) => {
  const addAll = (stdin: string) => waypost(['domain', 'add-all', '-'], { stdin });
  const { code, stdout, stderr } = await addAll('# ours\none.all.test\r\n\n  two.all.test  \n');
  assert.is(code, 0, stderr);
  assert.match(stdout, /^created 2 domains \(change \d+\)\n$/);
  const failed = await addAll('three.all.test\ntwo.all.test\n');
  assert.is(failed.code, 1);
  assert.match(failed.stderr, /already exists in this account\. Nothing was changed\./);
  assert.match((await addAll('# none\n')).stderr, /names no domain/);
  assert.match((await waypost(['domain', 'add-all', '/nowhere/names'])).stderr, /\/nowhere\/names cannot be read/);
  const names = (await json(['domain', 'list', '--filter', 'all.test'])).map((row) => row.domain);
  assert.equal(names, ['one.all.test', 'two.all.test']);
});

test('list applies the filter, without headings in a pipe', async ({ waypost, json }) => {
  const { stdout } = await waypost(['domain', 'list', '--filter', 'alph']);
  assert.match(stdout, /^alpha\.test +\d+\n$/);
  assert.is((await waypost(['zone', 'list', '--filter', 'alph'])).stdout, stdout);
  assert.equal(
    (await json(['domain', 'list', '--filter', 'bcher'])).map((row) => row.domain),
    ['xn--bcher-kva.test'],
  );
  const none = await waypost(['domain', 'list', '--filter', 'nothing']);
  assert.equal([none.code, none.stdout, none.stderr], [0, '', 'No domains found.\n']);
});

test('a terminal gets headings', async ({ waypost }) => {
  const { stdout } = await waypost(['domain', 'list', '--filter', 'alph'], { columns: 80 });
  assert.match(stdout, /^DOMAIN +RECORDS\nalpha\.test/);
});

test('show, with the name in Unicode and in capitals', async ({ waypost, json }) => {
  const { code, stdout } = await waypost(['domain', 'show', 'BÜCHER.test.']);
  assert.is(code, 0);
  assert.match(
    stdout,
    /^xn--bcher-kva\.test\n {2}id +\d+\n {2}kind +primary\n {2}members +.*\n {2}nameservers +ns1\.waypost\.test, ns2/,
  );
  assert.match(stdout, /\n {2}proxy_enabled +no\n/);
  const [{ domain }] = await json(['domain', 'show', 'alpha.test']);
  assert.is(domain.domain, 'alpha.test');
  const none = await waypost(['domain', 'show', 'no.test']);
  assert.is(none.code, 1);
  assert.match(none.stderr, /no domain "no\.test"\. \(no_such_domain\)\n {2}next: .*waypost domain list/);
});

test('rm asks on a terminal, and requires --yes elsewhere', async ({ waypost }) => {
  const left = async () => (await waypost(['domain', 'list', '--filter', 'd.test'])).stdout !== '';
  const silent = await waypost(['domain', 'rm', 'd.test']);
  assert.is(silent.code, 1);
  assert.match(silent.stderr, /Remove d\.test with \d+ records?\? \(not_confirmed\)\n {2}next: Pass --yes/);
  for (const typed of ['n\n', '\n', '', 'yess\n']) {
    const kept = await waypost(['domain', 'rm', 'd.test'], { typed });
    assert.is(kept.code, 1);
    assert.match(kept.stderr, /^Remove d\.test with .*\? \[y\/N\] error: .*\(cancelled\)/);
  }
  assert.ok(await left());
  const gone = await waypost(['domain', 'rm', 'D.test'], { typed: 'y\n' });
  assert.is(gone.code, 0);
  assert.match(
    gone.stdout,
    /^removed d\.test \(change \d+\)\n {2}it can be restored until [\d-]+ [\d:]+: waypost domain restore d\.test\n$/,
  );
  assert.not(await left());
  assert.match((await waypost(['domain', 'rm', 'c.test', '--yes'])).stdout, /^removed c\.test/);
});

test('deleted lists what rm has removed; restore brings it back by name or id, and rm --permanent does not', async ({
  waypost,
  json,
}) => {
  await waypost(['domain', 'add', 'r.test']);
  await waypost(['record', 'add', 'r.test', 'www', 'A', '192.0.2.1']);
  const remove = (...more: string[]) => waypost(['domain', 'rm', 'r.test', '--yes', ...more]);
  const deleted = async () => (await json(['domain', 'deleted'])).filter((row) => String(row.domain) === 'r.test');
  await remove();
  const [{ id }] = await deleted();
  assert.match((await waypost(['domain', 'deleted'])).stdout, new RegExp(`^${id} .* r\\.test$`, 'm'));
  const restored = await waypost(['domain', 'restore', 'R.test.']);
  assert.match(restored.stdout, /^restored r\.test with 1 record \(change \d+\)\n$/);
  assert.equal(await deleted(), []);
  await remove();
  assert.is((await waypost(['domain', 'restore', String(id)])).code, 0);
  await remove();
  assert.match((await remove('--permanent')).stdout, /^removed r\.test \(change \d+\)\n$/);
  assert.equal(await deleted(), []);
  const none = await waypost(['domain', 'restore', 'r.test']);
  assert.is(none.code, 1);
  assert.match(none.stderr, /No removed domain "r\.test" can be restored\..*\n {2}next: .*waypost domain deleted/);
});

test.run();
