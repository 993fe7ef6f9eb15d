/**
 * `node dist/bench/attacks/etcd-damage.js [--main FILE] [--seconds N]`: one value in etcd is
 * damaged for some seconds, then mended. A row for each value: seconds without an accepted write at
 * either of two nodes, from the damage on. Each row has a cluster of its own.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EtcdGateway } from '../../core/journal/etcd-client/gateway.ts';
import { put, range, remove } from '../../core/journal/etcd-client/messages.ts';
import { startCluster } from '../../test/system/cluster/rig.ts';
import { attackOptions, processFigures } from './stage.ts';

const PREFIX = '/waypost/';
/** Seconds after the value was mended, past which nothing is expected to change. */
const PATIENCE = 20;
const INTERVAL_MS = 100;

type Damage = readonly [key: string, what: string, of: (value: Buffer) => Buffer | null];
const sequence = (value: Buffer, from: number): Buffer => {
  const bytes = Buffer.from(value);
  bytes.writeUIntBE(from, 0, 6);
  return bytes;
};
const DAMAGES: readonly Damage[] = [
  ['node/level', '99', () => Buffer.from('99')],
  ['node/session/b', 'other text', () => Buffer.from('x')],
  ['node/member/b', 'other text', () => Buffer.from('x')],
  ['head', 'deleted', () => null],
  ['head', 'an earlier entry', (value) => sequence(value, 1)],
  ['head', 'a later entry', (value) => sequence(value, value.readUIntBE(0, 6) + 5)],
  ['head', 'other bytes', () => Buffer.from('x')],
];

const { main, seconds } = attackOptions('etcd-damage', 'One value in etcd is damaged, then mended.', 3);

async function readValue(gateway: EtcdGateway, key: string): Promise<Buffer> {
  const { ranges } = await gateway.transaction([], [range(key)]);
  return ranges[0]?.items[0]?.value ?? Buffer.of();
}

for (const [name, what, damage] of DAMAGES) {
  const { etcd, nodes, close } = await startCluster(2, { WAYPOST_RATE_LIMIT: '0' }, [], { main });
  try {
    await nodes[0].api.createDomain('before.example');
    const key = PREFIX + name;
    const before = await readValue(etcd.gateway, key);
    const value = damage(before);
    let isOver = false;
    const start = performance.now();
    /** When each node was last without writes, in seconds since the damage. */
    const failedAt = nodes.map(() => 0);
    const writers = nodes.map(async ({ api }, i) => {
      for (let n = 0; !isOver; n++) {
        const isWritten = await api.request('POST', '/api/v1/domains', { domain: `w${n}-${i}.example` }).then(
          ({ status }) => status === 200,
          // The service starts again.
          () => false,
        );
        if (!isWritten) failedAt[i] = (performance.now() - start) / 1000;
        await sleep(INTERVAL_MS);
      }
    });
    await etcd.gateway.transaction([], [value === null ? remove(key) : put(key, value)]);
    await sleep(seconds * 1000);
    const now = await readValue(etcd.gateway, key);
    if (now.equals(value ?? Buffer.of())) await etcd.gateway.transaction([], [put(key, before)]);
    for (let waited = 0; waited < PATIENCE; waited++) {
      await sleep(1000);
      if (failedAt.every((at) => performance.now() / 1000 - start / 1000 - at > 3)) break;
    }
    const end = (performance.now() - start) / 1000;
    isOver = true;
    await Promise.all(writers);
    const figures = failedAt.map((at) => (end - at < 1.5 ? 'until a restart' : `${at.toFixed(1)} s`));
    const { megabytes, descriptors } = processFigures(nodes[0].child.pid as number);
    process.stdout.write(`| \`${name}\`: ${what} | ${figures.join(' | ')} | ${megabytes} MB, ${descriptors} |\n`);
  } finally {
    await close();
  }
}
