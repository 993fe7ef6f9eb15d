import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Live, startLive } from '../live.ts';

const test = suite<Live>('admin-api/cli/rules, with the API');
const folder = mkdtempSync(join(tmpdir(), 'waypost-rules-'));
const file = join(folder, 'rules.json');
test.before(async (context) => {
  Object.assign(context, await startLive());
  await context.json(['domain', 'add', 'shop.test']);
});
test.after(async (context) => {
  rmSync(folder, { recursive: true });
  await context.daemon.stop();
});

test('template, check, set, get, counters', async ({ daemon, waypost }) => {
  const printed = await waypost(['rules', 'template', 'www-to-apex', 'shop.test']);
  assert.match(printed.stdout, /"https:\/\/shop\.test\{uri\}"/);
  writeFileSync(file, printed.stdout);
  assert.is((await waypost(['rules', 'check', file])).stdout, '1 rule, no faults\n');
  assert.is(
    (await waypost(['rules', 'check', file, '--json'])).stdout,
    '{"ok":true,"rules":1,"faults":[]}\n',
    'one object on one line',
  );
  const set = await waypost(['rules', 'set', 'shop.test', file]);
  assert.match(set.stdout, /^set 1 rule of shop\.test \(change \d+\)\n$/);
  assert.equal(JSON.parse((await waypost(['rules', 'get', 'shop.test'])).stdout), {
    ...JSON.parse(printed.stdout),
    revision: 1,
  });
  const [document, ...rest] = (await waypost(['rules', 'get', 'shop.test', '--json'])).stdout.trimEnd().split('\n');
  assert.equal([JSON.parse(document).revision, rest], [1, []]);
  const added = await waypost(['rules', 'template', 'cache-static', 'shop.test', '--add']);
  assert.match(added.stdout, /^added the rules "Cache everything static" to shop\.test/);
  const counters = await waypost(['rules', 'counters', 'shop.test']);
  assert.match(
    counters.stdout,
    /^1 +redirect +yes +0 +0 +www to apex\n2 +cache +yes +0 +0 +Cache everything static\n$/,
  );
  assert.is(counters.stderr, '');
  const sum = { since: 1_700_000_000_000, matched: [7, 12], stopped: [7, 0] };
  const of = async (missing: string[], ...more: string[]) => {
    daemon.rules.counts = { sum, answered: ['a'], missing };
    return await waypost(['rules', 'counters', 'shop.test', ...more]);
  };
  const partial = await of(['b']);
  assert.match(partial.stdout, /^1 +redirect +yes +7 +7 +www to apex\n2 +cache +yes +12 +0 .*\n$/);
  assert.match(partial.stderr, /^Not included: b\. This node does not answer or has another version of the rules\.\n$/);
  assert.match((await of(['b', 'c'])).stderr, /^Not included: b, c\. These nodes do not answer or have another/);
  const rows = (await of(['b'], '--json')).stdout.trimEnd().split('\n');
  assert.equal(
    rows.map((row) => [JSON.parse(row).matched, JSON.parse(row).missing_nodes]),
    [
      [7, ['b']],
      [12, ['b']],
    ],
  );
});

test('versions are listed and shown, and restore makes a new one of an old one', async ({ waypost }) => {
  const listed = await waypost(['rules', 'versions', 'shop.test']);
  assert.match(listed.stdout, /^2 +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +\S+\n1 +\d{4}.* +\S+\n$/);
  const first = await waypost(['rules', 'versions', 'shop.test', '1']);
  assert.equal(JSON.parse(first.stdout).rules.length, 1);
  const restored = await waypost(['rules', 'restore', 'shop.test', '1']);
  assert.match(restored.stdout, /^restored version 1 of the rules of shop\.test as version 3 \(change \d+\)\n$/);
  assert.equal(JSON.parse((await waypost(['rules', 'get', 'shop.test'])).stdout), {
    ...JSON.parse(first.stdout),
    revision: 3,
  });
  assert.match((await waypost(['rules', 'restore', 'shop.test', '77'])).stderr, /There is no version 77/);
  assert.match((await waypost(['rules', 'restore', 'shop.test', 'x'])).stderr, /"x" is not a revision/);
});

test('faults are named', async ({ waypost }) => {
  writeFileSync(file, '{"rules": [{"action": {"type": "redirect", "location": "//evil.test"}}]}');
  const checked = await waypost(['rules', 'check', file]);
  assert.is(checked.code, 1);
  assert.match(checked.stdout, /^Rule 1: action\.location must be a path that starts with "\/", or a URL/);
  assert.match((await waypost(['rules', 'set', 'shop.test', file])).stderr, /Rule 1: action\.location must be a path/);
  writeFileSync(file, '{"rules": 1}');
  assert.match((await waypost(['rules', 'check', file])).stderr, /must be an object with the list "rules"/);
  assert.match((await waypost(['rules', 'template', 'x', 'shop.test'])).stderr, /There is no template "x"/);
});

test.run();
