import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Live, startLive } from '../live.ts';

const test = suite<Live>('admin-api/cli/origins, with the API');
const folder = mkdtempSync(join(tmpdir(), 'waypost-origins-'));
const file = join(folder, 'origins.json');
test.before(async (context) => {
  Object.assign(context, await startLive());
  await context.json(['domain', 'add', 'shop.test']);
});
test.after(async (context) => {
  rmSync(folder, { recursive: true });
  await context.daemon.stop();
});

test('set, get, status', async ({ waypost }) => {
  const document = {
    origins: [
      { name: 'www', path: '/api', pool: [{ origin: '8.8.8.8' }] },
      { label: 'b', pool: [{ origin: '8.8.4.4' }] },
    ],
  };
  writeFileSync(file, JSON.stringify(document));
  assert.match(
    (await waypost(['origins', 'set', 'shop.test', file])).stdout,
    /^set 2 entries of shop\.test \(change \d+\)\n$/,
  );
  const { stdout } = await waypost(['origins', 'get', 'shop.test']);
  assert.is(JSON.parse(stdout).origins[0].pool[0].port, 443);
  const status = await waypost(['origins', 'status', 'shop.test']);
  assert.match(
    status.stdout,
    /^www \/api +https:\/\/8\.8\.8\.8:443 +1 +unchecked +- +-\nlabel b +https:\/\/8\.8\.4\.4:443 +1/,
  );
  writeFileSync(file, stdout);
  assert.is((await waypost(['origins', 'set', 'shop.test', file])).code, 0);
  const stale = await waypost(['origins', 'set', 'shop.test', file]);
  assert.equal([stale.code, /If-Match/.test(stale.stderr)], [1, true]);
  assert.is((await waypost(['origins', 'set', 'shop.test', file, '--force'])).code, 0);
});

test('a file that is no document is refused', async ({ waypost }) => {
  writeFileSync(file, '[]');
  assert.match(
    (await waypost(['origins', 'set', 'shop.test', file])).stderr,
    /must be an object with the list "origins"/,
  );
  writeFileSync(file, '{"origins":[{"pool":[{"origin":"10.0.0.1"}]}]}');
  assert.match((await waypost(['origins', 'set', 'shop.test', file])).stderr, /Private-Use/);
});

test.run();
