/**
 * A cluster of Waypost 0.1 becomes one of this version, by the steps of docs/upgrades.md: one node
 * converts its store and begins a new log, the others copy its store.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startChild } from '../support/child.ts';
import { MAIN } from '../support/daemon.ts';
import { inheritedEnvironment } from '../support/inherited-environment.ts';
import { freePort } from '../support/ports.ts';
import { whyNotPrograms } from '../support/programs.ts';
import { removeFolder, temporaryFolder } from '../support/temp.ts';
import { untilPasses } from '../support/until.ts';
import { type EtcdMember, startEtcd } from '../system/peers/etcd.ts';
import { buildOldVersion, type OldDaemon, populate, startVersion, zoneFiles } from './old-version.ts';

const NAMES = ['node-1', 'node-2', 'node-3'];
const DOMAINS = 5;
const COMMAND_MS = 120_000;
const PREFIX = '/waypost-2/';

let folder: string;
let etcd: EtcdMember;
test.before(async () => {
  folder = temporaryFolder('cluster-upgrade');
  etcd = await startEtcd();
});
test.after(async () => {
  await etcd.stop();
  removeFolder(folder);
});

const dataOf = (name: string): string => join(folder, name);

/** A command of the command line on the data of a node; it must succeed. */
async function run(main: string, name: string, args: readonly string[], more: Record<string, string> = {}) {
  const env = { ...inheritedEnvironment(), WAYPOST_DATA_DIR: dataOf(name), WAYPOST_NODE_NAME: name, ...more };
  const child = startChild(process.execPath, [main, ...args], env);
  assert.is(await child.ended(COMMAND_MS), 0, `${name}: waypost ${args.join(' ')}\n${child.output()}`);
  return child.output();
}

const peers = new Map<string, string>();
const start = (main: string, name: string, more: Record<string, string> = {}): Promise<OldDaemon> =>
  startVersion(main, dataOf(name), { WAYPOST_PEER_LISTEN: peers.get(name)!, ...more });

/** Resolves when a write at the node is served by all nodes when it is answered. */
async function untilTogether({ api }: OldDaemon): Promise<void> {
  await untilPasses(async () => {
    const { body } = await api.call('POST', '/api/v1/domains', { domain: `together-${Date.now()}.example` });
    assert.equal((body.sync as { applied: string[] }).applied, NAMES);
  });
}

test('three nodes of 0.1 and their data', async () => {
  const old = buildOldVersion();
  const [first, ...others] = NAMES;
  for (const name of NAMES) {
    peers.set(name, `127.0.0.1:${await freePort()}`);
    mkdirSync(dataOf(name));
  }
  await run(old, first, ['cluster', 'init', '--etcd', etcd.endpoint]);
  for (const name of others) {
    const file = join(folder, `${name}.invitation`);
    await run(old, first, ['cluster', 'invite', name, '--out', file]);
    await run(old, name, ['cluster', 'join', file]);
  }
  const before: OldDaemon[] = [];
  for (const name of NAMES) before.push(await start(old, name));
  const content = await populate(before[0].api, DOMAINS);
  for (const { api } of before) api.token = content.token;
  await untilTogether(before[2]);
  const zones = await zoneFiles(before[1].api);
  assert.ok(Object.keys(zones).length > DOMAINS);
  for (const { child } of before) await child.stop();

  // Step 2: one node converts its store, alone.
  const environment = join(dataOf(first), 'cluster/environment');
  renameSync(environment, `${environment}.0.1`);
  const alone = await start(MAIN, first);
  assert.is(await alone.child.stop(), 0, alone.child.output());
  assert.match(alone.child.output(), /converted the store/);
  renameSync(`${environment}.0.1`, environment);
  // Step 3: its data becomes that of the cluster.
  const begun = await run(MAIN, first, ['cluster', 'init'], { WAYPOST_ETCD_PREFIX: PREFIX });
  assert.match(begun, /the cluster starts with the \d+ changes of node-1/);
  const after = [await start(MAIN, first)];
  // Step 4: the others begin without a store, and copy it.
  for (const name of others) {
    const file = join(dataOf(name), 'cluster/environment');
    const text = readFileSync(file, 'utf8');
    assert.match(text, /^WAYPOST_ETCD_PREFIX=\/waypost\/$/m);
    writeFileSync(file, text.replace('WAYPOST_ETCD_PREFIX=/waypost/', `WAYPOST_ETCD_PREFIX=${PREFIX}`));
    renameSync(join(dataOf(name), 'waypost.mdb'), join(dataOf(name), 'waypost.mdb.0.1'));
    after.push(await start(MAIN, name));
  }
  for (const { api } of after) api.token = content.token;
  for (const { api } of after) await untilPasses(async () => assert.equal(await zoneFiles(api), zones));
  for (const daemon of after) await untilTogether(daemon);
  for (const { api } of after) api.token = content.adminToken;
  const { body } = await after[2].api.call('GET', '/api/v1/nodes');
  assert.equal(
    (body.nodes as { name: string; version: string }[]).map(({ name }) => name),
    NAMES,
  );
  for (const { child } of after) assert.is(await child.stop(), 0, child.output());
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: a cluster of 0.1, ${why}`);
