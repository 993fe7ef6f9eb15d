import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeConfig, exampleToml, loadConfig, resolveConfig } from '../../../core/config/index.ts';

const test = suite('core/config/describe');
const file = 'config/waypost.toml';

test('config/waypost.toml matches the schema', () => {
  assert.is(readFileSync(file, 'utf8'), exampleToml(), 'run `npm run config-example` after a change of a setting');
});

test('the example parses to the defaults', () => {
  assert.equal(loadConfig({ file, env: {} }), loadConfig({ env: {} }));
});

/** Keys whose default is not constant. */
const COMMENTED = [
  'node_name',
  'soa.hostmaster',
  'edge.workers',
  'edge.client_memory',
  'edge.cache_memory',
  'edge.origin_ca_file',
  'dns.workers',
  'dns.index_memory',
  'acme.directory',
  'acme.email',
  'acme.eab_kid',
  'acme.eab_hmac_key',
  'acme.fallback_directory',
  'acme.fallback_eab_kid',
  'acme.fallback_eab_hmac_key',
  'acme.ca_file',
  'acme.profile',
  'acme.preferred_chain',
  'dns.tls_certificate',
  'dns.tls_key',
  'dns.cookie_secret',
  'dns.cookie_secret_previous',
  'edge.default_certificate',
  'edge.default_key',
  'edge.default_server_name',
  'edge.country_file',
  'admin.hostname_certificate',
  'admin.hostname_key',
  'admin.password',
  'cluster.withdraw_command',
  'cluster.announce_command',
  'packages.audit_threads',
  'etcd.ca_file',
  'etcd.certificate_file',
  'etcd.key_file',
  'peer.advertise',
  'peer.ca_file',
  'peer.certificate_file',
  'peer.key_file',
  'backup.folder',
  'backup.s3_bucket',
  'backup.s3_endpoint',
  'backup.s3_credentials_file',
  'backup.at',
  'traces.endpoint',
  'traces.headers_file',
  'secrets.key_file',
  'dnstap.socket',
  'dnstap.identity',
  'protection.memory',
  'protection.descriptors',
  'protection.disk_reserve',
];

test('the example has every key, as a value or as a comment when the default depends on the machine', () => {
  const given = new Set(
    resolveConfig({ file, env: {} })
      .settings.filter((setting) => setting.origin === 'file')
      .map((setting) => setting.key),
  );
  const lines = readFileSync(file, 'utf8').split('\n');
  for (const { key, env, doc } of describeConfig()) {
    const name = key.slice(key.lastIndexOf('.') + 1);
    if (COMMENTED.includes(key))
      assert.ok(
        lines.some((line) => line.startsWith(`# ${name} = `)),
        key,
      );
    else assert.ok(given.has(key), key);
    assert.ok(
      lines.some((line) => line.includes(env)),
      env,
    );
    assert.ok(doc.endsWith('.'), `the documentation of ${key} is a sentence`);
  }
});

test('the commented values are good ones', () => {
  let section = '';
  const env = Object.fromEntries(
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line) => {
        section = /^\[([a-z_]+)\]$/.exec(line)?.[1].concat('.') ?? section;
        const match = /^# ([a-z0-9_]+) = "?(.*?)"?$/.exec(line);
        const setting = describeConfig().find((described) => match !== null && described.key === section + match[1]);
        return match !== null && setting !== undefined ? [[setting.env, match[2]]] : [];
      }),
  );
  assert.is(Object.keys(env).length, COMMENTED.length);
  assert.is(loadConfig({ env }).soa.hostmaster, 'hostmaster.waypost.test');
});

test('no two settings share a variable', () => {
  const names = describeConfig().map((described) => described.env);
  assert.is(new Set(names).size, names.length);
});

test.run();
