import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Live, startLive } from '../live.ts';

const test = suite<Live>('admin-api/cli/steering, with the API');
const folder = mkdtempSync(join(tmpdir(), 'waypost-steering-'));
const file = join(folder, 'steering.json');
test.before(async (context) => {
  Object.assign(context, await startLive());
  await context.json(['domain', 'add', 'shop.test']);
});
test.after(async (context) => {
  rmSync(folder, { recursive: true });
  await context.daemon.stop();
});

test('set, get, test, versions, restore and rm of a record set', async ({ waypost, json }) => {
  const document = {
    pools: [
      { name: 'all', answers: [{ content: '192.0.2.1' }], health: { type: 'tcp' } },
      { name: 'lan', answers: [{ content: '10.0.0.1' }] },
    ],
    rules: [{ match: { network: '10.0.0.0/8' }, pool: 'lan' }],
    fallback: ['all'],
  };
  writeFileSync(file, JSON.stringify(document));
  assert.match((await waypost(['steering', 'set', 'shop.test', '@', 'A', file])).stdout, /^set the steering of @ A/);
  const got = await waypost(['steering', 'get', 'shop.test', '@', 'A']);
  assert.equal(JSON.parse(got.stdout).rules[0].match.network, ['10.0.0.0/8']);
  assert.equal((await json(['steering', 'get', 'shop.test', '@', 'A'])) as unknown, [JSON.parse(got.stdout)]);
  writeFileSync(file, got.stdout);
  assert.match((await waypost(['steering', 'set', 'shop.test', '@', 'A', file])).stdout, /^set the steering/);
  assert.match(
    (await waypost(['steering', 'set', 'shop.test', '@', 'A', file])).stderr,
    /If-Match/,
    'revision 1 is old',
  );
  assert.match((await waypost(['steering', 'list', 'shop.test'])).stdout, /@ +A +2/);
  assert.match((await waypost(['steering', 'health', 'shop.test', '@', 'A'])).stdout, /all +192\.0\.2\.1 +unknown/);
  const tested = await waypost(['steering', 'test', 'shop.test', '192.0.2.9', '--ecs', '10.1.0.0/16']);
  assert.match(tested.stdout, /@ +A +lan +10\.0\.0\.1 +Rule 0 is the first/);
  const versions = await json(['steering', 'versions', 'shop.test', '@', 'A']);
  assert.match(JSON.stringify(versions), /"revision":2/);
  assert.match(
    (await waypost(['steering', 'restore', 'shop.test', '@', 'A', '1'])).stdout,
    /^restored version 1 .* version 3/,
  );
  const blocked = await waypost(['record', 'add', 'shop.test', '@', 'A', '192.0.2.7']);
  assert.match(blocked.stderr, /waypost steering set/);
  assert.match((await waypost(['steering', 'rm', 'shop.test', '@', 'A'])).stdout, /^deleted the steering/);
  assert.not.match((await waypost(['steering', 'list', 'shop.test'])).stdout, /@/);
  assert.match((await waypost(['record', 'list', 'shop.test'])).stdout, /192\.0\.2\.1/);
});

test.run();
