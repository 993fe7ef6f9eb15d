/** `waypost zone import --dry-run`, with the API. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Live, startLive } from '../live.ts';

const test = suite<Live>('admin-api/cli/zone import --dry-run');
const folder = mkdtempSync(join(tmpdir(), 'waypost-dry-run-'));
test.before(async (context) => {
  Object.assign(context, await startLive());
  await context.json(['domain', 'add', 'a.test']);
  await context.json(['record', 'add', 'a.test', 'gone', 'A', '192.0.2.9']);
  await context.json(['record', 'add', 'a.test', 'www', 'A', '192.0.2.1', '--ttl', '60']);
});
test.after(async (context) => {
  rmSync(folder, { recursive: true });
  await context.daemon.stop();
});

const SOA = '@ 300 SOA ns.a.test. me.a.test. 1 7200 900 604800 60\n';
const zoneFile = (name: string, lines: string): string => {
  const file = join(folder, name);
  writeFileSync(file, SOA + lines);
  return file;
};

test('compares a file with its zone, and changes nothing', async ({ waypost, json }) => {
  const file = zoneFile('a.test.zone', 'www 90 A 192.0.2.1\nnew 60 A 192.0.2.2\n');
  const { code, stdout, stderr } = await waypost(['zone', 'import', file, '--replace', '--dry-run']);
  assert.is(code, 0, stderr);
  assert.is(
    stdout,
    '1 zones would have 2 records; nothing was changed\nrecords: 1 new, 1 with another TTL, 1 deleted, 0 unchanged\n',
  );
  assert.equal(
    (await json(['record', 'list', 'a.test'])).map(({ name }) => name),
    ['gone', 'www'],
  );
  const result = await waypost(['zone', 'import', file, '--replace', '--dry-run', '--json']);
  assert.equal(JSON.parse(result.stdout).dry_run, { created: 1, changed: 1, deleted: 1, unchanged: 0 });
});

test('fails as the import would: an existing zone without --replace, and bad lines with --strict', async ({
  waypost,
  json,
}) => {
  const existing = await waypost(['zone', 'import', zoneFile('a.test.zone', ''), '--dry-run']);
  assert.is(existing.code, 1);
  assert.match(existing.stderr, /zone_exists/);
  const bad = zoneFile('a.test.zone', 'www A x\n');
  const skipped = await waypost(['zone', 'import', bad, '--replace', '--dry-run']);
  assert.is(skipped.code, 0, skipped.stderr);
  const refused = await waypost(['zone', 'import', bad, '--replace', '--dry-run', '--strict']);
  assert.is(refused.code, 1);
  assert.ok(refused.stderr.startsWith(`${bad}:2: `), refused.stderr);
  assert.match(refused.stdout, /1 zones would fail/);
  // A zone that does not exist is not created.
  const missing = zoneFile('b.test.zone', 'www 60 A 192.0.2.1\nbad A x\n');
  const left = await waypost(['zone', 'import', missing, '--dry-run']);
  assert.is(left.code, 0, left.stderr);
  assert.ok(left.stderr.startsWith(`${missing}:3: warning: `), left.stderr);
  assert.match(left.stdout, /^1 zones would have 1 records/);
  const strict = await waypost(['zone', 'import', missing, '--dry-run', '--strict']);
  assert.is(strict.code, 1);
  assert.ok(strict.stderr.startsWith(`${missing}:3: `), strict.stderr);
  const created = await waypost(['zone', 'import', zoneFile('b.test.zone', 'www 60 A 192.0.2.1\n'), '--dry-run']);
  assert.match(created.stdout, /^1 zones would have 1 records; nothing was changed\nrecords: 1 new, 0 with/);
  assert.equal(
    (await json(['domain', 'list'])).map(({ domain }) => domain),
    ['a.test'],
  );
});

test.run();
