/**
 * Nodes of two versions in one cluster: what the earlier one would skip or could not read is
 * refused, all else is served by both, and nothing is refused once all are of this version.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FEATURE_LEVEL } from '../../core/journal/feature-level.ts';
import type { Json } from '../support/api-client.ts';
import { startChild } from '../support/child.ts';
import { ADMIN_PASSWORD, MAIN } from '../support/daemon.ts';
import { inheritedEnvironment } from '../support/inherited-environment.ts';
import { freePort } from '../support/ports.ts';
import { whyNotPrograms } from '../support/programs.ts';
import { removeFolder, temporaryFolder } from '../support/temp.ts';
import { untilPasses } from '../support/until.ts';
import { type EtcdMember, startEtcd } from '../system/peers/etcd.ts';
import { buildOldVersion, startVersion, zoneFiles } from './old-version.ts';

const NAMES = ['node-1', 'node-2'] as const;
const COMMAND_MS = 120_000;

let folder: string;
let etcd: EtcdMember;
test.before(async () => {
  folder = temporaryFolder('two-versions');
  etcd = await startEtcd();
});
test.after(async () => {
  await etcd.stop();
  removeFolder(folder);
});

const dataOf = (name: string): string => join(folder, name);

async function run(main: string, name: string, args: readonly string[]): Promise<void> {
  const env = { ...inheritedEnvironment(), WAYPOST_DATA_DIR: dataOf(name), WAYPOST_NODE_NAME: name };
  const child = startChild(process.execPath, [main, ...args], env);
  assert.is(await child.ended(COMMAND_MS), 0, `${name}: waypost ${args.join(' ')}\n${child.output()}`);
}

test('rules that an earlier version would skip wait until no node has it', async () => {
  const old = buildOldVersion('level-3');
  const [first, second] = NAMES;
  const peers = new Map<string, string>();
  for (const name of NAMES) {
    peers.set(name, `127.0.0.1:${await freePort()}`);
    mkdirSync(dataOf(name));
  }
  const start = (main: string, name: string) =>
    startVersion(main, dataOf(name), { WAYPOST_PEER_LISTEN: peers.get(name)! });
  await run(old, first, ['cluster', 'init', '--etcd', etcd.endpoint]);
  const file = join(folder, 'invitation');
  await run(old, first, ['cluster', 'invite', second, '--out', file]);
  await run(old, second, ['cluster', 'join', file]);

  const begun = await start(old, first);
  const earlier = await start(old, second);
  assert.is(await begun.child.stop(), 0, begun.child.output());
  const updated = await start(MAIN, first);
  const { api } = updated;
  await api.logIn('admin', ADMIN_PASSWORD);
  earlier.api.token = api.token;
  // What both know reaches both.
  const id = await api.createDomain('both.example');
  await api.createRecord(id, 'www', 'A', '192.0.2.1');
  const { body } = await earlier.api.call('POST', `/api/v1/domains/${id}/records`, {
    ...{ name: 'old', type: 'A', content: '192.0.2.2' },
  });
  assert.equal((body.sync as { applied: string[] }).applied, NAMES);
  assert.equal(await zoneFiles(api), await zoneFiles(earlier.api));

  const path = `/api/v1/domains/${id}/proxy/rules`;
  const rules = (action: Json): Json => ({ rules: [{ match: {}, action }] });
  const put = (document: Json, etag: string) =>
    api.request('PUT', path, document, 'application/json', { 'if-match': etag });
  const deny = await api.call('PUT', path, rules({ type: 'deny' }));
  const authenticate = rules({ type: 'authenticate', forward: { url: 'https://1.1.1.1/decide' } });
  const refused = await put(authenticate, deny.headers.get('etag')!);
  assert.is(refused.status, 503, refused.text);
  assert.match(refused.text, /"feature_level"/);
  assert.match(refused.text, /feature level 5, which these nodes do not have: node-2 \(.*Update them/);

  // The other node is updated.
  assert.is(await earlier.child.stop(), 0, earlier.child.output());
  const after = await start(MAIN, second);
  after.api.token = api.token;
  await untilPasses(async () => {
    const { body: ready } = await api.call('GET', '/readyz');
    assert.is((ready.cluster as { feature_level: number }).feature_level, FEATURE_LEVEL);
  });
  const { headers } = await api.request('GET', path);
  const taken = await put(authenticate, headers.get('etag')!);
  assert.is(taken.status, 200, taken.text);
  await untilPasses(async () => {
    const { body: there } = await after.api.call('GET', path);
    assert.is((there.rules as { action: { type: string } }[])[0].action.type, 'authenticate');
  });
  for (const { child } of [updated, after]) assert.is(await child.stop(), 0, child.output());
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: nodes of two versions, ${why}`);
