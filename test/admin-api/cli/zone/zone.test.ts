import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FakeDaemon, run, TOKEN } from '../harness.ts';

const test = suite<{ daemon: FakeDaemon; env: NodeJS.ProcessEnv; folder: string }>('admin-api/cli/zone');

test.before.each(async (context) => {
  context.daemon = new FakeDaemon();
  context.env = { WAYPOST_URL: await context.daemon.start(), WAYPOST_TOKEN: TOKEN };
  context.folder = mkdtempSync(join(tmpdir(), 'waypost-zone-'));
});
test.after.each(async (context) => {
  await context.daemon.stop();
  rmSync(context.folder, { recursive: true });
});

test('list reads all pages', async ({ daemon, env }) => {
  for (let i = 0; i < 25; i++) daemon.addZone(`z${i}.test`, 'a A 192.0.2.1\n'.repeat(i));
  daemon.pageSize = 10;
  const { code, stdout } = await run(['zone', 'list'], { env });
  assert.is(code, 0);
  const lines = stdout.trimEnd().split('\n');
  assert.is(lines.length, 25);
  assert.match(lines[24], /^z24\.test +24$/);
  assert.is(daemon.seen.length, 3);
});

test('list --filter, and one object per line with --json', async ({ daemon, env }) => {
  daemon.addZone('a.test');
  daemon.addZone('b.test');
  const { stdout } = await run(['zone', 'list', '--filter', 'b.', '--json'], { env });
  assert.equal(JSON.parse(stdout), { id: 2, domain: 'b.test', record_count: 0, revision: 1 });
});

test('exports to standard output and to a file', async ({ daemon, env, folder }) => {
  daemon.addZone('www.a.test', 'wrong\n');
  daemon.addZone('a.test', '@ A 192.0.2.1\n');
  const shown = await run(['zone', 'export', 'A.test.'], { env });
  assert.equal([shown.code, shown.stdout], [0, '@ A 192.0.2.1\n']);
  const out = join(folder, 'a.test.zone');
  const written = await run(['zone', 'export', 'a.test', '--out', out], { env });
  assert.equal([written.code, written.stdout], [0, '']);
  assert.is(readFileSync(out, 'utf8'), '@ A 192.0.2.1\n');
  const json = async (...argv: string[]) =>
    JSON.parse((await run(['zone', 'export', 'a.test', '--json', ...argv], { env })).stdout);
  assert.equal(await json(), { ok: true, domain: 'a.test', zonefile: '@ A 192.0.2.1\n' });
  assert.equal(await json('--out', out), { ok: true, domain: 'a.test', file: out });
});

test('a failed export leaves the old file and no temporary file', async ({ daemon, env, folder }) => {
  const out = join(folder, 'a.test.zone');
  writeFileSync(out, 'old');
  const none = await run(['zone', 'export', 'a.test', '--out', out], { env });
  assert.is(none.code, 1);
  assert.match(
    none.stderr,
    /no domain "a\.test"\. \(no_such_domain\)\n {2}next: List the domains with "waypost domain list"/,
  );
  daemon.addZone('a.test', '@ A 192.0.2.1\n');
  const nowhere = await run(['zone', 'export', 'a.test', '--out', join(folder, 'no', 'where')], { env });
  assert.match(nowhere.stderr, /\(not_written\)/);
  assert.is(readFileSync(out, 'utf8'), 'old');
  assert.equal(readdirSync(folder), ['a.test.zone']);
});

test('check reads files without a daemon', async ({ daemon, folder }) => {
  writeFileSync(join(folder, 'a.test.zone'), '@ 300 IN A 192.0.2.1\nwww A 192.0.2.2\n');
  const { code, stdout } = await run(['zone', 'check', folder, '--apex', 'service']);
  assert.equal([code, stdout], [0, 'checked 1 zones, 2 records: no bad lines\n']);
  assert.is(daemon.seen.length, 0);
});

test('check finds what an import rejects', async ({ folder }) => {
  const file = join(folder, 'a.test.zone');
  writeFileSync(file, '@ A 192.0.2.1\nwww A 192.0.2.2\nwww CNAME @\n');
  const faults = async (...options: string[]) =>
    (await run(['zone', 'check', file, ...options])).stderr
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(file.length));
  const kept = await faults();
  assert.is(kept.length, 2);
  assert.match(kept[0], /^:1: The file has no SOA record/);
  assert.match(kept[1], /^:3: .*CNAME/);
  assert.match((await faults('--apex', 'service')).join(), /^:3: .*CNAME/);
});

