/**
 * The memory of the cache with so many objects (`node dist/bench/edge/cache-memory.js [objects]`):
 * what an object takes in addition to its body and fields, how long a hit takes, and how long the
 * garbage collector stops. No disk.
 */
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { openCache } from '../../edge/cache/store/node-cache.ts';
import { openCacheStore } from '../../edge/cache/store/store.ts';

const objects = Number(process.argv[2] ?? 1_000_000);
const DOMAIN = '00000000000000a1';
const HEADERS = [
  ...[
    'content-type',
    'text/html; charset=utf-8',
    'etag',
    '"5f3c-18bcfe56800"',
    'last-modified',
    'Tue, 15 Nov 1994 12:45:26 GMT',
  ],
  ...['cache-control', 'public, max-age=86400', 'vary', 'accept-encoding', 'x-frame-options', 'DENY'],
];
const HEADER_BYTES = HEADERS.reduce((sum, text) => sum + text.length, 0);

const pauses: number[] = [];
const observer = new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) pauses.push(duration);
});
observer.observe({ entryTypes: ['gc'] });

const keyOf = (i: number): string => `https://www.example.com/assets/item-${i}.html`;
const sizeOf = (i: number): number => 1000 + ((i * 2654435761) % 1000);
const MB = 1024 * 1024;

function percentiles(times: Float64Array): string {
  times.sort();
  const at = (share: number): string => `${(times[Math.floor(times.length * share)] * 1000).toFixed(2)} µs`;
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, p99.9 ${at(0.999)}`;
}

async function gcPauses(): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 50));
  pauses.sort((left, y) => y - left);
  const text = `${pauses.length} pauses of the collector, the longest ${(pauses[0] ?? 0).toFixed(1)} ms`;
  pauses.length = 0;
  return text;
}

/** Looks up `count` URLs that `next` chooses; says how long one took, and all on average. */
async function look(what: string, count: number, next: () => number): Promise<void> {
  const times = new Float64Array(count);
  let found = 0;
  const since = performance.now();
  for (let i = 0; i < count; i++) {
    const key = keyOf(next());
    const before = performance.now();
    const variants = store.lookup(DOMAIN, key);
    times[i] = performance.now() - before;
    if (Array.isArray(variants)) found += variants.length;
  }
  const mean = ((performance.now() - since) / count) * 1000;
  console.log(
    `${what}: ${((found / count) * 100).toFixed(1)} % found, mean ${mean.toFixed(2)} µs, ${percentiles(times)}; ${await gcPauses()}`,
  );
}

let payload = 0;
for (let i = 0; i < objects; i++) payload += sizeOf(i) + HEADER_BYTES + keyOf(i).length;
const node = await openCache({
  ...{ folder: '', memory: payload * 1.35 + 64 * MB, threads: 1, disk: 0, memoryObject: MB, largestObject: MB },
});
const store = openCacheStore(node.handle);
global.gc?.();
const empty = process.memoryUsage();
const body = Buffer.alloc(2000, 'x');
const begin = performance.now();
for (let i = 0; i < objects; i++) {
  const whole = body.subarray(0, sizeOf(i));
  store.put(
    {
      ...{
        domainId: DOMAIN,
        key: keyOf(i),
        selecting: [],
        status: 200,
        headers: HEADERS,
        requestTime: i,
        responseTime: i,
        tags: [],
      },
      body: { length: whole.length, whole, slice: (from, to) => whole.subarray(from, to) },
    },
    store.mark(),
  );
}
const seconds = (performance.now() - begin) / 1000;
const stats = store.stats();
const full = process.memoryUsage();
console.log(
  `put: ${((seconds / objects) * 1e6).toFixed(2)} µs each; ${stats.memoryObjects} objects, evicted ${stats.evicted}; ${await gcPauses()}`,
);
const overhead = (bytes: number): string => ((bytes - payload) / stats.memoryObjects).toFixed(0);
console.log(
  `memory: counted ${(stats.memoryBytes / MB).toFixed(0)} MB, resident ${((full.rss - empty.rss) / MB).toFixed(0)} MB more, ` +
    `heap ${((full.heapUsed - empty.heapUsed) / MB).toFixed(1)} MB more; beside bodies, fields and URLs ${overhead(full.rss - empty.rss)} bytes an object`,
);

let x = 1;
const random = (): number => {
  x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
  return Math.floor((x / 2 ** 32) * objects);
};
await look('uniform', 500_000, random);
await look('a thousand of them', 500_000, () => random() % 1000);
await look('nine of ten from a thousandth', 500_000, () =>
  random() % 10 === 0 ? random() : random() % Math.max(1, Math.floor(objects / 1000)),
);
await look('none of them', 500_000, () => objects + random());
await store.close();
