import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CliIo } from '../../../admin-api/cli/index.ts';
import { describeBuild } from '../../../core/base/build-info.ts';
import type { Config } from '../../../core/config/index.ts';
import { UWS_ABIS } from '../transports.ts';
import { run } from './harness.ts';
import { allHelp, examplesOf } from './help.ts';

const test = suite('admin-api/cli/run');
const folder = mkdtempSync(join(tmpdir(), 'waypost-cli-'));
const file = join(folder, 'waypost.toml');
test.after(() => rmSync(folder, { recursive: true }));

test('every command has help with an example', async () => {
  const commands = [
    [],
    ['serve'],
    ['check-config'],
    ['status'],
    ...['add', 'list', 'show', 'rm'].map((verb) => ['domain', verb]),
    ...['add', 'list', 'set', 'rm'].map((verb) => ['record', verb]),
    ...['set', 'on', 'off', 'status', 'purge', 'certificate'].map((verb) => ['proxy', verb]),
    ...['add', 'show', 'list', 'set', 'rm'].map((verb) => ['account', verb]),
    ...['create', 'list', 'revoke'].map((verb) => ['token', verb]),
    ['audit'],
    ['change'],
    ['domain'],
    ['record'],
    ['proxy'],
    ['account'],
    ['token'],
    ['zone', 'list'],
    ['zone', 'import'],
    ['zone', 'export'],
    ['zone', 'check'],
    ['answers', 'rebuild'],
  ];
  for (const command of commands) {
    const { code, stdout } = await run([...command, '--help']);
    assert.is(code, 0, command.join(' '));
    assert.match(stdout, /Examples?:\n {2}\$ .*waypost /, command.join(' '));
  }
});

