/**
 * The disk of the cache (`node dist/bench/edge/cache-disk.js [objects]`): what a put and a hit that
 * memory does not have cost, and how long the index takes after a restart. The folder is where
 * temporary files are, in the page cache.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { CacheStore } from '../../edge/cache/store/cache-store.ts';
import { openCache } from '../../edge/cache/store/node-cache.ts';
import { openCacheStore } from '../../edge/cache/store/store.ts';

const objects = Number(process.argv[2] ?? 200_000);
const DOMAIN = '00000000000000a1';
const MB = 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'waypost-bench-cache-'));
const keyOf = (i: number): string => `https://www.example.com/assets/item-${i}.html`;
const open = async (): Promise<CacheStore> =>
  openCacheStore(
    (await openCache({ folder, memory: MB, threads: 1, disk: 4096 * MB, memoryObject: MB, largestObject: MB })).handle,
  );

/** CPU and time of `work`, an operation, and the longest that the loop stood. */
async function measured(what: string, operations: number, work: () => Promise<void>): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const cpu = process.cpuUsage();
  const since = performance.now();
  await work();
  const ms = performance.now() - since;
  const { user, system } = process.cpuUsage(cpu);
  delay.disable();
  console.log(
    `${what}: ${((ms * 1000) / operations).toFixed(1)} µs each, CPU ${((user + system) / operations).toFixed(1)} µs, ` +
      `in all ${(ms / 1000).toFixed(2)} s, the loop stood for ${(delay.max / 1e6).toFixed(1)} ms at most`,
  );
}

let store = await open();
const body = Buffer.alloc(2000, 'x');
await measured('put', objects, async () => {
  for (let i = 0; i < objects; i++) {
    const whole = body.subarray(0, 1000 + (i % 1000));
    store.put(
      {
        ...{ domainId: DOMAIN, key: keyOf(i), selecting: [], status: 200, requestTime: i, responseTime: i, tags: [] },
        headers: ['content-type', 'text/html', 'etag', `"${i}"`, 'cache-control', 'max-age=3600'],
        body: { length: whole.length, whole, slice: (from, to) => whole.subarray(from, to) },
      },
      store.mark(),
    );
    if (i % 100 === 99) await new Promise((resolve) => setImmediate(resolve));
  }
  await store.flush();
});
console.log(store.stats());
await store.close();

store = await open();
await measured('index after a restart', objects, () => store.flush());
for (const together of [1, 16]) {
  let found = 0;
  const count = Math.min(objects, 100_000);
  await measured(`hit on the disk, ${together} at a time`, count, async () => {
    let x = 7;
    const run = async (): Promise<void> => {
      for (let i = 0; i < count / together; i++) {
        x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
        const variants = await store.lookup(DOMAIN, keyOf(x % objects));
        found += variants.length;
      }
    };
    await Promise.all(Array.from({ length: together }, run));
  });
  console.log(`${((found / count) * 100).toFixed(1)} % found`);
}
await store.close();
rmSync(folder, { recursive: true });
