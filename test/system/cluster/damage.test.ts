/**
 * Values in etcd are damaged for a while, each kind of key in several ways, and mended: both nodes
 * take writes again without a restart.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EtcdGateway } from '../../../core/journal/etcd-client/gateway.ts';
import { hasRevision, type KeyValue, put, range, remove } from '../../../core/journal/etcd-client/messages.ts';
import type { Daemon } from '../../support/daemon.ts';
import { matrix } from '../../support/depth.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { untilPasses } from '../../support/until.ts';
import { type ClusterRig, startCluster } from './rig.ts';

const PREFIX = '/waypost/';
/** Milliseconds: more than a node leaves between two reads. */
const HELD = 1500;

const uint48 = (value: number): Buffer => {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(value, 0, 6);
  return bytes;
};

type Damage = readonly [what: string, of: (value: Buffer) => Buffer | null];
const GARBAGE: Damage = ['garbage', () => Buffer.from([0xff, 0, 0x7b])];
const EMPTY: Damage = ['nothing', () => Buffer.of()];
const GONE: Damage = ['deleted', () => null];
const ANYTHING = [GARBAGE, EMPTY, GONE];

/** By the beginning of the key: what is done to the last such key. */
const KINDS: readonly (readonly [kind: string, damage: readonly Damage[]])[] = [
  ['node/level', [['99', () => Buffer.from('99')], ['0', () => Buffer.from('0')], ...ANYTHING]],
  ['node/member/', [...ANYTHING, ['another name', (value) => Buffer.from(value.toString().replace('"b"', '"x"'))]]],
  ['node/session/', ANYTHING],
  ['node/live/', ANYTHING],
  ['node/certificate/', ANYTHING],
  [
    'head',
    [
      ...ANYTHING,
      ['an earlier entry', (value) => Buffer.concat([uint48(1), value.subarray(6)])],
      ['a later entry', (value) => Buffer.concat([uint48(value.readUIntBE(0, 6) + 5), value.subarray(6)])],
      ['another hash', (value) => Buffer.concat([value.subarray(0, 6), Buffer.alloc(32, 7)])],
    ],
  ],
  ['floor', [...ANYTHING, ['a later entry', () => uint48(2 ** 40)]]],
  ['log/', ANYTHING],
  ['mandate/', ANYTHING],
];

/** Keys that were never written. */
const ADDED: readonly (readonly [key: string, value: string])[] = [
  ['node/member/zz', '{'],
  ['node/session/a2', ''],
  ['node/live/zz', 'x'],
  ['node/removed/zz', ''],
  ['node/removed-key/zz', ''],
  ['node/invited/zz', 'x'],
  ['node/certificate/zz', 'x'],
  ['node/unknown/zz', 'x'],
  ['log/ffffffffffff', 'x'],
  ['turn', 'x'],
  ['part/x', 'x'],
];

/** A member that is none, an entry of the log in the future, and a key of no kind. */
const REPRESENTED: ReadonlySet<string> = new Set(['node/member/zz', 'log/ffffffffffff', 'node/unknown/zz']);

async function find(gateway: EtcdGateway, kind: string): Promise<KeyValue | undefined> {
  const key = PREFIX + kind;
  const { ranges } = await gateway.transaction(
    [],
    [kind.endsWith('/') ? range(key, `${key.slice(0, -1)}0`) : range(key)],
  );
  return ranges[0]?.items.at(-1);
}

let count = 0;
/** Both nodes take writes, which both serve. */
async function untilWritten(nodes: readonly Daemon[], what: string): Promise<void> {
  for (const { api, child } of nodes)
    await untilPasses(async () => {
      const { body, status } = await api.call('POST', '/api/v1/domains', { domain: `d${++count}.example` });
      assert.is(status, 200, `${what}: ${JSON.stringify(body)}\n${child.output().slice(-3000)}`);
      assert.equal((body.sync as { applied: string[] }).applied, ['a', 'b'], what);
    });
}

const test = suite<{ cluster: ClusterRig }>('damage in etcd');
test.before(async (context) => {
  context.cluster = await startCluster(2);
});
test.after(async ({ cluster }) => {
  await cluster?.close();
});

/** A deleted key, and the damage that only this kind of key can have; of one kind every damage. */
const isOwn = (kind: string, damage: Damage): boolean =>
  kind === 'node/member/' || damage === GONE || !ANYTHING.includes(damage);

for (const [kind, damages] of KINDS)
  for (const [what, damage] of matrix(damages, (item) => isOwn(kind, item)))
    test(`${kind}: ${what}`, async ({ cluster: { etcd, nodes } }) => {
      await untilWritten(nodes, 'before');
      const { gateway } = etcd;
      // A log that was never shortened has none.
      if (kind === 'floor')
        await gateway.transaction([hasRevision(`${PREFIX}floor`, 0)], [put(`${PREFIX}floor`, uint48(1))]);
      const item = await find(gateway, kind);
      if (item === undefined) return assert.is(kind, 'mandate/', 'one is there');
      const key = item.key.toString();
      const value = damage(item.value);
      const { revision } = await gateway.transaction([], [value === null ? remove(key) : put(key, value)]);
      const pids = nodes.map(({ child }) => child.pid);
      // Writes go on meanwhile, or are refused.
      await Promise.all([
        sleep(HELD),
        ...nodes.map(({ api }) => api.request('POST', '/api/v1/domains', { domain: `w${++count}.example` })),
      ]);
      // A node may have mended it, or gone on from it.
      await gateway.transaction([hasRevision(key, value === null ? 0 : revision)], [put(key, item.value)]);
      await untilWritten(nodes, `${key} ${what}`);
      assert.equal(
        nodes.map(({ child }) => child.pid),
        pids,
      );
      for (const { child } of nodes) assert.not(child.exited());
    });

for (const [name, value] of matrix(ADDED, ([key]) => REPRESENTED.has(key)))
  test(`${name} of unknown origin`, async ({ cluster: { etcd, nodes } }) => {
    const key = PREFIX + name;
    await etcd.gateway.transaction([], [put(key, Buffer.from(value))]);
    await sleep(HELD);
    await etcd.gateway.transaction([], [remove(key)]);
    await untilWritten(nodes, key);
  });

test('damage is named in the log, by /readyz and in the metrics', async ({ cluster: { etcd, nodes } }) => {
  const [{ api, child }] = nodes;
  const key = `${PREFIX}node/invited/named`;
  await etcd.gateway.transaction([], [put(key, Buffer.from('x'))]);
  const named = /the value of \/waypost\/node\/invited\/named in etcd was damaged: no node writes/;
  await untilPasses(async () => {
    assert.match((await api.request('GET', '/readyz')).text, named);
    assert.match((await api.request('GET', '/metrics')).text, /^waypost_cluster_damaged_values 1$/m);
  });
  assert.match(child.output(), /a value in etcd is damaged; reading it again.*node\/invited\/named/);
  await etcd.gateway.transaction([], [remove(key)]);
  await untilPasses(async () =>
    assert.match((await api.request('GET', '/metrics')).text, /^waypost_cluster_damaged_values 0$/m),
  );
  assert.match(child.output(), /a value in etcd is readable again.*node\/invited\/named/);
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: damage in etcd, ${why}`);
