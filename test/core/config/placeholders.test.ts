import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isReservedName, loadConfig, placeholdersOf } from '../../../core/config/index.ts';
import { isLoopback } from '../../../core/net/address/index.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

const LIVE = ['nameservers = ["ns1.example.net"]', '[cluster]', 'ipv4 = ["192.0.2.80"]', 'ipv6 = []'];

const folder = temporaryFolder('placeholders');
test.after(() => removeFolder(folder));

function found(...lines: readonly string[]): string[] {
  const file = join(folder, 'waypost.toml');
  writeFileSync(file, lines.join('\n'));
  return placeholdersOf(loadConfig({ file, env: {} })).map(({ key, values }) => `${key} ${values.join(' ')}`);
}

test('the defaults are found, and values of a public service are not', () => {
  assert.equal(found(), [
    'nameservers ns1.waypost.test ns2.waypost.test ns3.waypost.test ns4.waypost.test',
    'cluster.ipv4 127.0.0.1',
    'cluster.ipv6 ::1',
  ]);
  assert.equal(found(...LIVE), []);
});

test('each setting with names is checked, and only the names that cannot exist are listed', () => {
  const [, ...cluster] = LIVE;
  assert.equal(
    found(
      'nameservers = ["ns1.example.net", "ns2.waypost.test"]',
      'soa.hostmaster = "hostmaster@waypost.test"',
      'admin.hostname = ["api.example", "api.example.net"]',
      ...cluster,
    ),
    ['nameservers ns2.waypost.test', 'soa.hostmaster hostmaster.waypost.test', 'admin.hostname api.example'],
  );
});

test('an edge without addresses is found', () => {
  assert.equal(found(...LIVE.slice(0, 2), 'ipv4 = []', 'ipv6 = []'), ['cluster.ipv4 ']);
  assert.equal(found(...LIVE.slice(0, 2), 'ipv4 = ["192.0.2.80", "127.0.0.9"]', 'ipv6 = []'), [
    'cluster.ipv4 127.0.0.9',
  ]);
});

test('names and addresses are recognized by the whole label and the whole prefix', () => {
  for (const name of ['ns1.waypost.test', 'test', 'a.localhost', 'a.invalid', 'a.example'])
    assert.ok(isReservedName(name), name);
  for (const name of ['ns1.contest', 'test.example.net', 'example.com']) assert.not.ok(isReservedName(name), name);
  for (const address of ['127.0.0.1', '127.255.255.255', '::1']) assert.ok(isLoopback(address), address);
  for (const address of ['128.0.0.1', '12.7.0.1', '2001:db8::1', '::1:1']) assert.not.ok(isLoopback(address), address);
});

test.run();
