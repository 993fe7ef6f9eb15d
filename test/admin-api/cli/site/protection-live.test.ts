import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { certificate, ecKey } from '../../../support/certificate.ts';
import { type Live, startLive } from '../live.ts';

const test = suite<Live>('admin-api/cli/protection, with the API');
const folder = mkdtempSync(join(tmpdir(), 'waypost-protection-'));
const file = join(folder, 'ca.pem');
test.before(async (context) => {
  Object.assign(context, await startLive());
  await context.json(['domain', 'add', 'shop.test']);
});
test.after(async (context) => {
  rmSync(folder, { recursive: true });
  await context.daemon.stop();
});

test('set changes what is named, get shows all', async ({ waypost }) => {
  writeFileSync(file, certificate({ name: 'clients', key: ecKey(), ca: true }));
  const set = (...fields: string[]) => waypost(['protection', 'set', 'shop.test', ...fields]);
  assert.match((await set('challenge.mode=auto')).stdout, /^set 1 field of shop\.test/);
  await set('limits.connections=100', 'tls.min_version=1.3', 'challenge.except=/api/,/feed');
  await set('tls.client_certificates=optional', `tls.client_authorities=@${file}`, 'limits.connections=null');
  const { stdout } = await waypost(['protection', 'get', 'shop.test']);
  for (const line of [
    'challenge.mode = auto',
    'challenge.except = /api/,/feed',
    'limits.connections = null',
    'tls.min_version = 1.3',
    'tls.client_certificates = optional',
  ])
    assert.ok(stdout.includes(`${line}\n`), line);
  assert.match((await set('mode=on')).stderr, /is not a field with a value/);
  assert.match((await set('challenge.mode=maybe')).stderr, /challenge/);
  assert.match((await set(`tls.client_authorities=@${file}x`)).stderr, /cannot be read/);
});

test.run();