test('check warns of questionable lines, which are errors with --strict', async ({ folder }) => {
  const file = join(folder, 'a.test.zone');
  writeFileSync(file, '$TTL 300\n@ SOA ns.example. h.example. 1 2 3 4 5\nd NS ns.d\nx.d TXT x\n');
  const { code, stdout, stderr } = await run(['zone', 'check', file]);
  assert.equal([code, stdout], [0, 'checked 1 zones, 2 records: no bad lines, 2 warnings\n']);
  const lines = stderr.trimEnd().split('\n');
  assert.is(lines.length, 2);
  assert.match(lines[0].slice(file.length), /^:3: warning: The nameserver ns\.d\.a\.test\. .* \(missing_glue\)$/);
  assert.match(lines[1].slice(file.length), /^:4: warning: .* \(occluded\)$/);
  const json = (await run(['zone', 'check', file, '--json'])).stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(
    json.map(({ line, code: of, severity, ok, warnings }) => [line, of, severity, ok, warnings]),
    [
      [3, 'missing_glue', 'warning', undefined, undefined],
      [4, 'occluded', 'warning', undefined, undefined],
      [undefined, undefined, undefined, true, 2],
    ],
  );
  const strict = await run(['zone', 'check', file, '--strict']);
  assert.is(strict.code, 1);
  assert.match(strict.stdout, /: 2 bad lines\n$/);
});

test('check reports every bad line', async ({ folder }) => {
  const file = join(folder, 'a.test.zone');
  const soa = '@ SOA ns host 1 2 3 4 5 ; kept\n@ NS ns.example.\n';
  writeFileSync(file, `@ A 192.0.2.1\nwww A 192.0.2.256\n\nmail MX ten mx\nok A 192.0.2.3\n${soa}`);
  writeFileSync(join(folder, 'b..test.zone'), '');
  const { code, stdout, stderr } = await run(['zone', 'check', file]);
  assert.is(code, 1);
  assert.equal(
    stderr
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(file.length, file.length + 4)),
    [':2: ', ':4: '],
  );
  assert.match(stdout, /: 2 bad lines\n$/);
  const json = (await run(['zone', 'check', file, '--json'])).stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal([json.length, json[0].line, json[2].bad_lines], [3, 2, 2]);
  assert.match((await run(['zone', 'check', folder])).stderr, /b\.\.test\.zone:0: .*empty label/);
});

test('check reads included files, and names them', async ({ folder }) => {
  const file = join(folder, 'a.test.zone');
  writeFileSync(file, '$TTL 60\n@ SOA ns.example. h.example. 1 2 3 4 5\n@ NS ns.example.\n$INCLUDE hosts sub\n');
  writeFileSync(join(folder, 'hosts'), 'a A 192.0.2.1\nb A x\n');
  const { code, stderr } = await run(['zone', 'check', file]);
  assert.is(code, 1);
  assert.match(stderr, new RegExp(`^${join(folder, 'hosts')}:2: A content`));
  writeFileSync(join(folder, 'hosts'), 'a A 192.0.2.1\n');
  assert.match((await run(['zone', 'check', file])).stdout, /^checked 1 zones, 2 records: no bad lines/);
});

test('check --compare runs the checkers that are installed', async ({ folder }) => {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const program = (name: string, script: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  program('kzonecheck', 'echo "doubt \u0007 $*" >&2');
  program('nsd-checkzone', 'echo ok');
  program('named-checkzone', 'echo "bad $*"; exit 1');
  const file = join(folder, 'a.test.zone');
  writeFileSync(file, '$TTL 60\n@ SOA ns.example. h.example. 1 2 3 4 5\n@ NS ns.example.\n');
  const path = process.env.PATH;
  process.env.PATH = `${bin}:${path}`;
  try {
    const { code, stdout, stderr } = await run(['zone', 'check', file, '--compare']);
    assert.is(code, 0);
    assert.equal(stderr.split('\n'), [
      `${file}: kzonecheck accepts the zone`,
      `  doubt \\u0007 -o a.test ${file}`,
      `${file}: nsd-checkzone accepts the zone`,
      '  ok',
      `${file}: named-checkzone rejects the zone`,
      `  bad -i local a.test ${file}`,
      '',
    ]);
    assert.match(stdout, /kzonecheck accepts 1 of 1 zones\n.*\nnamed-checkzone accepts 0 of 1 zones\n$/);
    const json = (await run(['zone', 'check', file, '--compare', '--json'])).stdout.trim().split('\n');
    assert.equal(
      json.slice(0, 3).map((line) => JSON.parse(line).loads),
      [true, true, false],
    );
  } finally {
    process.env.PATH = path;
  }
});

test.run();
