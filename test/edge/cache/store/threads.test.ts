/**
 * Several threads on one disk while the main thread purges; old and new threads overlap as in a
 * reload.
 */
import { Worker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CacheStats } from '../../../../edge/cache/store/cache-store.ts';
import { depth } from '../../../support/depth.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { cache, DOMAIN, found, KB, MB, response, store } from './support.ts';

const test = suite('edge/cache/store: threads');

interface Report {
  readonly faults: readonly string[];
  readonly hits: number;
  readonly stats: CacheStats;
}

const run = (workerData: unknown): Promise<Report> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./threads-worker.js', import.meta.url), { workerData });
    worker.on('message', resolve);
    worker.on('error', reject);
  });

const ROUNDS = depth({ quick: 300, moderate: 800, full: 5000 });

for (const [name, memory, disk] of [
  ['a disk with room', 1 * MB, 256 * MB],
  ['a disk that goes round', 1 * MB, 3 * MB],
] as const)
  test(`${name}: four threads find responses that were put, and none that was purged before the lookup`, async () => {
    const folder = temporaryFolder('cache-threads');
    const node = await cache(folder, { memory: memory * 4, threads: 4, disk, memoryObject: 64 * KB });
    const purged = new SharedArrayBuffer(8);
    const generation = new BigInt64Array(purged);
    let isDone = false;
    const all = { domainId: DOMAIN, urls: [], prefixes: [], tags: [] };
    const opened = store(node);
    const purges = [all, { ...all, tags: ['all'] }, { ...all, prefixes: ['a.test/'] }];
    const purging = (async () => {
      for (let i = 0; !isDone; i++) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        const before = opened.mark();
        const returned = node.purge(purges[i % 3]);
        Atomics.store(generation, 0, BigInt(before + 1));
        await returned;
      }
    })();
    const work = (thread: number): Promise<Report> => run({ handle: node.handle, thread, rounds: ROUNDS, purged });
    const first = [work(1), work(2)];
    await new Promise((resolve) => setTimeout(resolve, 100));
    const reports = await Promise.all([...first, work(3), work(4)]);
    isDone = true;
    await purging;
    for (const { faults, hits, stats } of reports) {
      assert.equal(faults, []);
      assert.ok(hits > 0);
      assert.is(stats.damaged, 0);
      assert.ok(stats.diskBytes <= disk + 4 * 64 * KB, String(stats.diskBytes));
    }
    await node.purge(all);
    for (let key = 0; key < 200; key++) assert.equal(await found(opened, `https://a.test/${key}`), []);
    await opened.close();
  });

test('threads find responses of other threads on disk, and drop those that others replaced or removed', async () => {
  const node = await cache(temporaryFolder('cache-threads'), { threads: 2 });
  const [first, second] = [store(node), store(node)];
  const key = 'https://a.test/';
  first.put(response(key, 'first'), first.mark());
  await first.flush();
  const body = async (from: typeof first): Promise<string | undefined> =>
    (await found(from, key))[0]?.response.body.whole?.toString();
  assert.is(await body(second), 'first');
  second.put(response(key, 'second'), second.mark());
  await second.flush();
  assert.is(await body(first), 'second');
  first.remove(DOMAIN, key);
  assert.is(await body(second), undefined);
  await Promise.all([first.close(), second.close()]);
});

test('a new thread applies earlier purges, and a response found before a purge is not freshened', async () => {
  const node = await cache(temporaryFolder('cache-threads'), { threads: 2 });
  const earlyStore = store(node);
  const key = 'https://a.test/';
  earlyStore.put(response(key, 'x'), earlyStore.mark());
  await earlyStore.flush();
  const [old] = await found(earlyStore, key);
  await node.purge({ domainId: DOMAIN, urls: [], prefixes: [], tags: [] });
  const lateStore = store(node);
  assert.equal(await found(lateStore, key), []);
  assert.is(earlyStore.freshen(old, old.response, earlyStore.mark()), undefined);
  assert.equal(await found(earlyStore, key), []);
  await Promise.all([earlyStore.close(), lateStore.close()]);
});

test.run();
