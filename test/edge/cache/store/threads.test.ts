/** Several threads on one disk, while main purges: generations of threads side by side, as at a reload. */
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

const ROUNDS = depth({ quick: 600, moderate: 1500, full: 5000 });

for (const [name, memory, disk] of [
  ['a disk with room', 1 * MB, 256 * MB],
  ['a disk that goes round', 1 * MB, 3 * MB],
] as const)
  test(`${name}: four threads find what was put, and nothing that was purged before they asked`, async () => {
    const folder = temporaryFolder('cache-threads');
    const node = await cache(folder, { memory: memory * 4, threads: 4, disk, memoryObject: 64 * KB });
    const purged = new SharedArrayBuffer(8);
    const generation = new BigInt64Array(purged);
    let isDone = false;
    const all = { domainId: DOMAIN, urls: [], prefixes: [], tags: [] };
    const one = store(node);
    const purges = [all, { ...all, tags: ['all'] }, { ...all, prefixes: ['a.test/'] }];
    const purging = (async () => {
      for (let i = 0; !isDone; i++) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        const before = one.mark();
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
    for (let key = 0; key < 200; key++) assert.equal(await found(one, `https://a.test/${key}`), []);
    await one.close();
  });

test('what one thread put, another finds on the disk; what one replaced or removed, another forgets', async () => {
  const node = await cache(temporaryFolder('cache-threads'), { threads: 2 });
  const [one, two] = [store(node), store(node)];
  const key = 'https://a.test/';
  one.put(response(key, 'first'), one.mark());
  await one.flush();
  const body = async (from: typeof one): Promise<string | undefined> =>
    (await found(from, key))[0]?.response.body.whole?.toString();
  assert.is(await body(two), 'first');
  two.put(response(key, 'second'), two.mark());
  await two.flush();
  assert.is(await body(one), 'second');
  one.remove(DOMAIN, key);
  assert.is(await body(two), undefined);
  await Promise.all([one.close(), two.close()]);
});

test('a thread that begins later knows what was purged before, and what had been found before a purge is not freshened', async () => {
  const node = await cache(temporaryFolder('cache-threads'), { threads: 2 });
  const one = store(node);
  const key = 'https://a.test/';
  one.put(response(key, 'x'), one.mark());
  await one.flush();
  const [old] = await found(one, key);
  await node.purge({ domainId: DOMAIN, urls: [], prefixes: [], tags: [] });
  const two = store(node);
  assert.equal(await found(two, key), []);
  assert.is(one.freshen(old, old.response, one.mark()), undefined);
  assert.equal(await found(one, key), []);
  await Promise.all([one.close(), two.close()]);
});

test.run();
