/**
 * What a node does from time to time: whether etcd is compacted, and that how full it is can be
 * read in the metrics.
 */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../core/base/log/index.ts';
import { PROMETHEUS, Registry } from '../../../core/base/metrics/index.ts';
import { clusterMetrics } from '../../../core/cluster/metrics.ts';
import { Upkeep, type UpkeepOptions } from '../../../core/cluster/upkeep.ts';
import { FEATURE_LEVEL } from '../../../core/journal/feature-level.ts';
import { clusterTasks, singleNodeTasks, VirtualClock } from '../../support/tasks.ts';

const STORAGE = { size: 9 << 20, used: 1 << 20, quota: 8 << 20, isFull: true };

/**
 * Runs for so many minutes; resolves with the revisions to which etcd was compacted, and what
 * upkeep knows.
 */
async function run(minutes: number, more: Partial<UpkeepOptions> = {}) {
  const clock = new VirtualClock();
  const compacted: number[] = [];
  let revision = 0;
  const gateway = {
    storage: async () => STORAGE,
    transaction: async () => ({ revision: ++revision }),
    compact: async (at: number) => void compacted.push(at),
  };
  const upkeep = new Upkeep({
    gateway: gateway as unknown as UpkeepOptions['gateway'],
    journal: { head: 10, oldest: 1, truncate: async () => {} },
    cluster: { isServing: true, serving: async () => {}, settled: 10, isBeingJoined: false },
    lag: { heard: () => {}, isServing: true },
    ...{ prefix: '/x/', compacts: true, history: 1000, onTrouble: (error) => assert.unreachable(String(error)) },
    tasks: singleNodeTasks(clock),
    log: createLogger({ level: 'error', format: 'text' }),
    ...more,
  });
  upkeep.start();
  await clock.advance(minutes * 60_000);
  upkeep.stop();
  return { compacted, looks: revision, upkeep };
}

test('one node compacts etcd each minute, up to the revision of a minute before; none when disabled', async () => {
  const { compacted, looks } = await run(4);
  assert.equal([compacted, looks], [[1, 2, 3], 4]);
  const off = await run(4, { compacts: false });
  assert.equal([off.compacted, off.looks], [[], 0]);
  const other = await run(4, { tasks: clusterTasks('b', () => ['a', 'b'], new VirtualClock()) });
  assert.equal(other.compacted, []);
});

test('the log is truncated to the entries that this node has deleted for their size, if all nodes have them', async () => {
  const floors: number[] = [];
  const journal = { head: 5000, oldest: 4500, truncate: async (floor: number) => void floors.push(floor) };
  const cluster = { isServing: true, serving: async () => {}, settled: 5000, isBeingJoined: false };
  await run(2, { journal, cluster });
  assert.equal(floors.splice(0), [4500]);
  await run(1, { journal, cluster: { ...cluster, settled: 4200 } });
  assert.equal(floors.splice(0), [4201]);
  // A node that joins copies a store, and needs the entries after it.
  await run(1, { journal, cluster: { ...cluster, isBeingJoined: true } });
  assert.equal(floors, []);
  await run(1, { journal: { ...journal, oldest: 1 }, cluster });
  assert.equal(floors, [4001]);
});

test('the metrics have the size and quota of etcd', async () => {
  const { upkeep } = await run(0);
  const registry = new Registry();
  const standing = {
    ...{ state: 'following' as const, lagEntries: 0, lagSeconds: 0, etcdSeconds: 0, agreedLevel: 7, pending: [] },
    damagedValues: 2,
  };
  clusterMetrics(registry, () => ({ ...standing, etcd: upkeep.storage }));
  const text = registry.expose(PROMETHEUS);
  for (const line of ['size_bytes 9437184', 'used_bytes 1048576', 'quota_bytes 8388608', 'full 1'])
    assert.match(text, new RegExp(`^waypost_cluster_etcd_${line}$`, 'm'));
  assert.match(text, /^waypost_cluster_feature_level 7$/m);
  assert.match(text, /^waypost_cluster_damaged_values 2$/m);
  assert.match(text, new RegExp(`^waypost_cluster_own_feature_level ${FEATURE_LEVEL}$`, 'm'));
});

test.run();
