import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Live, startLive } from '../live.ts';

const test = suite<Live>('admin-api/cli/logs, with the API');
const folder = mkdtempSync(join(tmpdir(), 'waypost-logs-'));
const file = join(folder, 'secret');
test.before(async (context) => {
  Object.assign(context, await startLive());
  await context.json(['domain', 'add', 'shop.test']);
  writeFileSync(file, `whsec_${Buffer.alloc(32, 1).toString('base64')}\n`);
});
test.after(async (context) => {
  rmSync(folder, { recursive: true });
  await context.daemon.stop();
});

test('set an endpoint, change the sample, get, off, state, test', async ({ waypost }) => {
  const off = await waypost(['logs', 'get', 'shop.test']);
  assert.match(off.stdout, /^shop\.test: logs off\n {2}destination {5}none\n/);
  const set = await waypost([
    'logs',
    'set',
    'shop.test',
    '--receiver',
    'https://1.1.1.1/logs',
    '--signing-secret-file',
    file,
  ]);
  assert.is(set.code, 0, set.stderr);
  assert.match(
    set.stdout,
    /^shop\.test: logs on \(change \d+\)\n {2}destination {5}https:\/\/1\.1\.1\.1\/logs\n {2}sample {10}1\n/,
  );
  const changed = ['--sample', '0.25', '--fields', 'status', 'time', '--client-address', 'truncated'];
  assert.match(
    (await waypost(['logs', 'set', 'shop.test', ...changed])).stdout,
    /0\.25\n {2}client address {2}truncated\n/,
  );
  const { stdout } = await waypost(['logs', 'get', 'shop.test', '--json']);
  const { endpoint, fields } = JSON.parse(stdout);
  assert.equal([endpoint.has_signing_secret, fields], [true, ['time', 'status']]);
  assert.match((await waypost(['logs', 'set', 'shop.test', '--sample', '2'])).stderr, /at most 1, not 2/);
  assert.match((await waypost(['logs', 'off', 'shop.test'])).stdout, /^shop\.test: logs off/);
  assert.match((await waypost(['logs', 'state', 'shop.test'])).stdout, /^shop\.test: logs of 0 nodes\n/);
  assert.is((await waypost(['logs', 'test', 'shop.test'])).stdout.split(' after')[0], 'accepted');
});

test('set a bucket', async ({ waypost }) => {
  const bucket = ['--bucket', 'logs', '--endpoint', 'https://1.1.1.1', '--region', 'eu-1', '--access-key', 'key'];
  const set = await waypost(['logs', 'set', 'shop.test', ...bucket, '--secret-key-file', file]);
  assert.match(set.stdout, /destination {5}bucket logs of https:\/\/1\.1\.1\.1\/\n/);
  const prefixed = await waypost(['logs', 'set', 'shop.test', '--prefix', 'a/']);
  assert.match(prefixed.stdout, /bucket logs of/);
});

test.run();
