import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Live, startLive } from '../live.ts';

const test = suite<Live>('admin-api/cli/record, with the API');
test.before(async (context) => {
  Object.assign(context, await startLive());
  await context.json(['domain', 'add', 'bücher.test']);
});
test.after((context) => context.daemon.stop());

/** Contents of a name and type, in the order of the daemon. */
async function contents({ json }: Live, name: string, type: string): Promise<string[]> {
  const rows = await json(['record', 'list', 'bücher.test', '--name', name, '--type', type]);
  return rows.map((row) => String(row.content));
}

test('add: all records or none', async (live) => {
  const { code, stdout, stderr } = await live.waypost([
    'record',
    'add',
    'bücher.test',
    'www',
    'A',
    '192.0.2.1',
    '192.0.2.2',
    '--ttl',
    '600',
  ]);
  assert.is(code, 0, stderr);
  assert.match(
    stdout,
    /^xn--bcher-kva\.test: created 2 records \(change \d+\)\n {2}\+ www 600 A 192\.0\.2\.1 {2}\(id \d+\)\n/,
  );
  const bad = await live.waypost(['record', 'add', 'bücher.test', 'mx', 'A', '192.0.2.1', '192.0.2.256']);
  assert.is(bad.code, 1);
  assert.match(bad.stderr, /\(invalid_content, \/post\/1\/content\)/);
  assert.equal(await contents(live, 'mx', 'A'), []);
});

test('the error for a content without quotes suggests quotes', async (live) => {
  const { code, stderr } = await live.waypost(['record', 'add', 'bücher.test', '@', 'MX', '10', 'mail.bücher.test']);
  assert.is(code, 1);
  assert.match(stderr, /\n {2}next: Quote content with spaces/);
});

test('priority as an option, names in Unicode, text', async (live) => {
  await live.json(['record', 'add', 'bücher.test', '@', 'MX', 'mx.bücher.test', '--priority', '10']);
  assert.equal(await contents(live, '@', 'MX'), ['10 mx.xn--bcher-kva.test.']);
  await live.json(['record', 'add', 'bücher.test', 'müller', 'TXT', 'v=spf1 mx -all']);
  const [row] = await live.json(['record', 'list', 'bücher.test', '--name', 'müller']);
  assert.equal([row.name, row.content], ['xn--mller-kva', '"v=spf1 mx -all"']);
});

test('set: replaces atomically; keeps TTL and unchanged records with their ids', async (live) => {
  const before = await live.json(['record', 'list', 'bücher.test', '--name', 'www']);
  const [body] = await live.json(['record', 'set', 'bücher.test', 'www', 'A', '192.0.2.2', '192.0.2.3']);
  assert.equal([Object.values(body.deleted), body.created[0].ttl], [[before[0].id], 600]);
  assert.equal((await contents(live, 'www', 'A')).sort(), ['192.0.2.2', '192.0.2.3']);
  const ids = (await live.json(['record', 'list', 'bücher.test', '--name', 'www'])).map((row) => row.id);
  assert.ok(ids.includes(before[1].id));
});

test('set with another spelling of the same content', async (live) => {
  await live.json(['record', 'set', 'bücher.test', 'six', 'AAAA', '2001:db8::1', '2001:db8::2']);
  const [body] = await live.json(['record', 'set', 'bücher.test', 'six', 'AAAA', '2001:DB8:0::2', '2001:db8:0:0::1']);
  assert.is(Object.values(body.created).length, 2);
  assert.equal((await contents(live, 'six', 'AAAA')).sort(), ['2001:db8::1', '2001:db8::2']);
});

test('set with the existing records, in a usual spelling, changes nothing', async ({ waypost }) => {
  for (const argv of [
    ['müller', 'TXT', 'v=spf1 mx -all'],
    ['@', 'MX', '10 mx.xn--bcher-kva.test'],
    ['@', 'MX', 'mx.xn--bcher-kva.test', '--priority', '10'],
  ]) {
    const { stdout } = await waypost(['record', 'set', 'bücher.test', ...argv]);
    assert.is(stdout, 'xn--bcher-kva.test: nothing to change\n', argv.join(' '));
  }
});

