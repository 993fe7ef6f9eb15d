import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FakeDaemon, run, TOKEN } from '../harness.ts';

const test = suite<{ daemon: FakeDaemon; env: NodeJS.ProcessEnv; folder: string }>('admin-api/cli/zone import');

test.before.each(async (context) => {
  context.daemon = new FakeDaemon();
  context.env = { WAYPOST_URL: await context.daemon.start(), WAYPOST_TOKEN: TOKEN };
  context.folder = mkdtempSync(join(tmpdir(), 'waypost-import-'));
});
test.after.each(async (context) => {
  await context.daemon.stop();
  rmSync(context.folder, { recursive: true });
});

test('one file: creates the zone, and sends the bytes unchanged', async ({ daemon, env, folder }) => {
  const file = join(folder, 'Example.NET.zone');
  writeFileSync(file, '@ A 192.0.2.1\nwww A 192.0.2.2\n');
  const { code, stdout, stderr } = await run(['zone', 'import', file], { env });
  assert.is(code, 0, stderr);
  assert.match(stdout, /^imported 1 zones, 2 records in [\d.]+ s, \d+ records\/s\n$/);
  assert.is(daemon.zones.get('example.net')?.text, '@ A 192.0.2.1\nwww A 192.0.2.2\n');
  assert.is(daemon.seen.length, 1);
  const [{ method, url, headers }] = daemon.seen;
  assert.is(method, 'POST');
  assert.match(url, /^\/api\/v1\/domains\/zonefile\?domain=example\.net&apex=keep&bad_lines=skip$/i);
  assert.equal([headers['content-type'], headers['content-length']], ['text/dns', '30']);
  assert.ok(headers['idempotency-key']);
});

test('prints warnings of the daemon, and passes on --strict', async ({ daemon, env, folder }) => {
  const file = join(folder, 'a.test.zone');
  writeFileSync(file, '@ A 192.0.2.1\ndoubtful\n');
  const { code, stdout, stderr } = await run(['zone', 'import', file], { env });
  assert.is(code, 0);
  assert.match(stdout, /^imported 1 zones, 2 records/);
  assert.is(stderr, `${file}:2: warning: hidden \\u001b "doubtful" (occluded)\n7 more warnings\n`);
  const again = await run(['zone', 'import', file, '--replace', '--strict', '--json'], { env });
  assert.is(daemon.seen.at(-1)?.url, '/api/v1/domains/1/zonefile?apex=keep&strict=true');
  const { ok, warnings, warnings_omitted } = JSON.parse(again.stdout);
  assert.equal([ok, warnings.length, warnings[0].line, warnings[0].file, warnings_omitted], [true, 1, 2, file, 7]);
});

test('--apex service ignores the apex of the file', async ({ daemon, env, folder }) => {
  writeFileSync(join(folder, 'a.test.zone'), '@ A 192.0.2.1\n');
  await run(['zone', 'import', folder, '--apex', 'service'], { env });
  assert.is(daemon.seen[0].url, '/api/v1/domains/zonefile?domain=a.test&bad_lines=skip');
});

test('accepts a file of any name with --zone, also in Unicode', async ({ daemon, env, folder }) => {
  const file = join(folder, 'db.txt');
  writeFileSync(file, '@ A 192.0.2.1\n');
  assert.match(
    (await run(['zone', 'import', file], { env })).stderr,
    /\(zone_name_needed\)\n {2}next: Pass --zone NAME/,
  );
  assert.is((await run(['zone', 'import', file, '--zone', 'bücher.test.'], { env })).code, 0);
  assert.ok(daemon.zones.has('xn--bcher-kva.test'));
  assert.is((await run(['zone', 'import', folder, '--zone', 'a.test'], { env })).code, 1);
});

test('the zone of a file is that of its SOA, if it is absolute, or that of its name', async ({
  daemon,
  env,
  folder,
}) => {
  const soa = '@ 300 SOA ns.example. h.example. 1 2 3 4 5\n';
  writeFileSync(join(folder, 'corp.zone'), `$ORIGIN corp.example.\n${soa}`);
  writeFileSync(join(folder, 'b.test.zone'), soa);
  assert.is((await run(['zone', 'import', folder], { env })).code, 0);
  const created = daemon.seen
    .filter(({ method }) => method === 'POST')
    .map(({ url }) => new URL(url, 'http://daemon').searchParams.get('domain') ?? '');
  assert.equal(created.sort(), ['b.test', 'corp.example']);
});

test('a folder: every NAME.zone once, no other files, with limited concurrency', async ({ daemon, env, folder }) => {
  for (let i = 0; i < 60; i++) writeFileSync(join(folder, `z${i}.test.zone`), 'a A 192.0.2.1\n'.repeat(i + 1));
  writeFileSync(join(folder, 'notes.txt'), 'x');
  writeFileSync(join(folder, '.hidden.zone'), 'x');
  mkdirSync(join(folder, 'sub.zone'));
  const { code, stdout } = await run(['zone', 'import', folder, '--concurrency', '4', '--json'], { env });
  assert.is(code, 0);
  const { zones, records, failed } = JSON.parse(stdout);
  assert.equal([zones, records, failed], [60, (60 * 61) / 2, []]);
  assert.is(daemon.zones.size, 60);
  // Whether the plan has room for all, then one request a zone.
  assert.is(daemon.seen.length, 61);
  assert.ok(daemon.mostConcurrent <= 4);
});

