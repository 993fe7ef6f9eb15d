/**
 * Snapshots of a cluster by the command line: one node is set back and catches up; etcd is lost and
 * all restart with what a snapshot holds.
 */
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Daemon, runCommand } from '../../support/daemon.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { untilPasses } from '../../support/until.ts';
import { startEtcd } from '../peers/etcd.ts';
import { startCluster } from './rig.ts';

const untilReady = ({ api, child }: Daemon): Promise<void> =>
  untilPasses(async () => assert.is((await api.request('GET', '/readyz')).status, 200, child.output()));

const names = async ({ api }: Daemon): Promise<string[]> =>
  ((await api.call('GET', '/api/v1/domains')).body.domains as { domain: string }[]).map(({ domain }) => domain).sort();

test('a snapshot of a node that serves sets one node back, and then the whole cluster', async () => {
  const folder = temporaryFolder('restore');
  const [early, late] = [join(folder, 'early'), join(folder, 'late')];
  const rig = await startCluster(2);
  const other = await startEtcd();
  const cluster = async (node: Daemon, code: number, expected: RegExp, ...args: string[]): Promise<void> => {
    const { code: ended, output } = await runCommand(['cluster', ...args], node.env);
    assert.is(ended, code, output);
    assert.match(output, expected);
  };
  try {
    const [a, b] = rig.nodes;
    await a.api.createDomain('before.example');
    let isDone = false;
    let written = 0;
    const writing = (async () => {
      for (; !isDone; written++) await b.api.createDomain(`during${written}.example`);
    })();
    await cluster(a, 0, /holds everything up to change \d+[\s\S]*does not contain the secret key/, 'snapshot', early);
    isDone = true;
    await writing;
    assert.ok(written > 0);
    await a.api.createDomain('after.example');
    await cluster(a, 0, /holds everything/, 'snapshot', late);
    await cluster(a, 1, /is in use by process/, 'restore', early);

    // One node, while the cluster goes on.
    await b.stop();
    await cluster(b, 1, /already contains data.*--force/, 'restore', early);
    await cluster(b, 0, /The previous data is in[\s\S]*it catches up/, 'restore', early, '--force');
    await b.start();
    await untilReady(b);
    assert.ok((await names(b)).includes('after.example'));
    assert.equal(await names(b), await names(a));

    // All of it.
    await Promise.all(rig.nodes.map((node) => node.stop()));
    await rig.etcd.kill();
    for (const node of rig.nodes) node.env.WAYPOST_ETCD_ENDPOINTS = other.endpoint;
    await cluster(a, 0, /no log under \/waypost\/ yet[\s\S]*waypost cluster init/, 'restore', early, '--force');
    await cluster(a, 0, /the cluster starts with the \d+ changes of a/, 'init');
    await cluster(b, 0, /it catches up/, 'restore', early, '--force');
    await Promise.all(rig.nodes.map((node) => node.start()));
    await Promise.all(rig.nodes.map(untilReady));
    for (const node of rig.nodes) {
      const all = await names(node);
      assert.ok(all.includes('before.example') && !all.includes('after.example'), all.join());
    }
    assert.equal(await names(a), await names(b));
    await untilPasses(async () => {
      const { body } = await b.api.call('POST', '/api/v1/domains', { domain: `n${Date.now()}.example` });
      assert.equal((body.sync as { applied: string[] }).applied, ['a', 'b'], 'both serve what is written');
    });
    // It is another history, and sends nothing to others until one node is told to.
    const deliveries = () =>
      Promise.all(rig.nodes.map(async ({ api }) => (await api.call('GET', '/api/v1/deliveries')).body));
    await untilPasses(async () => {
      const [ofA, ofB] = await deliveries();
      assert.is(ofA.paused, true);
      assert.equal(ofA, ofB);
    });
    await b.api.call('POST', '/api/v1/deliveries/resume');
    await untilPasses(async () => assert.ok((await deliveries()).every(({ paused }) => paused === false)));
    // What the cluster has given up does not come back by one node.
    await b.stop();
    await cluster(b, 1, /does not continue after change \d+.*etcdctl del --prefix/, 'restore', late, '--force');
    await b.start();
  } finally {
    await rig.close();
    await other.stop();
    removeFolder(folder);
  }
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: snapshots of a cluster, ${why}`);