test('set --ttl only, and --proxied', async (live) => {
  const [timed] = await live.json([
    'record',
    'set',
    'bücher.test',
    'six',
    'AAAA',
    '2001:db8::1',
    '2001:db8::2',
    '--ttl',
    '60',
  ]);
  assert.equal(
    Object.values(timed.updated).map((row) => row.ttl),
    [60, 60],
  );
  const [switched] = await live.json([
    'record',
    'set',
    'bücher.test',
    'six',
    'AAAA',
    '2001:db8::1',
    '2001:db8::2',
    '--no-proxied',
  ]);
  assert.equal(
    Object.values(switched.updated).map((row) => row.proxied),
    [false, false],
  );
  const [kept] = await live.json(['record', 'set', 'bücher.test', 'six', 'AAAA', '2001:db8::3']);
  assert.equal([kept.created[0].ttl, kept.created[0].proxied], [60, false]);
});

test('--comment: kept by later sets, shown in lists, and removed by ""', async (live) => {
  const set = (...more: string[]) => live.json(['record', 'set', 'bücher.test', 'note', 'A', ...more]);
  assert.is((await set('192.0.2.1', '--comment', 'web server'))[0].created[0].comment, 'web server');
  assert.is((await set('192.0.2.2'))[0].created[0].comment, 'web server');
  const { stdout } = await live.waypost(['record', 'list', 'bücher.test', '--name', 'note']);
  assert.match(stdout, /192\.0\.2\.2 {2}; web server/);
  assert.is((await set('192.0.2.2', '--comment', ''))[0].updated[0].comment, null);
  await live.json(['record', 'rm', 'bücher.test', 'note', 'A', '192.0.2.2']);
});

test('of two concurrent sets, one applies completely', async (live) => {
  for (let round = 0; round < 3; round++) {
    const sets = [
      [`192.0.2.${round * 4 + 1}`, `192.0.2.${round * 4 + 2}`],
      [`192.0.2.${round * 4 + 3}`, `192.0.2.${round * 4 + 4}`],
    ];
    await Promise.all(sets.map((set) => live.json(['record', 'set', 'bücher.test', 'race', 'A', ...set])));
    const left = (await contents(live, 'race', 'A')).sort();
    assert.ok(
      sets.some((set) => set.toSorted().join() === left.join()),
      left.join(),
    );
  }
});

test('rm by id, by content, by name', async (live) => {
  const [row] = await live.json(['record', 'list', 'bücher.test', '--name', 'six']);
  assert.match((await live.waypost(['record', 'rm', 'bücher.test', String(row.id)])).stdout, /: deleted 1 record /);
  const again = await live.waypost(['record', 'rm', 'bücher.test', String(row.id)]);
  assert.match(
    again.stderr,
    /\(no_such_record, \/delete\/0\)\n {2}next: List the records of the domain with "waypost record list"/,
  );
  assert.is((await live.waypost(['record', 'rm', 'bücher.test', 'www', 'A', '192.0.2.2'])).code, 0);
  assert.equal(await contents(live, 'www', 'A'), ['192.0.2.3']);
  assert.is((await live.waypost(['record', 'rm', 'bücher.test', 'race'])).code, 1);
  assert.is((await live.waypost(['record', 'rm', 'bücher.test', 'race', '--yes'])).code, 0);
  assert.equal(await contents(live, 'race', 'A'), []);
});

test('audit and change show the changes', async ({ waypost, json }) => {
  const [{ change }] = await json(['record', 'add', 'bücher.test', 'a', 'A', '192.0.2.1']);
  const [entry] = await json(['audit', '--limit', '1']);
  assert.equal([entry.action, entry.domain, entry.revision], ['record.batch', 'xn--bcher-kva.test', change]);
  const { stdout } = await waypost(['audit', '--domain', 'BÜCHER.test', '--limit', '2']);
  assert.match(
    stdout,
    /^[-\d]{10} [:\d]{8} {2}admin \(test\) {2}127\.0\.0\.1 +\d+ {2}record\.batch {2}xn--bcher-kva\.test /,
  );
  assert.is(stdout.split('\n').length, 3);
  assert.is((await json(['audit', '--domain', 'other.test'])).length, 0);
  const [state] = await json(['change', String(change), '--wait']);
  assert.equal([state.seq, Object.values(state.applied).length, Object.values(state.pending).length], [change, 1, 0]);
  const none = await waypost(['change', '999999']);
  assert.match(none.stderr, /\(no_such_change\)\n {2}next: Writes print/);
});

test.run();