test('streams a large file, and counts its bytes as progress', async ({ daemon, env, folder }) => {
  const text = 'www A 192.0.2.1\n'.repeat(200_000);
  writeFileSync(join(folder, 'big.test.zone'), text);
  const { code, stdout } = await run(['zone', 'import', join(folder, 'big.test.zone')], { env });
  assert.is(code, 0);
  assert.match(stdout, /^imported 1 zones, 200000 records /);
  assert.is(daemon.zones.get('big.test')?.text.length, text.length);
});

const IN_PROGRESS = {
  domain: 'a.test',
  phase: 'records',
  position: null,
  percent: 40,
  records: { done: 500, total: 1000 },
};

test('shows what the daemon does with a file, and nothing with --json', async ({ daemon, env, folder }) => {
  const file = join(folder, 'a.test.zone');
  writeFileSync(file, '@ A 192.0.2.1\n');
  // A line is printed at least once while these are requested.
  daemon.imports.push({ ...IN_PROGRESS, domain: 'other.test', percent: 7 }, ...Array(4).fill(IN_PROGRESS));
  const { code, stderr } = await run(['zone', 'import', file], { env });
  assert.is(code, 0, stderr);
  assert.match(stderr, /^writing records: 500 of 1000, 40 %$/m);
  assert.not.match(stderr, / 7 %/);
  daemon.imports.push(IN_PROGRESS);
  const json = await run(['zone', 'import', file, '--replace', '--json'], { env });
  assert.equal([json.code, json.stderr], [0, '']);
});

test('sends a streamed body completely again after 503', async ({ daemon, env, folder }) => {
  const text = 'www A 192.0.2.1\n'.repeat(20_000);
  writeFileSync(join(folder, 'big.test.zone'), text);
  const later = { status: 503, body: { ok: false, error: { code: 'no_quorum', message: 'Later.' } } };
  daemon.before.push(later);
  const { code, slept } = await run(['zone', 'import', folder], { env });
  assert.equal([code, slept.length], [0, 1]);
  assert.is(daemon.zones.get('big.test')?.text, text);
});

test('an existing zone fails, or is replaced with --replace', async ({ daemon, env, folder }) => {
  daemon.addZone('a.test', 'old A 192.0.2.9\n');
  daemon.addZone('www.a.test', 'old A 192.0.2.9\n');
  for (const zone of ['a.test', 'b.test']) writeFileSync(join(folder, `${zone}.zone`), '@ A 192.0.2.1\n');
  const kept = await run(['zone', 'import', folder], { env });
  assert.is(kept.code, 1);
  assert.match(kept.stderr, /a\.test\.zone: error: .*\(zone_exists, \/domain\)\n {2}next: .*--replace/);
  assert.match(kept.stdout, /^imported 1 zones, 1 records .*\n1 zones failed/);
  assert.is(daemon.zones.get('a.test')?.text, 'old A 192.0.2.9\n');
  daemon.pageSize = 1;
  const replaced = await run(['zone', 'import', folder, '--replace'], { env });
  assert.is(replaced.code, 0, replaced.stderr);
  assert.is(daemon.zones.get('a.test')?.text, '@ A 192.0.2.1\n');
  assert.is(daemon.zones.get('www.a.test')?.text, 'old A 192.0.2.9\n');
});

test('a zone of another account fails even with --replace', async ({ daemon, env, folder }) => {
  daemon.foreign.add('a.test');
  writeFileSync(join(folder, 'a.test.zone'), '@ A 192.0.2.1\n');
  const { code, stderr } = await run(['zone', 'import', folder, '--replace'], { env });
  assert.is(code, 1);
  assert.match(stderr, /zone_exists/);
});

test('reports every bad line, does not create that zone, and imports the others', async ({ daemon, env, folder }) => {
  writeFileSync(join(folder, 'a.test.zone'), '@ A 192.0.2.1\nbad one\nwww A 192.0.2.1\nbad two\n');
  writeFileSync(join(folder, 'b.test.zone'), '@ A 192.0.2.1\n');
  const { code, stdout, stderr } = await run(['zone', 'import', folder], { env });
  assert.is(code, 1);
  const file = join(folder, 'a.test.zone');
  assert.is(stderr, `${file}:2: no type "bad one"\n${file}:4: no type "bad two"\n`);
  assert.match(stdout, /^imported 1 zones, 1 records .*\n1 zones failed/);
  assert.equal([...daemon.zones.keys()], ['b.test']);
  const json = JSON.parse((await run(['zone', 'import', file, '--json'], { env })).stdout);
  assert.equal([json.ok, json.failed[0].zone, json.failed[0].lines[1].line], [false, 'a.test', 4]);
});

