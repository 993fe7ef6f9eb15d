import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError } from '../../../core/base/errors.ts';
import { loadConfig, resolveConfig } from '../../../core/config/index.ts';
import { threadsFor } from '../../../core/config/setting.ts';

const test = suite('core/config/load');
const folder = mkdtempSync(join(tmpdir(), 'waypost-config-'));
const file = join(folder, 'waypost.toml');
test.after(() => rmSync(folder, { recursive: true }));

function fromToml(toml: string, env: NodeJS.ProcessEnv = {}) {
  writeFileSync(file, toml);
  return loadConfig({ file, env });
}

/** The lines of faults that loading gives. */
function faults(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    assert.instance(error, ConfigError);
    assert.is((error as ConfigError).code, 'invalid_config');
    return (error as ConfigError).message.split('\n  ').slice(1);
  }
  throw new Error('no fault found');
}

test('settings that are omitted have their defaults', () => {
  const config = loadConfig({ env: {} });
  assert.is(config.dataDir, './data');
  assert.equal(config.nameservers, ['ns1.waypost.test', 'ns2.waypost.test', 'ns3.waypost.test', 'ns4.waypost.test']);
  assert.equal(config.soa, {
    hostmaster: undefined,
    refresh: 3600,
    retry: 600,
    expire: 1209600,
    minimum: 300,
    ttl: 3600,
    nsTtl: 86400,
  });
  assert.equal(config.dns.listen, [{ address: '127.0.0.1', port: 5300, family: 4 }]);
  assert.equal(config.admin.listen, { address: '127.0.0.1', port: 8300, family: 4 });
  assert.is(config.dns.workers, threadsFor(128 * 2 ** 20));
  assert.is(config.dns.udpPayload, 1232);
  assert.ok(config.dns.indexMemory >= 2 ** 20 && config.dns.indexMemory <= 2 ** 32);
  assert.is(config.admin.maxBody, 64 * 2 ** 20);
  assert.is(config.admin.password, undefined);
  assert.equal(config.plans, { free: 10, pro: 100, unlimited: 0 });
});

test('there are no more threads by default than memory for them', () => {
  assert.is(threadsFor(1), Math.min(256, availableParallelism()));
  assert.is(threadsFor(totalmem()), 1);
  assert.is(threadsFor(Number.MAX_VALUE), 1, 'at least one');
});

test('the environment wins over the file, the file over the defaults', () => {
  const toml = 'data_dir = "/a"\n[dns]\nworkers = 3\nudp_payload = 1400\n';
  writeFileSync(file, toml);
  const { config, settings } = resolveConfig({ file, env: { WAYPOST_DNS_WORKERS: '5', WAYPOST_DATA_DIR: '' } });
  assert.is(config.dataDir, '/a', 'an empty variable counts as not set');
  assert.is(config.dns.workers, 5);
  assert.is(config.dns.udpPayload, 1400);
  const origins = new Map(settings.map((setting) => [setting.key, setting.origin]));
  assert.is(origins.get('dns.workers'), 'environment');
  assert.is(origins.get('dns.udp_payload'), 'file');
  assert.is(origins.get('dns.transport'), 'default');
});

test('what a node of a cluster has in its data folder wins over the file, and the environment over that', () => {
  const dataDir = join(folder, 'node');
  mkdirSync(join(dataDir, 'cluster'), { recursive: true });
  const written = join(dataDir, 'cluster/environment');
  const endpoints = 'WAYPOST_ETCD_ENDPOINTS=http://192.0.2.1:2379,http://192.0.2.2:2379';
  writeFileSync(written, `${endpoints}\nWAYPOST_NODE_NAME=node-1\n`);
  const toml = `data_dir = "${dataDir}"\nnode_name = "of the file"\n`;
  const config = fromToml(toml, { WAYPOST_ETCD_ENDPOINTS: '' });
  assert.is(config.nodeName, 'node-1');
  assert.equal(config.etcd.endpoints, ['http://192.0.2.1:2379', 'http://192.0.2.2:2379']);
  assert.is(fromToml(toml, { WAYPOST_NODE_NAME: 'node-2' }).nodeName, 'node-2');
  writeFileSync(written, 'WAYPOST_ETCD_ENDPOINTS=nonsense\n');
  assert.match(faults(() => fromToml(toml))[0], /etcd\.endpoints/);
  rmSync(written);
  mkdirSync(written);
  assert.throws(() => fromToml(toml), /Cannot read the cluster settings of this node: EISDIR/);
});

