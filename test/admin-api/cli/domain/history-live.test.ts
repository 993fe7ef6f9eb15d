import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Live, startLive } from '../live.ts';

const test = suite<Live>('admin-api/cli/history and statistics, with the API');
test.before(async (context) => {
  Object.assign(context, await startLive());
});
test.after(({ daemon }) => daemon.stop());

const contents = async ({ json }: Live, domain: string): Promise<string[]> => {
  const rows = await json(['record', 'list', domain]);
  return rows.map(({ name, content }) => `${name} ${content}`).sort();
};

test('undo shows the change, asks, and gives the records of before; a second one gives them back', async (live) => {
  const { waypost, json } = live;
  await json(['domain', 'add', 'undo.test']);
  await json(['record', 'add', 'undo.test', 'www', 'A', '192.0.2.1']);
  await json(['record', 'set', 'undo.test', 'www', 'A', '192.0.2.2']);
  const dry = await waypost(['history', 'undo', 'undo.test', '--dry-run']);
  assert.match(dry.stdout, /^undo\.test: .* would change\n/);
  assert.match(dry.stdout, /^ {2}- www 300 A 192\.0\.2\.2/m);
  assert.match(dry.stdout, /^ {2}\+ www 300 A 192\.0\.2\.1/m);
  assert.equal(await contents(live, 'undo.test'), ['www 192.0.2.2']);
  const unasked = await waypost(['history', 'undo', 'undo.test']);
  assert.is(unasked.code, 1);
  assert.match(unasked.stderr, /\+ www 300 A 192\.0\.2\.1[\s\S]*\(not_confirmed\)/);
  assert.equal(await contents(live, 'undo.test'), ['www 192.0.2.2']);
  const undone = await waypost(['history', 'undo', 'undo.test'], { typed: 'y\n' });
  assert.match(undone.stdout, /^undid change \d+ of undo\.test \(change \d+\)\n$/);
  assert.equal(await contents(live, 'undo.test'), ['www 192.0.2.1']);
  assert.is((await waypost(['history', 'undo', 'undo.test', '--yes'])).code, 0);
  assert.equal(await contents(live, 'undo.test'), ['www 192.0.2.2']);
});

test('undo keeps what later changes did to other settings, and ends at the creation', async (live) => {
  const { waypost, json } = live;
  await json(['domain', 'add', 'later.test']);
  const none = await waypost(['history', 'undo', 'later.test', '--yes']);
  assert.is(none.code, 1);
  assert.match(none.stderr, /\(nothing_to_undo\)\n {2}next: .*waypost history list later\.test/);
  await json(['record', 'add', 'later.test', 'a', 'A', '192.0.2.1']);
  await json(['proxy', 'set', 'later.test', '1.1.1.1']);
  const [{ change }] = await json(['history', 'undo', 'later.test', '--yes']);
  assert.ok(Number(change) > 0);
  assert.equal(await contents(live, 'later.test'), []);
  assert.is((await json(['proxy', 'status', 'later.test']))[0].proxy.origin_host as unknown, '1.1.1.1');
});

test('list, show and restore by the number of a change', async (live) => {
  const { waypost, json } = live;
  await json(['domain', 'add', 'back.test']);
  const [first] = await json(['record', 'add', 'back.test', 'www', 'A', '192.0.2.1', '--comment', 'old']);
  await json(['record', 'rm', 'back.test', 'www', '--yes']);
  const [proxied] = await json(['proxy', 'set', 'back.test', '1.1.1.1']);
  const listed = await waypost(['history', 'list', 'back.test', '--limit', '2']);
  assert.match(listed.stdout, /^\d+ +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +admin.* proxy\.\w+ +0\n\d+ .* record\S+ +1\n$/);
  const rows = await json(['history', 'list', 'back.test', '--filter', 'www']);
  assert.ok(rows.length >= 2);
  assert.is(Number(rows.at(-1)?.seq), Number(first.change));
  const shown = await waypost(['history', 'show', 'back.test', String(first.change)]);
  assert.match(
    shown.stdout,
    /^change \d+ at .*: record\S+, admin.*\n {2}\+ www 300 A 192\.0\.2\.1.*\n {2}\+ www A ; old\n$/,
  );
  const proxy = await waypost(['history', 'show', 'back.test', String(proxied.change)]);
  assert.match(proxy.stdout, /^ {2}proxy origin_host: - -> 1\.1\.1\.1$/m);
  const unknown = await waypost(['history', 'show', 'back.test', '999999']);
  assert.match(unknown.stderr, /\(no_such_change\)/);
  assert.match((await waypost(['history', 'show', 'back.test', 'x'])).stderr, /"x" is not the number of a change/);
  const restored = await waypost(['history', 'restore', 'back.test', String(first.change), '--yes']);
  assert.match(restored.stdout, /^restored the records of back\.test after change \d+ \(change \d+\)\n$/);
  assert.equal(await contents(live, 'back.test'), ['www 192.0.2.1']);
  const again = await waypost(['history', 'restore', 'back.test', String(first.change), '--yes']);
  assert.is(again.stdout, 'back.test: nothing to change\n');
});

test('statistics of a domain and of the account, as text and JSON', async ({ waypost, json }) => {
  await json(['domain', 'add', 'counted.test']);
  for (const [of, argv] of [
    ['counted\\.test', ['counted.test']],
    ['all domains', []],
  ] as const) {
    const { code, stdout, stderr } = await waypost(['statistics', ...argv]);
    assert.is(code, 0, stderr);
    assert.match(stdout, new RegExp(`^${of}, from \\d{4}.* to \\d{4}.*\\n {2}queries {6}\\d+`));
    const [{ statistics }] = await json(['statistics', ...argv, '--step', '3600']);
    assert.is(Number(statistics.step), 3600);
  }
  const { code, stderr } = await waypost(['statistics', 'counted.test', '--from', 'yesterday']);
  assert.is(code, 1);
  assert.match(stderr, /"from" must be a time as YYYY-MM-DD/);
});

test.run();