test('bad lines leave an existing zone unchanged', async ({ daemon, env, folder }) => {
  daemon.addZone('a.test', 'old A 192.0.2.9\n');
  writeFileSync(join(folder, 'a.test.zone'), 'bad\n');
  assert.is((await run(['zone', 'import', folder, '--replace'], { env })).code, 1);
  assert.is(daemon.zones.get('a.test')?.text, 'old A 192.0.2.9\n');
});

test('an error that affects every file stops the import', async ({ daemon, env, folder }) => {
  for (let i = 0; i < 50; i++) writeFileSync(join(folder, `z${i}.test.zone`), '@ A 192.0.2.1\n');
  const { code, stderr, stdout } = await run(['zone', 'import', folder, '--token', 'wp_wrong', '--concurrency', '8'], {
    env,
  });
  assert.is(code, 1);
  assert.match(stderr, /^error: .*\(invalid_token\)/);
  assert.match(stdout, /^imported 0 zones.*\nstopped early/);
  assert.ok(daemon.seen.length <= 9);
});

test('rejects files that cannot be imported', async ({ env, folder }) => {
  assert.match((await run(['zone', 'import', join(folder, 'none')], { env })).stderr, /\(unreadable\)/);
  assert.match((await run(['zone', 'import', folder], { env })).stderr, /\(no_zone_files\)\n {2}next: Name each file/);
});

test('inserts included files, and names them in messages', async ({ daemon, env, folder }) => {
  const file = join(folder, 'a.test.zone');
  mkdirSync(join(folder, 'parts'));
  writeFileSync(file, '@ A 192.0.2.1\n$INCLUDE parts/hosts sub ; x\nwww A 192.0.2.2\n');
  writeFileSync(join(folder, 'parts', 'hosts'), '$INCLUDE more\nh A 192.0.2.3\n');
  writeFileSync(join(folder, 'parts', 'more'), 'm A 192.0.2.4');
  assert.is((await run(['zone', 'import', file], { env })).code, 0);
  assert.is(
    daemon.zones.get('a.test')?.text,
    '@ A 192.0.2.1\n$ORIGIN sub.a.test.\n$ORIGIN sub.a.test.\nm A 192.0.2.4\n$ORIGIN sub.a.test.\nh A 192.0.2.3\n$ORIGIN a.test.\nwww A 192.0.2.2\n',
  );
  writeFileSync(join(folder, 'parts', 'more'), 'm A 192.0.2.4\nbad one\n');
  const failed = await run(['zone', 'import', file, '--replace'], { env });
  assert.equal([failed.code, failed.stderr], [1, `${join(folder, 'parts', 'more')}:2: no type "bad one"\n`]);
  writeFileSync(join(folder, 'parts', 'more'), 'doubtful\n');
  const { stderr } = await run(['zone', 'import', file, '--replace'], { env });
  assert.match(stderr, new RegExp(`^${join(folder, 'parts', 'more')}:1: warning: hidden`));
});

test('inserts files into a large file', async ({ daemon, env, folder }) => {
  const file = join(folder, 'big.test.zone');
  writeFileSync(file, `${'www A 192.0.2.1\n'.repeat(100_000)}$INCLUDE one\n`);
  writeFileSync(join(folder, 'one'), 'm A 192.0.2.4\n');
  assert.is((await run(['zone', 'import', file], { env })).code, 0);
  assert.match(daemon.zones.get('big.test')?.text ?? '', /\nm A 192\.0\.2\.4\n\$ORIGIN big\.test\.\n$/);
});

test('rejects includes of files outside of the folder', async ({ daemon, env, folder }) => {
  const inner = join(folder, 'inner');
  mkdirSync(inner);
  writeFileSync(join(folder, 'secret'), 'x A 192.0.2.1\n');
  symlinkSync(join(folder, 'secret'), join(inner, 'link'));
  const cases: readonly (readonly [path: string, message: RegExp])[] = [
    ['/etc/hostname', /must be relative/],
    ['../secret', /outside of the folder/],
    ['link', /outside of the folder/],
    ['none', /ENOENT/],
    ['a.test.zone', /more than 10 deep/],
  ];
  for (const [path, message] of cases) {
    writeFileSync(join(inner, 'a.test.zone'), `$INCLUDE ${path}\n`);
    const { code, stderr } = await run(['zone', 'import', join(inner, 'a.test.zone'), '--strict'], { env });
    assert.is(code, 1, path);
    assert.match(stderr, message);
  }
  assert.is(daemon.zones.size, 0);
  // Without --strict, the rest of the file is imported.
  writeFileSync(join(inner, 'a.test.zone'), '$INCLUDE link\nwww A 192.0.2.7\n');
  const { code, stderr } = await run(['zone', 'import', join(inner, 'a.test.zone')], { env });
  assert.is(code, 0, stderr);
  assert.match(stderr, /a\.test\.zone:1: warning: \$INCLUDE link: the file is outside of .*\(unreadable_include\)/);
  assert.is(daemon.zones.get('a.test')?.text, '$ORIGIN a.test.\n$ORIGIN a.test.\nwww A 192.0.2.7\n');
});

test.run();