test('WAYPOST_CONFIG names the file', () => {
  writeFileSync(file, 'data_dir = "/b"');
  assert.is(loadConfig({ env: { WAYPOST_CONFIG: file } }).dataDir, '/b');
});

test('the fixed names of the environment', () => {
  const config = loadConfig({
    env: {
      WAYPOST_DATA_DIR: '/d',
      WAYPOST_DNS_LISTEN: '127.0.0.1:1053, [::1]:1053',
      WAYPOST_ADMIN_LISTEN: '[::1]:0',
      WAYPOST_ADMIN_PASSWORD: 'pw',
      WAYPOST_NAMESERVERS: 'NS1.example.net., ns2.example.net',
      WAYPOST_DNS_WORKERS: '1',
      WAYPOST_DNS_INDEX_MEMORY: '512MB',
      WAYPOST_URL: 'http://127.0.0.1:1',
      WAYPOST_TOKEN: 't',
      WAYPOST_REQUIRE_PEERS: '1',
      PATH: '/bin',
    },
  });
  assert.equal(config.dns.listen, [
    { address: '127.0.0.1', port: 1053, family: 4 },
    { address: '::1', port: 1053, family: 6 },
  ]);
  assert.equal(config.admin.listen, { address: '::1', port: 0, family: 6 });
  assert.is(config.admin.password, 'pw');
  assert.equal(config.nameservers, ['ns1.example.net', 'ns2.example.net']);
  assert.is(config.dns.indexMemory, 512 * 2 ** 20);
});

test('accepted and rejected values', () => {
  const cases: [toml: string, ok: boolean][] = [
    ['dns.listen = "*:53"', true],
    ['dns.listen = ["127.0.0.1:53", "[::1]:53"]', true],
    ['dns.listen = []', false],
    ['dns.listen = ["127.0.0.1:53", "127.0.0.1:53"]', false],
    ['dns.listen = ["*:53", "[::]:53"]', false],
    ['dns.listen = "localhost:53"', false],
    ['dns.listen = "127.0.0.1"', false],
    ['dns.listen = "127.0.0.1:65536"', false],
    ['dns.listen = "::1:53"', false],
    ['dns.listen = "[fe80::1%lo]:53"', false],
    ['dns.listen = "[127.0.0.1]:53"', false],
    ['admin.listen = "*:80"', false],
    ['nameservers = ["ns1.example"]', true],
    ['nameservers = ["ns1"]', false],
    ['nameservers = ["-a.example"]', false],
    ['nameservers = ["a.example", "A.EXAMPLE."]', false],
    ['nameservers = [1]', false],
    ['soa.hostmaster = "a.b@example.net"', true],
    ['soa.hostmaster = "hostmaster.example.net."', true],
    ['soa.hostmaster = "@example.net"', false],
    ['soa.hostmaster = "a..b"', false],
    ['soa.refresh = 2147483647', true],
    ['soa.refresh = 2147483648', false],
    ['dns.workers = 0', false],
    ['dns.workers = 1.5', false],
    ['dns.workers = "2"', false],
    ['dns.udp_payload = 511', false],
    ['dns.udp_payload = 512', true],
    ['dns.udp_payload = 4097', false],
    ['dns.index_memory = "2 GiB"', true],
    ['dns.index_memory = "1.5gb"', true],
    ['dns.index_memory = "5GB"', false],
    ['dns.index_memory = "2XB"', false],
    ['dns.index_memory = 1048576', true],
    ['dns.transport = "batch"', true],
    ['dns.transport = "fast"', false],
    ['admin.password = ""', false],
    ['rate_limit = 0', true],
    ['rate_limit = -1', false],
    ['log.level = true', false],
    ['data_dir = "a\\u0000b"', false],
    ['data_dir = 2020-01-01', false],
  ];
  for (const [toml, ok] of cases) {
    if (ok) fromToml(toml);
    else assert.is(faults(() => fromToml(toml)).length, 1, toml);
  }
});

test('sizes are powers of 1024, a mailbox becomes a name', () => {
  assert.is(fromToml('dns.index_memory = "1.5gb"').dns.indexMemory, 1.5 * 2 ** 30);
  assert.is(fromToml('soa.hostmaster = "a.b@example.net"').soa.hostmaster, 'a\\.b.example.net');
});

