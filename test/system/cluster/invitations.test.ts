/** An invitation works once, for a time, for one name and for the addresses of its node. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inviteKey } from '../../../core/cluster/invitations.ts';
import { keysOf, readMembers } from '../../../core/cluster/members.ts';
import { keyPrintOf } from '../../../core/cluster/peer-tls.ts';
import { remove } from '../../../core/journal/etcd-client/messages.ts';
import { type Daemon, environment, runCommand, startDaemon } from '../../support/daemon.ts';
import { freePort } from '../../support/ports.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { until } from '../../support/until.ts';
import { type EtcdMember, startEtcd } from '../peers/etcd.ts';

interface Context {
  etcd: EtcdMember;
  folder: string;
  first: Daemon;
}

const PREFIX = '/waypost/';

const test = suite<Context>('invitations of a cluster');

const run = (env: NodeJS.ProcessEnv, ...args: string[]): Promise<{ code: number | null; output: string }> =>
  runCommand(['cluster', ...args], env);

test.before(async (context) => {
  context.etcd = await startEtcd();
  context.folder = temporaryFolder('invitations');
  const settings = {
    WAYPOST_DATA_DIR: join(context.folder, 'first'),
    WAYPOST_NODE_NAME: 'first',
    WAYPOST_ETCD_ENDPOINTS: context.etcd.endpoint,
    WAYPOST_PEER_LISTEN: `127.0.0.1:${await freePort()}`,
  };
  const { code, output } = await run(environment(settings), 'init');
  assert.is(code, 0, output);
  context.first = await startDaemon(settings);
});
test.after(async ({ etcd, folder, first }) => {
  await first?.close();
  await etcd.stop();
  removeFolder(folder);
});

/** The file of a new invitation. */
async function invite({ folder, first }: Context, name: string, ...more: string[]): Promise<string> {
  const file = join(folder, `${name}.invitation`);
  const { code, output } = await run(first.env, 'invite', name, '--out', file, ...more);
  assert.is(code, 0, output);
  assert.match(output, /lets \S+ join once, within/);
  return file;
}

const at = ({ folder }: Context, data: string): NodeJS.ProcessEnv =>
  environment({ WAYPOST_DATA_DIR: join(folder, data) });

async function joinAs(context: Context, data: string, file: string): Promise<void> {
  const { code, output } = await run(at(context, data), 'join', file);
  assert.is(code, 0, output);
}

const settingsOf = async ({ folder, etcd }: Context, name: string, data = name): Promise<Record<string, string>> => ({
  WAYPOST_DATA_DIR: join(folder, data),
  WAYPOST_NODE_NAME: name,
  WAYPOST_ETCD_ENDPOINTS: etcd.endpoint,
  WAYPOST_PEER_LISTEN: `127.0.0.2:${await freePort()}`,
});

async function refused(expected: RegExp, settings: Record<string, string>): Promise<void> {
  const { code, output } = await runCommand(['serve'], environment(settings));
  assert.is(code, 1, output);
  assert.match(output, expected);
}

test('a second node cannot use an invitation, whether the first one runs or not', async (context) => {
  const file = await invite(context, 'second', '--host', '127.0.0.2');
  await joinAs(context, 'second', file);
  // Before the first start: both have the file.
  await joinAs(context, 'copy', file);
  const second = await startDaemon(await settingsOf(context, 'second'));
  try {
    const USED = /The invitation of this node was used before.*waypost cluster invite second/s;
    await refused(USED, await settingsOf(context, 'second', 'copy'));
    const { code, output } = await run(at(context, 'third-copy'), 'join', file);
    assert.is(code, 1);
    assert.match(output, /The invitation was used before, was withdrawn, or is not for second/);
    assert.is(await second.stop(), 0);
    await refused(USED, await settingsOf(context, 'second', 'copy'));
    // etcd, the other node and the node itself start again.
    await context.etcd.kill();
    await context.etcd.again();
    assert.is(await context.first.stop(), 0);
    await context.first.start();
    await refused(USED, await settingsOf(context, 'second', 'copy'));
    await second.start();
  } finally {
    await second.close();
  }
});

test('an invitation expires, and its key is then refused for good', async (context) => {
  const { etcd, folder } = context;
  const file = await invite(context, 'late', '--lifetime', '1h');
  const invitation = JSON.parse(readFileSync(file, 'utf8')) as { certificate: string; expires: number };
  assert.ok(Math.abs(invitation.expires - Date.now() / 1000 - 3600) < 1800);
  await joinAs(context, 'late', file);
  const old = join(folder, 'old.invitation');
  writeFileSync(old, JSON.stringify({ ...invitation, expires: 1 }));
  const { code, output } = await run(at(context, 'later'), 'join', old);
  assert.is(code, 1);
  assert.match(output, /The invitation for late has expired.*waypost cluster invite late/s);
  // The time passes for the cluster, too.
  await etcd.gateway.transaction([], [remove(...keysOf(PREFIX, 'invited'))]);
  await inviteKey(etcd.gateway, PREFIX, 'late', invitation.certificate, { expires: 1 });
  await refused(/expired/, await settingsOf(context, 'late'));
  const key = keyPrintOf(invitation.certificate);
  await until(
    async () => (await readMembers(etcd.gateway, PREFIX)).removedKeys.has(key),
    'a node withdraws the invitation',
  );
  await refused(/its invitation expired before its first start/, await settingsOf(context, 'late'));
});

test('an invitation is for its name and for the addresses of its node', async (context) => {
  const file = await invite(context, 'bound', '--host', '127.0.0.2');
  const invitation = JSON.parse(readFileSync(file, 'utf8')) as object;
  const renamed = join(context.folder, 'renamed.invitation');
  writeFileSync(renamed, JSON.stringify({ ...invitation, name: 'other' }));
  const { code, output } = await run(at(context, 'renamed'), 'join', renamed);
  assert.is(code, 1);
  assert.match(output, /is not for other/);
  await joinAs(context, 'bound', file);
  await refused(/is not a member of the cluster/, await settingsOf(context, 'other', 'bound'));
  const settings = await settingsOf(context, 'bound');
  const elsewhere = {
    ...settings,
    WAYPOST_PEER_LISTEN: settings.WAYPOST_PEER_LISTEN.replace('127.0.0.2', '127.0.0.3'),
  };
  await refused(
    /is for bound at 127\.0\.0\.2, but this node has the address 127\.0\.0\.3.*peer\.advertise/s,
    elsewhere,
  );
  const bound = await startDaemon(settings);
  await bound.close();
});

test('times that are none are refused', async ({ first }) => {
  for (const time of ['0h', '31d', '24', 'soon']) {
    const { code, output } = await run(first.env, 'invite', 'x', '--lifetime', time);
    assert.is(code, 1);
    assert.match(output, /is not a time; use a value from 1m to 30d/);
  }
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: invitations of a cluster, ${why}`);
