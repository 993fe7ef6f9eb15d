/** The units and the examples, as systemd, etcd and the command line read them. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createAuthority, signNode } from '../../../core/cluster/authority.ts';
import { loadConfig } from '../../../core/config/index.ts';
import { EtcdGateway } from '../../../core/journal/etcd-client/gateway.ts';
import { put, range } from '../../../core/journal/etcd-client/messages.ts';
import { startChild } from '../../support/child.ts';
import { environment, runCommand } from '../../support/daemon.ts';
import { freePort } from '../../support/ports.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { untilPasses } from '../../support/until.ts';
import { startReceiver } from '../core/os/systemd/receiver.ts';

const UNITS = ['waypost', 'waypost-etcd'] as const;
const EXAMPLES = ['single', 'four-nodes', 'external-etcd', 'waypost'] as const;
const ANALYZE = '/usr/bin/systemd-analyze';

/**
 * The assignments of a file as systemd reads them: units and environment files, without quoting,
 * which ours do not need.
 */
function assignments(file: string): [string, string][] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines
    .filter((line) => /^\w+=/.test(line))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
}

const of = (unit: string, name: string): string[] =>
  assignments(`systemd/${unit}.service`)
    .filter(([key]) => key === name)
    .map(([, value]) => value);

for (const example of EXAMPLES)
  test(`config/${example}.toml passes check-config`, async () => {
    const { code, output } = await runCommand(['check-config', '--config', `config/${example}.toml`], environment({}));
    // Only files of their machine are missing here.
    const faults = code === 0 ? [] : output.split('\n').filter((line) => /^error: (?!The config)|^ {2}/.test(line));
    assert.equal(
      [faults.filter((fault) => !/is missing|ENOENT/.test(fault)), faults.length > 0],
      [[], code !== 0],
      output,
    );
  });

test('the examples: one node; four nodes with three members of etcd; an external etcd', () => {
  const [single, four, external] = EXAMPLES.map((name) => loadConfig({ file: `config/${name}.toml`, env: {} }));
  assert.equal(single.etcd.endpoints, []);
  assert.is(four.etcd.endpoints.length, 3);
  assert.ok(external.etcd.certificateFile && external.etcd.keyFile);
  // A member's own file agrees with the endpoints.
  const member = Object.fromEntries(assignments('config/etcd.environment'));
  assert.ok(four.etcd.endpoints.includes(member.ETCD_ADVERTISE_CLIENT_URLS));
  const hosts = member.ETCD_INITIAL_CLUSTER.split(',').map(
    (text) => new URL(text.slice(text.indexOf('=') + 1)).hostname,
  );
  assert.equal(
    hosts,
    four.etcd.endpoints.map((url) => new URL(url).hostname),
  );
});

test('the unit starts an existing file with existing settings', () => {
  const [start] = of('waypost', 'ExecStart');
  assert.is(start.split('/usr/lib/waypost/dist/main.js ')[1], 'serve');
  const env = Object.fromEntries(
    of('waypost', 'Environment').map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
  );
  const config = loadConfig({ env: { ...env, WAYPOST_CONFIG: 'config/single.toml' } });
  assert.is(config.dataDir, '/var/lib/waypost');
  assert.ok(config.drainDelay > 0);
  assert.is(of('waypost', 'StateDirectory')[0], 'waypost');
  // What ends a stop that takes too long leaves time to drain.
  const { drainTimeout } = config.edge;
  const stopTimeout = Number(of('waypost', 'TimeoutStopSec')[0]) * 1000;
  assert.ok(stopTimeout > config.drainDelay * 1000 + drainTimeout + 10_000);
});

if (existsSync(ANALYZE))
  for (const unit of UNITS)
    test(`systemd accepts ${unit}.service, and rates its exposure at most 2.0`, () => {
      const { status, stdout, stderr } = spawnSync(
        ANALYZE,
        ['security', '--offline=yes', '--threshold=20', `systemd/${unit}.service`],
        { encoding: 'utf8' },
      );
      assert.is(status, 0, stdout + stderr);
      assert.match(stdout, /Overall exposure level for \S+: (?:[01]\.\d|2\.0) /);
      // Programs that are not on this machine are no fault of the unit.
      const verified = spawnSync(ANALYZE, ['verify', `systemd/${unit}.service`], { encoding: 'utf8' });
      assert.not.match(verified.stderr, /Unknown|Failed to parse|ignoring|Invalid/i);
    });
else console.log(`skipped: what systemd says of the units, ${ANALYZE} is not there`);

async function etcdOfTheUnit(): Promise<void> {
  const folder = temporaryFolder('units');
  const authority = await createAuthority();
  const name = 'node-1.example.net';
  const own = await signNode(authority, name, ['127.0.0.1']);
  const file = (path: string, text: string): void => writeFileSync(join(folder, path), text, { mode: 0o600 });
  file('ca.pem', authority.certificate);
  file('node.pem', own.certificate);
  file('node.key', own.key);
  const [client, peer] = [await freePort(), await freePort()];
  const unit = of('waypost-etcd', 'Environment')
    .flatMap((line) => line.split(' '))
    .map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1).replace('%d', folder)]);
  // Names of hosts and the port are those of this machine.
  const member = assignments('config/etcd.environment').map(([key, value]) => [
    key,
    (value.includes(',') ? value.split(',')[0] : value)
      .replace(/https:\/\/[^:]+:2379/g, `https://127.0.0.1:${client}`)
      .replace(/https:\/\/[^:]+:2380/g, `https://127.0.0.1:${peer}`),
  ]);
  const socket = join(folder, 'notify');
  const receiver = await startReceiver(socket);
  const env = { PATH: process.env.PATH, ...Object.fromEntries([...unit, ...member]), NOTIFY_SOCKET: socket };
  const child = startChild('/usr/bin/etcd', [], { ...env, ETCD_DATA_DIR: join(folder, 'data') });
  const gateway = new EtcdGateway({
    endpoints: [`https://127.0.0.1:${client}`],
    timeout: 2000,
    tls: { ca: authority.certificate, certificate: own.certificate, key: own.key },
  });
  const stranger = new EtcdGateway({
    endpoints: [`https://127.0.0.1:${client}`],
    timeout: 2000,
    tls: { ca: authority.certificate },
  });
  try {
    await receiver.until(/^READY=1/).catch((error: Error) => {
      throw new Error(`${error.message}\n${child.output()}`);
    });
    await untilPasses(() =>
      gateway.transaction([], [put('/waypost/x', Buffer.from('1'))]).then(
        () => {},
        (error) => assert.unreachable(`${error}\n${child.output()}`),
      ),
    );
    const { ranges } = await gateway.transaction([], [range('/waypost/', '/waypost0')]);
    assert.is(ranges[0]?.items.length, 1);
    let why = '';
    await stranger.transaction([], [range('/waypost/', '/waypost0')]).catch((error: Error) => {
      why = error.message;
    });
    assert.ok(why !== '', 'who shows no certificate is refused');
  } finally {
    await gateway.close();
    await stranger.close();
    await child.stop();
    await receiver.stop();
    removeFolder(folder);
  }
}

const why = whyNotPrograms('etcd');
if (why === null)
  test('etcd runs with the unit and config/etcd.environment, and notifies when it is ready', etcdOfTheUnit);
else console.log(`skipped: etcd as its unit starts it, ${why}`);

test.run();