test('every fault is listed, with the key, what was found and what is expected', () => {
  const lines = faults(() =>
    fromToml('data_dir = 5\nlissten = 1\nsoa = 3\n[dns]\nudp_paylod = 1\nworkers = 0\n[dnss]\nlisten = "a"\n', {
      WAYPOST_DNS_LISTN: 'x',
      WAYPOST_RATE_LIMIT: 'many',
    }),
  );
  const expected = [
    /^lissten \(.*waypost\.toml:2\): unknown setting; did you mean dns\.listen\?$/,
    /^soa \(.*\): found 3, expected a table, \[soa\]$/,
    /^dns\.udp_paylod \(.*waypost\.toml:5\): unknown setting; did you mean dns\.udp_payload\?$/,
    /^dnss\.listen .*did you mean dns\.listen\?$/,
    /^WAYPOST_DNS_LISTN: unknown variable; did you mean WAYPOST_DNS_LISTEN\?$/,
    /^data_dir \(.*waypost\.toml:1\): found 5, expected the path of a folder$/,
    /^rate_limit \(WAYPOST_RATE_LIMIT\): found "many", expected a whole number/,
    /^dns\.workers \(.*waypost\.toml:6\): found 0, expected a whole number from 1 to 256$/,
  ];
  assert.is(lines.length, expected.length, lines.join('\n'));
  for (const [i, pattern] of expected.entries()) assert.match(lines[i], pattern);
});

test('a fault names the line on which its setting begins', () => {
  const lines = (toml: string) => faults(() => fromToml(toml)).map((fault) => /\.toml:(\d+)\)/.exec(fault)?.[1]);
  assert.equal(lines('# text\n\n[dns]\n# "workers"\n\nlisten = [\n  "127.0.0.1:53",\n  "localhost:53",\n]\n'), ['6']);
  assert.equal(lines('soa = { refresh = 1, retry = -1 }\r\ndns.workers = 0'), ['1', '2']);
  assert.equal(lines('data_dir = """\n[dns]\nworkers = 0"""\n["dns"]\n"workers" = 0\nlissten = 1'), ['6', '1', '5']);
});

test('a list of exemptions may be empty', () => {
  assert.equal(fromToml('dns.rrl_allow = []\nedge.allow_private_origins = []').dns.rrlAllow, []);
  assert.is(fromToml('dns.rrl_allow = false').dns.rrlAllow, false);
});

test('a fault in the file counts though the environment overrides it', () => {
  assert.is(faults(() => fromToml('dns.workers = 0', { WAYPOST_DNS_WORKERS: '1' })).length, 1);
});

test('a secret is not shown in faults', () => {
  for (const run of [
    () => fromToml('admin.password = ["hunter2"]'),
    () => loadConfig({ env: { WAYPOST_ADMIN_PASSWORD: 'hunter2\n' } }),
    () => fromToml('[admin]\npassword = "hunter2"\nlisten = = 1\n'),
  ]) {
    try {
      run();
      assert.unreachable();
    } catch (error) {
      assert.instance(error, ConfigError);
      const { message, stack, cause } = error as ConfigError;
      assert.not(`${message}${stack}${String(cause)}`.includes('hunter2'), message);
    }
  }
});

test('a file that is missing or not TOML says where and why', () => {
  assert.throws(
    () => loadConfig({ file: join(folder, 'none.toml'), env: {} }),
    /Cannot read the configuration file: ENOENT/,
  );
  assert.throws(() => fromToml('data_dir = "a"\nx = = 1\n'), /waypost\.toml:2:\d+: /);
});