test('the examples of every help name commands and options that are there', async () => {
  const helps = await allHelp();
  assert.ok(helps.size > 150, `only ${helps.size} commands were found`);
  for (const [words, text] of helps)
    for (const example of examplesOf(text))
      for (const [, rest] of example.matchAll(/(?<![\w/]|-u )waypost ((?:[^|&"')]|"[^"]*"|'[^']*')+)/g)) {
        const parts = rest
          .replace(/"[^"]*"|'[^']*'/g, 'x')
          .trim()
          .split(/\s+/);
        let depth = 0;
        while (depth < parts.length && helps.has(parts.slice(0, depth + 1).join(' '))) depth++;
        const help = helps.get(parts.slice(0, depth).join(' ')) ?? '';
        assert.ok(depth > 0 || parts[0].startsWith('-'), `"${words}": ${example}`);
        assert.not.match(help, /^Usage: waypost \S.* \[command\]/, `"${words}" stops at a group: ${example}`);
        for (const option of parts.filter((part) => /^--[a-z]/.test(part)))
          assert.ok(help.includes(option.split('=')[0]), `"${words}": ${example} has ${option}`);
      }
});

test('commands have the names that people type', async () => {
  for (const [typed, name] of [
    ['domain ls', 'domain list'],
    ['domains ls', 'domain list'],
    ['domain remove', 'domain rm'],
    ['domain delete', 'domain rm'],
    ['record create', 'record add'],
    ['token rm', 'token revoke'],
    ['token add', 'token create'],
    ['cluster rm', 'cluster remove'],
    ['rules show', 'rules get'],
    ['stats', 'statistics'],
  ]) {
    const { code, stdout } = await run([...typed.split(' '), '--help']);
    assert.equal([code, stdout], [0, (await run([...name.split(' '), '--help'])).stdout], typed);
    assert.ok(stdout.startsWith(`Usage: waypost ${name} [`), stdout);
  }
  assert.match((await run(['domain', 'rm', '--help'])).stdout, /^Aliases: remove, delete$/m);
  assert.match((await run(['domain', '--help'])).stdout, /^ {2}rm <name> /m);
});

test('a completion has every command, and a name for it in each shell', async () => {
  const { stdout: help } = await run(['record', '--help']);
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout } = await run(['completion', shell]);
    for (const [, name] of help.matchAll(/^ {2}([a-z]+) </gm)) assert.ok(stdout.includes(` record ${name}'`), name);
    const json = JSON.parse((await run(['completion', shell, '--json'])).stdout);
    assert.equal(json, { ok: true, shell, script: stdout });
  }
  assert.is((await run(['completion', 'tcsh'])).code, 2);
});

test('names a missing file, without a stack', async () => {
  const env = { WAYPOST_DATA_DIR: join(folder, 'data') };
  const { code, stderr } = await run(['cluster', 'restore', join(folder, 'no.snapshot')], { env });
  assert.is(code, 1);
  assert.match(stderr, /^error: ENOENT: .*no\.snapshot'\. \(bad_path\)\n {2}next: Check the path; .*\n$/);
});

test('groups the list of commands, one line each', async () => {
  const { stdout } = await run(['--help']);
  const commands = stdout.slice(stdout.indexOf('Domains and records:'), stdout.indexOf('Examples:'));
  const headings = commands.match(/^\S.*:$/gm);
  assert.equal(headings, [
    'Domains and records:',
    'Migration:',
    'Proxy:',
    'Packages:',
    'Webhooks:',
    'Accounts and tokens:',
    'History:',
    'Backups:',
    'Cluster:',
    'Kubernetes:',
    'Daemon:',
    'Shell:',
    'Help:',
  ]);
  for (const line of commands.split('\n')) assert.match(line, /^$|^\S.*:$|^ {2}\S/);
  assert.match(commands, /^ {2}domain {2,}\S/m);
  const topic = await run(['help', 'record']);
  assert.equal([topic.code, topic.stdout], [0, (await run(['record', '--help'])).stdout]);
});

test('invalid arguments exit with 2 and an error on standard error', async () => {
  for (const argv of [
    ['frob'],
    ['zone', 'import'],
    ['zone', 'list', '--frob'],
    ['zone', 'import', 'x', '--concurrency', '0'],
  ]) {
    const { code, stdout, stderr } = await run(argv);
    assert.is(code, 2, argv.join(' '));
    assert.is(stdout, '');
    assert.match(stderr, /^error: /);
  }
  for (const [typed, meant] of [
    ['zone imprt x', 'import'],
    ['domian list', 'domain'],
    ['domain lst', 'list'],
    ['domain list --jsno', '--json'],
    ['domain list --filtr x', '--filter'],
    ['token create --logn x', '--login'],
  ]) {
    const { code, stderr } = await run(typed.split(' '));
    assert.is(code, 2, typed);
    assert.ok(new RegExp(`\\(Did you mean (one of )?${meant}[?,]`).test(stderr), stderr);
  }
});

test('--version names the build, its Node, and what serves the API', async () => {
  const [code, build, runtime, end] = await run(['--version']).then((result) => [
    result.code,
    ...result.stdout.split('\n'),
  ]);
  assert.equal([code, build, end], [0, 'waypost 1.2.3 (commit 0123456789ab, 2026-11-27)', '']);
  const { node, openssl } = process.versions;
  const transport = UWS_ABIS.includes(process.versions.modules)
    ? 'uWebSockets.js'
    : `node:http, since uWebSockets.js has no binary for Node ${node} on ${process.platform} ${process.arch}`;
  assert.is(runtime, `Node ${node}, OpenSSL ${openssl}, API: ${transport}`);
});

test('a build without a commit says its version', () => {
  assert.is(describeBuild({ version: '1.2.3', commit: null, date: null }), 'waypost 1.2.3');
});

test('serve receives the configuration and waits for the daemon', async () => {
  writeFileSync(file, '[dns]\nworkers = 3\n');
  let given: Config | undefined;
  let stopped = false;
  const serve: CliIo['serve'] = async (read) => {
    given = read().config;
    await new Promise((resolve) => setTimeout(resolve, 5));
    stopped = true;
  };
  const { code } = await run(['serve', '--config', file], { env: { WAYPOST_DATA_DIR: '/d' }, serve });
  assert.equal([code, given?.dns.workers, given?.dataDir, stopped], [0, 3, '/d', true]);
});

test('a failing daemon exits with 1 and the reason', async () => {
  const serve = async () => {
    throw new Error('port taken');
  };
  const { code, stderr } = await run(['serve'], { serve });
  assert.is(code, 1);
  assert.match(stderr, /port taken/);
});

test('check-config prints value and origin of every setting, secrets hidden', async () => {
  writeFileSync(file, '[dns]\nworkers = 3\n');
  const env = { WAYPOST_ADMIN_PASSWORD: 'hunter2', WAYPOST_DATA_DIR: '/d' };
  const { code, stdout } = await run(['check-config', '--config', file], { env });
  assert.is(code, 0);
  assert.match(stdout, /^data_dir += {1,2}"\/d" {2}# WAYPOST_DATA_DIR$/m);
  assert.match(stdout, /^dns\.workers += {1,2}3 {2}# file$/m);
  assert.match(stdout, /^dns\.listen += {1,2}\["127\.0\.0\.1:5300"\] {2}# default$/m);
  assert.match(stdout, /^soa\.hostmaster += {1,2}\(hostmaster at the domain/m);
  assert.match(stdout, /^admin\.password += {1,2}\(set, not shown\)/m);
  const json = await run(['check-config', '--json'], { env });
  assert.is(JSON.parse(json.stdout).settings[0].value, '/d');
  assert.not(`${stdout}${json.stdout}`.includes('hunter2'));
});

/** Names and addresses as of a public service. */
const LIVE = {
  WAYPOST_NAMESERVERS: 'ns1.example.net',
  WAYPOST_CLUSTER_IPV4: '192.0.2.80',
  WAYPOST_CLUSTER_IPV6: '2001:db8::80',
};

test('check-config warns of secrets that leave the machine in the clear', async () => {
  const env = { ...LIVE, WAYPOST_ETCD_ENDPOINTS: 'http://192.0.2.1:2379', WAYPOST_ADMIN_LISTEN: '127.0.0.1:8300' };
  for (const more of [[], ['--quiet']]) {
    const { code, stderr } = await run(['check-config', ...more], { env });
    assert.is(code, 0);
    assert.match(
      stderr,
      /^warning: etcd\.endpoints = http:\/\/192\.0\.2\.1:2379 is without TLS\. .* Use https:\/\/ with/,
    );
  }
  const json = await run(['check-config', '--json'], { env });
  assert.equal([json.stderr, JSON.parse(json.stdout).warnings.length], ['', 1]);
  const local = await run(['check-config'], { env: { ...LIVE, WAYPOST_ETCD_ENDPOINTS: 'http://127.0.0.1:2379' } });
  assert.is(local.stderr, '');
});

test('check-config warns of names and addresses that only suit a trial', async () => {
  const { code, stderr } = await run(['check-config', '--quiet']);
  assert.is(code, 0);
  const [names, ipv4, ipv6, ...more] = stderr.trimEnd().split('\n');
  assert.match(names, /^warning: nameservers = ns1\.waypost\.test, ns2.* cannot exist on the internet\. Use names/);
  assert.match(ipv4, /^warning: cluster\.ipv4 = 127\.0\.0\.1\. .* no visitor reaches\. Use the public/);
  assert.match(ipv6, /^warning: cluster\.ipv6 = ::1\. /);
  assert.equal(more, []);
  const json = await run(['check-config', '--json']);
  assert.is(JSON.parse(json.stdout).warnings.length, 3);
  assert.is((await run(['check-config', '--quiet'], { env: LIVE })).stderr, '');
});

test('check-config prints every error and exits with 1', async () => {
  writeFileSync(file, '[dns]\nworkers = 0\nlissten = "a"\n');
  const { code, stdout, stderr } = await run(['--config', file, 'check-config']);
  assert.equal([code, stdout], [1, '']);
  assert.match(stderr, /\n {2}dns\.lissten \(.*:3\): .*did you mean dns\.listen\?\n {2}dns\.workers \(.*:2\): found 0/);
  const json = await run(['check-config', '--config', file, '--json']);
  assert.is(JSON.parse(json.stderr).error.code, 'invalid_config');
});

test('answers rebuild works on the data folder of the configuration', async () => {
  const rebuildAnswers = async ({ dataDir }: Config) => {
    assert.is(dataDir, '/d');
    return { zones: 2, answers: 31 };
  };
  const { code, stdout } = await run(['answers', 'rebuild'], { env: { WAYPOST_DATA_DIR: '/d' }, rebuildAnswers });
  assert.is(code, 0);
  assert.match(stdout, /^rebuilt 31 answers of 2 zones in [\d.]+ s, in \/d\n$/);
});

test.run();