test('control characters in keys are escaped, and keys of the prototype are unknown', () => {
  assert.match(faults(() => fromToml('"a\\nb" = 1'))[0], /^"a\\nb" \(/);
  assert.match(faults(() => fromToml('constructor = 1'))[0], /unknown setting/);
  assert.match(faults(() => fromToml('__proto__ = 1'))[0], /unknown setting/);
  assert.match(faults(() => fromToml('[other]'))[0], /^other .*unknown setting/);
});

test('the configuration is deeply read-only', () => {
  const config = loadConfig({ env: {} });
  assert.ok(Object.isFrozen(config) && Object.isFrozen(config.dns) && Object.isFrozen(config.dns.listen[0]));
});

test('secrets of cookies and texts that are shown have a length', () => {
  const digits = '0123456789ABCDEF'.repeat(2);
  assert.is(fromToml(`dns.cookie_secret = "${digits}"`).dns.cookieSecret, digits.toLowerCase());
  for (const value of [digits.slice(1), `${digits}0`, digits.replace('A', 'g'), ''])
    assert.not(
      faults(() => fromToml(`dns.cookie_secret = "${value}"`))
        .join()
        .includes(value || 'never'),
      value,
    );
  assert.is(fromToml('dns.nsid = ""').dns.nsid, '');
  assert.is(fromToml(`dns.nsid = "${'ü'.repeat(64)}"`).dns.nsid.length, 64);
  assert.match(faults(() => fromToml(`dns.nsid = "${'ü'.repeat(64)}x"`))[0], /dns\.nsid.*128 bytes/);
  assert.match(faults(() => fromToml('dns.version = "a\\nb"'))[0], /control characters/);
});

test('a flag is true or false, in text as in TOML', () => {
  for (const flag of [true, false]) {
    assert.is(fromToml(`[dns]\ndoh = ${flag}`).dns.doh, flag);
    assert.is(fromToml('', { WAYPOST_DNS_DOH: ` ${flag}` }).dns.doh, flag);
  }
  for (const run of [
    () => fromToml('[dns]\ndoh = "true"'),
    () => fromToml('[dns]\ndoh = 1'),
    () => fromToml('', { WAYPOST_DNS_DOH: '1' }),
  ])
    assert.match(faults(run).join(), /dns\.doh.*true or false|WAYPOST_DNS_DOH.*true or false/);
});

test('a command is a list of words, in the environment also with blanks between them; a program by its whole path', () => {
  const read = (text: string) =>
    loadConfig({ env: { WAYPOST_CLUSTER_WITHDRAW_COMMAND: text } }).cluster.withdrawCommand;
  assert.equal(read('/bin/anycast  withdraw'), ['/bin/anycast', 'withdraw']);
  assert.equal(read('["/bin/any cast", "with draw"]'), ['/bin/any cast', 'with draw']);
  for (const bad of ['anycast withdraw', '[]', '["/bin/x", 1]', '["/bin/x"', '["/bin/x", ""]', '/', '{}'])
    assert.throws(
      () => read(bad),
      /cluster\.withdraw_command \(WAYPOST_CLUSTER_WITHDRAW_COMMAND\).*expected the absolute path/,
    );
});

test('a prefix of objects that a client of S3 cannot sign is refused', () => {
  assert.is(loadConfig({ env: { WAYPOST_BACKUP_S3_PREFIX: 'way post/a~b/' } }).backup.s3Prefix, 'way post/a~b/');
  for (const character of "!'()*")
    assert.throws(() => loadConfig({ env: { WAYPOST_BACKUP_S3_PREFIX: `a${character}b/` } }), /s3_prefix/i, character);
});

test('a list with blanks for commas, a zone index and an IPv4-mapped address get advice', () => {
  const zoned = /use a global or unique local address$/;
  const mapped = /write an IPv4 address without "::ffff:" in front of it$/;
  for (const [name, value, advice] of [
    ['WAYPOST_DNS_LISTEN', '127.0.0.1:5300 127.0.0.2:5300', /separate the values with commas$/],
    ['WAYPOST_NAMESERVERS', 'ns1.example.net ns2.example.net', /separate the values with commas$/],
    ['WAYPOST_TRANSFER_NOTIFY', '192.0.2.1 192.0.2.2', /separate the values with commas$/],
    ['WAYPOST_TRANSFER_NOTIFY', '192.0.2.1 transfer.example.net 192.0.2.2', /may be empty$/],
    ['WAYPOST_DNS_LISTEN', '[fe80::1%eth0]:5300', zoned],
    ['WAYPOST_DNSSEC_RESOLVERS', 'fe80::1%eth0', zoned],
    ['WAYPOST_CLUSTER_IPV6', 'fe80::1%eth0', zoned],
    ['WAYPOST_DNS_LISTEN', '[::ffff:127.0.0.1]:5300', mapped],
    ['WAYPOST_CLUSTER_IPV4', '::ffff:192.0.2.1', mapped],
    ['WAYPOST_DNS_LISTEN', 'localhost:5300', /for every address$/],
  ] as const) {
    const found = faults(() => loadConfig({ env: { [name]: value } }));
    assert.is(found.length, 1, `${name} ${value}`);
    assert.match(found[0], advice, `${name} ${value}`);
  }
  const [inFile] = faults(() => fromToml('[dns]\nlisten = ["[::ffff:192.0.2.1]:53"]\n'));
  assert.match(inFile, mapped);
});

test.run();
